// SPDX-License-Identifier: Apache-2.0
#include "nodes/joint_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "nodes/join_plan.h"

namespace gordian {
namespace {

int64_t Offset(uint64_t to_ns, uint64_t from_ns) { return static_cast<int64_t>(to_ns - from_ns); }

// By the time they begin at: a later one at the same time takes the earlier one's place.
class Knots {
 public:
  void Set(uint64_t time_ns, uint64_t moved_ns, double slope) {
    knots_[time_ns] = {.time_ns = time_ns, .offset_ns = Offset(moved_ns, time_ns), .slope = slope};
  }
  ClockMap Map() const {
    std::vector<ClockMap::Knot> knots;
    knots.reserve(knots_.size());
    for (const auto& [time_ns, knot] : knots_) {
      if (!knots.empty()) knots.back().until_ns = time_ns;
      knots.push_back(knot);
    }
    return ClockMap(std::move(knots));
  }

 private:
  std::map<uint64_t, ClockMap::Knot> knots_;
};

}  // namespace

// Halves what is left each time.
uint64_t FirstAt(const ClockMap& map, uint64_t wanted_ns, uint64_t from_ns, uint64_t until_ns) {
  while (from_ns < until_ns) {
    const uint64_t middle_ns = from_ns + (until_ns - from_ns) / 2;
    if (map.ToReference(middle_ns) >= wanted_ns) {
      until_ns = middle_ns;
    } else {
      from_ns = middle_ns + 1;
    }
  }
  return from_ns;
}

pb::Session UnionOfPauses(std::vector<std::pair<uint64_t, uint64_t>> stretches) {
  std::sort(stretches.begin(), stretches.end());
  pb::Session joint;
  for (const auto& [from_ns, to_ns] : stretches) {
    pb::Pause* const last =
        joint.pauses().empty() ? nullptr : joint.mutable_pauses(joint.pauses_size() - 1);
    if (last != nullptr && from_ns <= last->to_ns()) {
      last->set_to_ns(std::max(last->to_ns(), to_ns));
      continue;
    }
    pb::Pause& pause = *joint.add_pauses();
    pause.set_from_ns(from_ns);
    pause.set_to_ns(to_ns);
  }
  return joint;
}

pb::Session JointPauses(std::span<const NodeFacts> nodes, std::span<const ClockMap> clocks) {
  std::vector<std::pair<uint64_t, uint64_t>> stretches;
  for (size_t node = 0; node < nodes.size(); ++node)
    for (const auto& [from_ns, to_ns] : nodes[node].pauses.Stretches())
      stretches.emplace_back(clocks[node].ToReference(from_ns), clocks[node].ToReference(to_ns));
  return UnionOfPauses(std::move(stretches));
}

// Each window of the node begins with a knot, and each knot of the clock in a window stays one.
ClockMap TimelineToReference(const NodeFacts& node, const ClockMap& clock) {
  const Pauses& pauses = node.pauses;
  if (pauses.empty()) return clock;
  Knots knots;
  const auto add = [&](uint64_t clock_ns) {
    knots.Set(pauses.RecordedTime(clock_ns), clock.ToReference(clock_ns), clock.SlopeAt(clock_ns));
  };
  add(node.start_ns);  // no pause came before
  for (const ClockMap::Knot& knot : clock.knots())
    if (knot.time_ns > node.start_ns && !pauses.Holds(knot.time_ns)) add(knot.time_ns);
  for (const auto& [from_ns, to_ns] : pauses.Stretches()) add(to_ns);
  return knots.Map();
}

// Time stands still from the first time behind a pause's beginning to the first behind its end.
JointTime JointTimeOf(const NodeFacts& node, const ClockMap& to_reference, const Pauses& joint) {
  JointTime time{.clock = to_reference};
  if (joint.empty()) return time;
  Knots knots;
  const auto add = [&](uint64_t time_ns) {
    knots.Set(time_ns, joint.RecordedTime(to_reference.ToReference(time_ns)),
              to_reference.SlopeAt(time_ns));
  };
  const uint64_t until_ns = node.end_ns + 1;
  add(node.start_ns);
  for (const ClockMap::Knot& knot : to_reference.knots())
    if (knot.time_ns > node.start_ns && !joint.Holds(to_reference.ToReference(knot.time_ns)))
      add(knot.time_ns);
  uint64_t at_ns = node.start_ns;
  for (const auto& [from_ns, to_ns] : joint.Stretches()) {
    const uint64_t stands_ns = FirstAt(to_reference, from_ns + 1, at_ns, until_ns);
    const uint64_t goes_on_ns = FirstAt(to_reference, to_ns, stands_ns, until_ns);
    if (stands_ns < goes_on_ns) {
      knots.Set(stands_ns, joint.RecordedTime(from_ns), -1);
      time.cuts.emplace_back(stands_ns, goes_on_ns);
    }
    if (goes_on_ns < until_ns) add(goes_on_ns);
    at_ns = goes_on_ns;
  }
  time.clock = knots.Map();
  return time;
}

bool JointTime::IsCut(uint64_t node_time_ns) const {
  const auto behind = std::partition_point(
      cuts.begin(), cuts.end(), [&](const auto& cut) { return cut.first <= node_time_ns; });
  return behind != cuts.begin() && node_time_ns < (behind - 1)->second;
}

}  // namespace gordian
