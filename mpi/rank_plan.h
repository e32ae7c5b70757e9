// SPDX-License-Identifier: Apache-2.0
// What all ranks know of all nodes while they join them: one entry of the work folder. Inner to the
// room.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nodes/clock_bounds.h"
#include "nodes/join_plan.h"
#include "schema/ranks.pb.h"
#include "store/store.h"

namespace gordian {

pb::RankNode RankNodeOf(const NodeFacts& facts);
NodeFacts FactsOf(const pb::RankNode& node);

struct RankPlan {
  std::vector<NodeFacts> facts;  // by node, as all that follows
  std::vector<ClockBounds> bounds;
  std::vector<pb::RankKey> timelines;  // settled
  std::vector<pb::RankKey> senders;
  std::vector<pb::RankKey> moved;  // empty: nothing was moved yet
  JoinPlan joining;                // follows from the above, but for its ways
  Pauses pauses;                   // likewise

  std::vector<std::string> names() const;
};

// Fills in `joining` and `pauses`, with those ways.
void FinishPlan(std::vector<NodeWay> ways, RankPlan& plan);

// The same for the same plan, and for no other.
std::string HashOfPlan(const RankPlan& plan);
// A failure is the writer's.
void KeepPlan(const RankPlan& plan, StoreWriter& writer);
// DataLoss if the entry does not check.
absl::StatusOr<RankPlan> KeptPlanOf(StoredEntry& entry);
// Only what is moved, by node.
absl::StatusOr<std::vector<pb::RankKey>> KeptPartsOf(StoredEntry& entry);

}  // namespace gordian
