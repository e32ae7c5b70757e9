// SPDX-License-Identifier: Apache-2.0
// Units that settle nodes: each session's files become the node's timeline, and, beside it, what
// other nodes need of it. Inner to the room.
//
// A unit has one node, or several small ones that follow each other. The results of all are members
// of two files, named by the nodes' places in the unit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "analysis/read_options.h"
#include "analyzer/timeline/timeline.h"
#include "mpi/work_folder.h"
#include "schema/ranks.pb.h"

namespace gordian {

class SettleNodes {
 public:
  // The folder must outlive it.
  SettleNodes(const WorkFolder& folder, int threads, MemoryOptions memory)
      : folder_(folder), threads_(threads), memory_(std::move(memory)) {}

  // A session that cannot be read says so in its part, and the others stand.
  absl::Status Make(const pb::SettleUnit& unit, pb::RankMade& made) const;

 private:
  struct Writers;
  // Makes the parts, with their keys. Returns the recordings' fingerprints.
  static std::vector<std::string> FindSessions(const pb::SettleUnit& unit, pb::RankMade& made);
  // Whether all of them were there.
  bool TakeKept(pb::RankMade& made) const;
  absl::Status KeepNode(const Timeline& timeline, const pb::SettleUnit& unit, int place,
                        Writers& writers, const pb::RankMade& part) const;

  const WorkFolder& folder_;
  const int threads_;
  const MemoryOptions memory_;
};

// Aborted if the recording is another one by now.
absl::Status CheckUnchanged(const std::string& directory, const std::string& fingerprint);

}  // namespace gordian
