// SPDX-License-Identifier: Apache-2.0
// Participation in windows of the joined timeline, as units ask for it and tell it. Inner to the
// room.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mpi/work_folder.h"
#include "participation/recorded_participation.h"
#include "schema/ranks.pb.h"
#include "store/store.h"

namespace gordian {

// Targets, phases and whether samples are wanted: what a graph has besides its timeline. Its key
// holds its content. Nothing is written that is there already.
absl::StatusOr<pb::RankKey> KeepGraph(const RecordedGraph& graph, const pb::RankKey& timeline,
                                      const WorkFolder& folder);

// Makes that unit; its graph is in the folder.
absl::Status MakeWindows(const pb::WindowsUnit& unit, const Timeline& timeline,
                         const WorkFolder& folder, int threads);

// The windows of such a unit's result. DataLoss if it does not check. `phase_names`: how many there
// are.
absl::StatusOr<std::vector<WindowParticipation>> KeptWindowsOf(StoredEntry& entry,
                                                               const Timeline& timeline,
                                                               size_t phase_names);

}  // namespace gordian
