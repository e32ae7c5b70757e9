// SPDX-License-Identifier: Apache-2.0
// As ProcessPrograms, of a recording that goes on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/model.h"
#include "analyzer/timeline/decoded_block.h"

namespace gordian {

class GrowingPrograms {
 public:
  // Records in order of time. `process` is the first thread of the process that it tells of, which
  // began then; `parent` that of its creator's, or kNobody.
  void Take(const TimedTask& entry, EntityId process, uint64_t begin_ns, EntityId parent);
  // By the process's first thread. In order of time; empty if nothing names it.
  std::span<const Program> Of(EntityId process) const;

 private:
  // A process whose first program is its parent's at that time, which was not told yet.
  struct Heir {
    EntityId process = kNobody;
    uint64_t time_ns = 0;
  };
  void Inherit(EntityId parent, const Heir& heir);
  void TellHeirs(EntityId parent);

  absl::flat_hash_map<EntityId, std::vector<Program>> rows_;
  absl::flat_hash_map<EntityId, std::vector<Heir>> heirs_;  // by parent
};

}  // namespace gordian
