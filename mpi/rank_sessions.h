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
  std::string node;         // empty: one session alone
  std::string directory;    // as its ranks see it
  bool is_carried = false;  // rank 0 does not see it
  uint64_t bytes = 0;
  std::string version;     // of its recorder
  std::vector<int> ranks;  // that can read it
};

// In order of names. A session that lies in no folder of nodes has the name of its host, unless all
// ranks see the same one: then it is alone. In one line: a rank without sessions, two different
// sessions of one name.
absl::StatusOr<std::vector<SeenSession>> SessionsOf(const std::vector<pb::RankHello>& hellos);

// In one line, which recordings are of which version of the recorder; empty if all are of one.
std::string MixedVersionsOf(const std::vector<SeenSession>& sessions);

}  // namespace gordian
