// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/worker_names.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kMostNameBytes = 64;  // the recorder writes fewer; a file may hold any

struct WorkTime {
  uint64_t all_ns = 0;
  std::map<std::string_view, uint64_t> ns_of;  // by kind
};

}  // namespace

void NameWorkers(std::span<const WorkRecord> works, const Lives& lives,
                 std::vector<Entity>& entities) {
  std::map<EntityId, WorkTime> time_of;
  for (const WorkRecord& work : works) {
    const EntityId thread = lives.Find(work.tid, work.time_ns);
    if (thread == kNobody || work.name.empty() || !entities[thread].kernel_thread) continue;
    WorkTime& time = time_of[thread];
    time.all_ns += work.duration_ns;
    time.ns_of[work.name] += work.duration_ns;
  }
  for (const auto& [thread, time] : time_of)
    for (const auto& [name, spent_ns] : time.ns_of)
      if (spent_ns > time.all_ns / 2)
        entities[thread].name = "kworker " + CleanText(name.substr(0, kMostNameBytes));
}

}  // namespace gordian
