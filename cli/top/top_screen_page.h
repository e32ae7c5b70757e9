// SPDX-License-Identifier: Apache-2.0
// The screen of `gordian top`, from what is known to lines of text: a pure function.
//
//   const ScreenPage page = DrawTop(&moment, state, {.columns = 80, .rows = 24});
//
// The overview tells, from top to bottom: what limits the target, since when and why; the heaviest
// waits; the busiest vertices; CPUs and devices; how good the data are; the last minute. Enter goes
// from there into a vertex. Every page fits into any size, and has its most important lines in the
// smallest.
#pragma once

#include "cli/top/screen_page.h"
#include "cli/top/top_state.h"
#include "live/live_session.h"

namespace gordian {

// `moment` is what is shown; null: nothing yet, and the state's message tells why. As many lines as
// the size has rows; without rows as many as are needed, without keys.
ScreenPage DrawTop(const LiveMoment* moment, const TopState& state, const ScreenSize& size);

// A frame as one line of text: time, share and length of the limit, and the limit.
std::string FrameLine(const pb::LiveFrame& frame);

}  // namespace gordian
