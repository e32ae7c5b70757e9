// SPDX-License-Identifier: Apache-2.0
// Sends what is written to a running session, while it is written, to one follower.
//
// It only reads the session's folder: nothing waits for it but the follower itself. Blocks are sent
// as they are in the files, without decoding them. A round begins when the recorder has replaced
// session.pb, and ends with that session.pb: so the follower may believe its watermark.
//
// A follower that is slow keeps it waiting in `send`. If more than a limit waits by then, each
// waiting block of events is passed over, and one is sent in its place that tells how many events
// were lost, and when. The same is told of what a flight recorder deleted before it was sent. What
// threads did meanwhile is not known, so all that live are told anew.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "recorder/control/rate_limit.h"
#include "recorder/sessions/session_manager.h"
#include "schema/control.pb.h"

namespace gordian {

inline constexpr uint64_t kUsualBehindBytes = 32u << 20;
inline constexpr uint64_t kMostBehindBytes = 256u << 20;

// The other end. Both functions return false once the follower has gone.
struct FollowerEnd {
  std::function<bool(const pb::FollowPart&)> send;             // waits until there is room
  std::function<bool(std::chrono::nanoseconds longest)> wait;  // until it is time to look again
};

// Returns when the session has ended and all of it was sent: OK then.
absl::Status SendSession(const FollowedSession& session, const pb::FollowRequest& request,
                         RateLimit& rate, const FollowerEnd& follower);

}  // namespace gordian
