// SPDX-License-Identifier: Apache-2.0
// The cause of a wake, and the pseudo-threads that stand for causes that are no thread.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/model.h"
#include "schema/session.pb.h"
#include "trace/trace_event.h"

namespace gordian {

struct WakeSource {
  WaitCause cause = WaitCause::kUnknown;
  uint32_t number = 0;  // kThread: tid. kDisk, kNic: device. kIrq: kind of interrupt << 16 | vector
  bool operator==(const WakeSource&) const = default;
};

// The waker thread if it is the cause; else the device whose completion or packet woke it; else the
// timer; else the interrupt.
WakeSource SourceOf(const WakeEvent& wake);

// Every source of wakes that is no thread, as an entity.
class PseudoThreads {
 public:
  void Add(WakeSource source);  // more than once is fine
  void AddDisk(uint32_t device) { Add({WaitCause::kDisk, device}); }
  void AddNic(uint32_t interface) { Add({WaitCause::kNic, interface}); }

  // Appends the entities of those that have none yet, in an order that only depends on the sources,
  // and `unknown` behind the first.
  void AppendTo(std::vector<Entity>& entities, const pb::Session& session);

  // The entity of a source that was added. Call it after AppendTo.
  EntityId Find(WakeSource source) const;
  EntityId unknown() const { return unknown_; }

 private:
  absl::flat_hash_map<uint64_t, EntityId> ids_;  // by cause << 32 | number
  EntityId unknown_ = kNobody;
};

}  // namespace gordian
