// SPDX-License-Identifier: Apache-2.0
// The time of a joined timeline: the reference's clock, without the times in which any node paused.
//
//   a node's timeline -> its clock -> the reference's clock -> the joined timeline
//   (without its pauses)                                       (without those of all nodes)
//
// What a node recorded while another paused is cut out here, where its threads' segments are known:
// a wait that goes on over such a time goes on. So the joined timeline says of the times that all
// nodes recorded what each node's own says.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/timeline/pauses.h"
#include "nodes/clock_bounds.h"

namespace gordian {

struct NodeFacts;  // nodes/join_plan.h

// The first time from `from_ns` on, before `until_ns`, that the map brings to `wanted_ns` or later;
// `until_ns` if there is none.
uint64_t FirstAt(const ClockMap& map, uint64_t wanted_ns, uint64_t from_ns, uint64_t until_ns);

// From times at which anybody paused, in any order: those at which somebody did, as one session's.
pb::Session UnionOfPauses(std::vector<std::pair<uint64_t, uint64_t>> stretches);

// The pauses of all nodes on the reference's clock, as those of one session. `clocks` by node:
// from its own clock to the reference's.
pb::Session JointPauses(std::span<const NodeFacts> nodes, std::span<const ClockMap> clocks);

// From the time of a node's timeline to the reference's clock.
ClockMap TimelineToReference(const NodeFacts& node, const ClockMap& clock);

// Times of one node's timeline, brought to the joined one's.
struct JointTime {
  ClockMap clock;
  // Times of the node's timeline in which another node paused, from the first to before the last
  // nanosecond; in order.
  std::vector<std::pair<uint64_t, uint64_t>> cuts;

  bool IsCut(uint64_t node_time_ns) const;
};
// `to_reference` as TimelineToReference gives it.
JointTime JointTimeOf(const NodeFacts& node, const ClockMap& to_reference, const Pauses& joint);

}  // namespace gordian
