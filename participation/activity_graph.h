// SPDX-License-Identifier: Apache-2.0
// Critical participation in an imported activity graph, window by window.
//
// Edges are read once, in order of their beginnings. Memory holds those of one window, with those
// that go on behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "participation/participation_request.h"
#include "schema/participation.pb.h"

namespace gordian {

// About 150 bytes of memory each.
inline constexpr size_t kMaxWindowActivities = 32u << 20;
inline constexpr uint64_t kMaxParticipationWindows = 1'000'000;

// An answer for each of `request.by`, in that order:
//   activity         the types of edges
//   thread           workers; an edge between two counts for the one that it comes from
//   vertex           the same, with workers that differ only in a number behind " #" as one
//   operator         labels
//   link             pairs of workers, of the edges between them
// InvalidArgument, in one line for the user, for other rows and for ranges that hold no time;
// ResourceExhausted if a window holds too many edges. Windows without a path, and whatever was odd,
// are counted.
absl::StatusOr<std::vector<pb::Participation>> ParticipationOfGraph(
    const std::string& directory, const ParticipationRequest& request,
    size_t most_activities = kMaxWindowActivities);

// A longest chain of traversable edges back from the last end in the whole range, which is one
// window. Errors are the same.
absl::StatusOr<pb::CriticalPath> CriticalPathOfGraph(const std::string& directory,
                                                     const ParticipationRequest& request,
                                                     size_t most_activities = kMaxWindowActivities);

}  // namespace gordian
