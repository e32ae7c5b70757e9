// SPDX-License-Identifier: Apache-2.0
#include "analysis/told_counts.h"

#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr size_t kMostNames = 1000;
// Of those that a thread has open; deeper ones are not told.
constexpr size_t kMostNestedPhases = 1000;

struct OpenPhase {
  std::string name;
  uint64_t begin_ns = 0;
};

std::vector<uint64_t>* ListOf(const std::string& name,
                              std::map<std::string, std::vector<uint64_t>>& lists) {
  const auto found = lists.find(name);
  if (found != lists.end()) return &found->second;
  return lists.size() < kMostNames ? &lists[name] : nullptr;
}

std::string ProgressName(const std::string& counter) {
  return counter.starts_with("syscall ") ? counter : absl::StrCat("probe ", counter);
}

}  // namespace

ToldCounts ReadToldCounts(const Timeline& timeline, SessionReader& session) {
  ToldCounts told;
  absl::flat_hash_map<int32_t, std::vector<OpenPhase>> open;  // by thread
  MergedEvents cursor(session);
  while (cursor.Next()) {
    const TraceEvent& event = cursor.event();
    if (event.kind != EventKind::kProbe) continue;
    const uint64_t time_ns = timeline.pauses().RecordedTime(event.time_ns);
    const auto& names = cursor.block().names;
    const std::string name = event.probe.name < names.size() ? names[event.probe.name] : "";
    if (event.probe.kind == ProbeKind::kPhaseBegin) {
      std::vector<OpenPhase>& phases = open[event.probe.tid];
      if (phases.size() < kMostNestedPhases) phases.push_back({name, time_ns});
    } else if (event.probe.kind == ProbeKind::kPhaseEnd) {
      std::vector<OpenPhase>& phases = open[event.probe.tid];
      if (phases.empty()) continue;  // it began before the recording
      if (auto* list = ListOf(phases.back().name, told.phases))
        list->push_back(time_ns - phases.back().begin_ns);
      phases.pop_back();
    } else if (event.probe.kind == ProbeKind::kCount) {
      if (timeline.pauses().Holds(event.time_ns)) continue;
      if (auto* list = ListOf(ProgressName(name), told.counts)) list->push_back(time_ns);
    }
  }
  return told;
}

}  // namespace gordian
