// SPDX-License-Identifier: Apache-2.0
// Units of gordian-mpi traffic, as the rank that makes them sees them. Inner to the room.
#pragma once

#include "absl/status/status.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"

namespace gordian {

// The answer is in `made`.
absl::Status TellTrafficFacts(const pb::TrafficFactsUnit& unit, pb::RankMade& made);
absl::Status TellTrafficPhases(const pb::TrafficPhasesUnit& unit, pb::RankMade& made);
// The result is in the folder.
absl::Status MakeTrafficPart(const pb::TrafficUnit& unit, const WorkFolder& folder,
                             pb::RankMade& made);

}  // namespace gordian
