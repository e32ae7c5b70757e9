// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/tree/phase_tree.h"

namespace gordian {
namespace {

// More siblings than that are not ordered by the data: the work is quadratic.
constexpr size_t kMaxOrdered = 64;

struct Seen {
  bool overlap = false;
  bool repeated = false;
};

// For each parent, the sums of its children of each type.
struct Group {
  size_t count = 0;
  uint64_t first_start_ns = 0;
  uint64_t last_end_ns = 0;
};

using Groups = std::map<PhaseTypeId, Group>;
constexpr uint32_t kNoGroups = UINT32_MAX;

class Settler {
 public:
  Settler(const PhaseTypes& types, Tally& tally, Job& job)
      : types_(types),
        tally_(tally),
        job_(job),
        seen_(types.size()),
        groups_of_(job.phases.size(), kNoGroups) {}

  // Phases stand in the order of their beginnings below each parent.
  void Settle() {
    for (PhaseId id = 1; id < job_.phases.size(); ++id) Look(job_.phases[id]);
    for (PhaseTypeId type = 0; type < types_.size(); ++type) {
      if (types_.observed(type)) job_.model.types[type].repeat = RepeatOf(seen_[type]);
    }
    NumberThem();
    OrderThem();
    QueueThem();
  }

 private:
  static PhaseRepeat RepeatOf(const Seen& seen) {
    if (seen.overlap) return PhaseRepeat::kConcurrent;
    return seen.repeated ? PhaseRepeat::kSequential : PhaseRepeat::kOnce;
  }

  void Look(const Phase& phase) {
    uint32_t& groups = groups_of_[phase.parent];
    if (groups == kNoGroups) {
      groups = static_cast<uint32_t>(groups_.size());
      groups_.emplace_back();
    }
    const auto [entry, is_new] = groups_[groups].try_emplace(phase.type);
    Group& group = entry->second;
    const bool overlaps = !is_new && phase.start_ns < group.last_end_ns;
    if (is_new) group.first_start_ns = phase.start_ns;
    group.last_end_ns = std::max(group.last_end_ns, phase.end_ns);
    ++group.count;
    seen_[phase.type].overlap |= overlaps;
    seen_[phase.type].repeated |= !is_new;
    if (types_.observed(phase.type)) return;
    const PhaseRepeat repeat = types_[phase.type].repeat;
    if ((repeat == PhaseRepeat::kSequential && overlaps) ||
        (repeat == PhaseRepeat::kOnce && !is_new))
      tally_.Count("phases_against_model");
  }

  // Keys tell siblings of a type apart: without keys in the data, their number does.
  void NumberThem() {
    absl::flat_hash_map<std::pair<PhaseId, PhaseTypeId>, uint64_t> numbers;
    for (PhaseId id = 1; id < job_.phases.size(); ++id) {
      Phase& phase = job_.phases[id];
      if (!phase.key.empty() || groups_[groups_of_[phase.parent]].at(phase.type).count < 2)
        continue;
      phase.key = std::to_string(++numbers[{phase.parent, phase.type}]);
    }
  }

  // Discovered siblings keep the order in which they were always seen: b comes after a if wherever
  // both occur the last a ended before the first b began. Only types that were met earlier can be
  // predecessors, so there are no cycles.
  void OrderThem() {
    std::map<PhaseTypeId, std::vector<PhaseTypeId>> children;
    for (PhaseTypeId type = 1; type < types_.size(); ++type) {
      if (types_.discovered(type)) children[types_[type].parent].push_back(type);
    }
    std::set<std::pair<PhaseTypeId, PhaseTypeId>> ordered, refuted;
    for (PhaseId id = 0; id < job_.phases.size(); ++id) {
      const auto siblings = children.find(job_.phases[id].type);
      if (siblings == children.end() || siblings->second.size() > kMaxOrdered) continue;
      if (groups_of_[id] == kNoGroups) continue;
      const Groups& groups = groups_[groups_of_[id]];
      for (const auto& [later, later_group] : groups) {
        for (const auto& [earlier, earlier_group] : groups) {
          if (earlier >= later) break;
          if (!types_.discovered(earlier) || !types_.discovered(later)) continue;
          const bool holds = earlier_group.last_end_ns <= later_group.first_start_ns;
          (holds ? ordered : refuted).insert({earlier, later});
        }
      }
    }
    for (const auto& [earlier, later] : ordered) {
      if (!refuted.contains({earlier, later})) job_.model.types[later].after.push_back(earlier);
    }
  }

  // Phases that each begin as soon as they can come after the one among them that ended last
  // before. They stand in the order of their beginnings.
  void QueueThem() {
    struct Queue {
      std::priority_queue<std::pair<uint64_t, PhaseId>, std::vector<std::pair<uint64_t, PhaseId>>,
                          std::greater<>>
          running;
      PhaseId last_ended = kNoId;
    };
    std::map<PhaseId, Queue> queues;  // by parent
    for (PhaseId id = 1; id < job_.phases.size(); ++id) {
      Phase& phase = job_.phases[id];
      if (!types_.queued(phase.type)) continue;
      Queue& queue = queues[phase.parent];
      while (!queue.running.empty() && queue.running.top().first <= phase.start_ns) {
        queue.last_ended = queue.running.top().second;
        queue.running.pop();
      }
      queue.running.emplace(phase.end_ns, id);
      std::vector<PhaseId>& after = phase.after;
      if (queue.last_ended == kNoId) continue;
      const auto place = std::lower_bound(after.begin(), after.end(), queue.last_ended);
      if (place == after.end() || *place != queue.last_ended) after.insert(place, queue.last_ended);
    }
  }

  const PhaseTypes& types_;
  Tally& tally_;
  Job& job_;
  std::vector<Seen> seen_;
  std::vector<uint32_t> groups_of_;  // by phase: where in groups_, if it has children
  std::vector<Groups> groups_;
};

}  // namespace

void SettleObserved(const PhaseTypes& types, Tally& tally, Job& job) {
  Settler(types, tally, job).Settle();
}

}  // namespace gordian
