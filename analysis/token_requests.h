// SPDX-License-Identifier: Apache-2.0
// A recording's requests as plain values for whatif/requests.
//
// The root is the port that no other port's servers ask, with most time in its requests. A token's
// way is that of one of its requests, with its client's turn before it. What is a queue in the
// recording (behind others, ready while no CPU was idle, the wait for a connection) is left out:
// the simulation queues anew. Programs that mark their work by phases have a token for each thread
// that does so: between two phases is that thread's own turn.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/recording.h"
#include "analyzer/stacks/stacks.h"
#include "analyzer/timeline/timeline.h"
#include "report/time_range.h"
#include "requests/requests.h"
#include "whatif/requests/requests.h"

namespace gordian {

// Of so many packets at most requests are looked for where gains are asked for: two hundred
// thousand requests tell no rate worse than all, and cost less than half a second. A report's own
// predictions and gordian whatif take as many, so that both tell the same.
inline constexpr uint64_t kMostPacketsFollowed = 400'000;
FoundRequests FollowedRequests(const LoadedRecording& recording, const TimeRange& range,
                               int threads);

struct RecordedForTokens {
  const Timeline& timeline;
  const FoundRequests& found;
  const RequestWalk& walk;
  std::span<const uint32_t> vertex_of_entity;  // as in MergedGraph
  const StackSums& stacks;
  const Code& code;
  // Phases of one name in place of packets: the root has no port then.
  std::span<const Request> phases = {};
  std::string phase = {};  // that name, clean
};

// FailedPrecondition, with the reason as a sentence's end, if there is no such request.
absl::StatusOr<TokenModel> TokensOfRequests(const RecordedForTokens& recorded);

}  // namespace gordian
