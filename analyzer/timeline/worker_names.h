// SPDX-License-Identifier: Apache-2.0
// Kernel workers by what they do: "kworker/u8:3" runs work of many kinds, and says none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/lives.h"

namespace gordian {

// A worker that spends most of its working time on one kind of work is named by it: "kworker
// loop0". The others keep their names.
class WorkerNames {
 public:
  // `entities` begin with the threads of `lives`.
  void Add(std::span<const WorkRecord> works, const Lives& lives,
           const std::vector<Entity>& entities);
  // Names all workers by what was added so far.
  void Name(const Lives& lives, std::vector<Entity>& entities) const;

 private:
  struct WorkTime {
    uint64_t all_ns = 0;
    std::map<std::string, uint64_t> ns_of;  // by kind
  };
  std::map<EntityId, WorkTime> time_of_;
};

}  // namespace gordian
