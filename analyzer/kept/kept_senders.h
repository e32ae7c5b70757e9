// SPDX-License-Identifier: Apache-2.0
// Of a node's timeline, what other nodes need to find the senders of their packets: who sent what,
// flow by flow. A reader takes the flows that it has business with, and touches no others.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "store/store.h"

namespace gordian {

// A packet that was sent.
struct KeptSent {
  uint64_t time_ns = 0;
  uint32_t place = 0;  // among the node's packets: flows put together keep their order
  EntityId thread = kNobody;
  uint32_t sequence = 0;
  uint32_t bytes = 0;
  uint32_t interface = 0;
  uint32_t unused = 0;
};

// `timeline` was loaded with keep_packet_wakes. A failure is the writer's. Rows of so many bytes
// are put in order at once, in plain memory.
inline constexpr uint64_t kSendersAtOnceBytes = 8 << 20;
void KeepSenders(const Timeline& timeline, StoreWriter& writer,
                 uint64_t at_once_bytes = kSendersAtOnceBytes);

class KeptSenders {
 public:
  // DataLoss if the entry does not check. `memory` sees to it that few of its pages are held at a
  // time, and owns it from then on.
  static absl::StatusOr<KeptSenders> Of(StoredEntry entry, const ColumnMemory& memory);

  const FlowTable& flows() const { return flows_; }
  // What was sent in that flow, in order of time.
  std::span<const KeptSent> SentIn(uint32_t flow_id) const {
    const auto rows = rows_of_flow_.find(flow_id);
    return rows == rows_of_flow_.end() ? std::span<const KeptSent>() : rows->second;
  }
  // As if these flows had been all, and nothing else had been recorded. `with_processes`: its
  // threads have the names of their processes. Its packets will lie in `memory`.
  Timeline TimelineOf(std::span<const uint32_t> flow_ids, bool with_processes,
                      const ColumnMemory& memory) const;

 private:
  friend class TimelineKeeper;
  explicit KeptSenders(ColumnMemory memory) : memory_(std::move(memory)) {}

  ColumnMemory memory_;  // owns the entry
  FlowTable flows_;
  absl::flat_hash_map<uint32_t, std::span<const KeptSent>> rows_of_flow_;
  std::string_view processes_;
};

}  // namespace gordian
