// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/worker_names.h"

#include <cstdint>
#include <string>

#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr size_t kMostNameBytes = 64;  // the recorder writes fewer; a file may hold any

}  // namespace

void WorkerNames::Add(std::span<const WorkRecord> works, const Lives& lives,
                      const std::vector<Entity>& entities) {
  for (const WorkRecord& work : works) {
    const EntityId thread = lives.Find(work.tid, work.time_ns);
    if (thread == kNobody || work.name.empty() || !entities[thread].kernel_thread) continue;
    WorkTime& time = time_of_[thread];
    time.all_ns += work.duration_ns;
    time.ns_of[work.name] += work.duration_ns;
  }
}

void WorkerNames::Name(const Lives& lives, std::vector<Entity>& entities) const {
  for (const auto& [thread, time] : time_of_) {
    entities[thread].name = ThreadEntity(lives.lives()[thread], lives).name;
    for (const auto& [name, spent_ns] : time.ns_of)
      if (spent_ns > time.all_ns / 2)
        entities[thread].name = "kworker " + CleanText(name.substr(0, kMostNameBytes));
  }
}

}  // namespace gordian
