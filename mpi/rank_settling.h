// SPDX-License-Identifier: Apache-2.0
// Sessions to one timeline: ranks settle the nodes, rank 0 puts them together, and the others open
// what they will sweep. Of rank 0. Inner to the room.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/recording.h"
#include "mpi/rank_analysis.h"
#include "mpi/rank_joining.h"
#include "mpi/rank_sessions.h"
#include "mpi/unit_results.h"

namespace gordian {

class RankSettling {
 public:
  // Both must outlive it.
  RankSettling(UnitResults& results, const RankRequest& request)
      : results_(results), request_(request) {}

  // All nodes' timelines as one.
  absl::StatusOr<LoadedRecording> Settle(const std::vector<SeenSession>& sessions);
  // Of a unit about the settled timeline.
  pb::SweepUnit TimelineUnit() const;

 private:
  Crew& crew() { return results_.crew(); }
  const WorkFolder& folder() const { return results_.folder(); }
  LoadedRecording EmptyRecording() const;
  // One node's.
  absl::Status Open(StoredEntry entry, LoadedRecording& recording) const;
  // Of many, if all of it is in this folder.
  absl::Status OpenJoined(LoadedRecording& recording);
  // Of several nodes that are one unit.
  struct SettlingUnit {
    DealtUnit dealt;
    size_t first_session = 0;
    size_t end_session = 0;
  };
  std::vector<SettlingUnit> UnitsOf(const std::vector<SeenSession>& sessions) const;
  // By session, what the units say of it.
  absl::StatusOr<std::vector<MadeUnit>> MakeAll(const std::vector<SettlingUnit>& units);
  absl::StatusOr<LoadedRecording> OfMany(const std::vector<SeenSession>& sessions,
                                         const std::vector<SettlingUnit>& units,
                                         const std::vector<MadeUnit>& settled);
  // Else parts of a joined timeline may lie anywhere: their units are asked for, and are found.
  bool SharesFolders();
  // Of a session, as rank 0 sees it.
  absl::StatusOr<std::string> DirectoryOf(const SeenSession& session, const SettlingUnit& unit,
                                          size_t number, const MadeUnit& settled);
  absl::StatusOr<LoadedRecording> Join(const std::vector<SettledNode>& nodes,
                                       std::vector<std::string> directories,
                                       std::vector<std::string> left_out);
  // While this rank puts parts together, the others open them: they will sweep.
  absl::StatusOr<JoinedNodes> ComposedBesideOthers(const RankPlan& plan);
  // What only rank 0 needs of a joined timeline, and who asks whom in it.
  pb::RankKey NodesKey() const;
  pb::RankKey QuestionsKey() const;
  KeptRows RowsOfJoined() const;
  void TellOfJoin(const std::string& how) const;

  UnitResults& results_;
  const RankRequest& request_;
  pb::RankKey timeline_key_;
  std::vector<uint32_t> holders_;  // of the joined timeline's parts; empty: all share a folder
  bool was_settled_ = false;       // any node
};

}  // namespace gordian
