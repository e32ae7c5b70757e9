// SPDX-License-Identifier: Apache-2.0
// The steps of MeasureTraffic (traffic.h). A node's facts and its part can be made where its
// recording lies, by another process:
//
//   facts[i] = TrafficFactsOf(*session);                        // of each node
//   plan = PlanTraffic(options, facts);                         // needs all of them
//   parts[i] = ReadTrafficPart(*session, plan.clock.shifts[i], plan.spans, i);
//   traffic = JoinTraffic(options, facts, plan, parts);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "schema/session.pb.h"
#include "traffic/common_clock.h"
#include "traffic/node_traffic.h"
#include "traffic/spans.h"
#include "traffic/traffic.h"

namespace gordian {

struct BlockTimes {
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
};

// What a node tells without its events.
struct TrafficFacts {
  pb::Session session;
  std::vector<BlockTimes> blocks;  // on the node's clock
};

TrafficFacts TrafficFactsOf(const SessionReader& session);

struct TrafficPlan {
  CommonClock clock;
  SpanPlan spans;
  uint64_t start_ns = 0;  // of all blocks, on the common clock
  uint64_t end_ns = 0;
};

// `facts` are those of options.nodes, in their order, and not empty.
absl::StatusOr<TrafficPlan> PlanTraffic(const TrafficOptions& options,
                                        std::span<const TrafficFacts> facts);

struct TrafficPart {
  NodeTraffic traffic;
  uint64_t corrupt_blocks = 0;
};

// Reads all events.
TrafficPart ReadTrafficPart(SessionReader& session, const ClockShift& shift, const SpanPlan& plan,
                            size_t node);

// `parts` likewise.
Traffic JoinTraffic(const TrafficOptions& options, std::span<const TrafficFacts> facts,
                    const TrafficPlan& plan, const std::vector<TrafficPart>& parts);

}  // namespace gordian
