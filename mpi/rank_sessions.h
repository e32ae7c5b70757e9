// SPDX-License-Identifier: Apache-2.0
// Which sessions there are, and which ranks see them. Inner to the room.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"

namespace gordian {

// What a rank tells of itself; `program` tells builds apart.
pb::RankHello HelloOf(const std::string& program, const std::string& directory,
                      const absl::StatusOr<WorkFolder>& folder);

struct SeenSession {
  std::string node;       // empty: one session alone
  std::string directory;  // as rank 0 sees it
  uint64_t bytes = 0;
  std::vector<int> ranks;  // that see it
};

// In order of names. In one line: a rank without sessions, two different sessions of one name, a
// session that rank 0 does not see.
absl::StatusOr<std::vector<SeenSession>> SessionsOf(const std::vector<pb::RankHello>& hellos);

}  // namespace gordian
