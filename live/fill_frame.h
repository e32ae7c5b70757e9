// SPDX-License-Identifier: Apache-2.0
// What of an analysis goes into a live frame.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/analysis.h"
#include "schema/live.pb.h"

namespace gordian {

// All but what needs earlier frames or the nodes' state. The frame is about the analysis' range.
pb::LiveFrame FrameOf(const Analysis& analysis);

// The clock of day at a recorded time, in nanoseconds since 1970; nothing if the session tells
// none.
std::optional<int64_t> RealtimeAt(const Timeline& timeline, uint64_t time_ns);

// The first finding, as the same one in the next frame: its kind and members, by names that do not
// count threads. Empty: there is none.
std::string IdentityOfFirst(const pb::Report& report);

}  // namespace gordian
