// SPDX-License-Identifier: Apache-2.0
// gordian traffic by many ranks: each node's events are read by a rank that sees them, once; rank 0
// adds up what they tell of each flow. What is sent does not grow with the recording's length.
//
//   facts (node)   session.pb, and when blocks begin and end
//   phases (node)  those that probes tell of, if asked for
//   traffic (node) the pass over its events
#pragma once

#include "absl/status/statusor.h"
#include "analysis/recorded_traffic.h"
#include "mpi/rank_work.h"

namespace gordian {

// The same as MeasureRecordedTraffic.
absl::StatusOr<Traffic> TrafficOnRanks(const RankWork& work, const TrafficRequest& request);

}  // namespace gordian
