// SPDX-License-Identifier: Apache-2.0
// The parts of the overview, each as many lines as it may have.
#pragma once

#include <string>
#include <vector>

#include "cli/top/screen_page.h"
#include "cli/top/top_state.h"
#include "live/live_session.h"

namespace gordian {

using ScreenLines = std::vector<ScreenLine>;

struct PartInput {
  const LiveMoment& moment;
  const TopState& state;
  const ScreenSize& size;
};

double FrameLengthS(const pb::LiveFrame& frame);

// What limits the target: a sentence, how long, how much and how sure, why, and what to try. At
// least two lines; what is behind `most` is left out.
ScreenLines LimitLines(const PartInput& input, size_t most);
// The other findings, a line each.
ScreenLines OtherFindingLines(const PartInput& input);
// Tables with a head. Of more rows than fit those around the chosen one are shown.
ScreenLines WaitLines(const PartInput& input, size_t most);
ScreenLines VertexLines(const PartInput& input, size_t most);
// CPUs, disks and interfaces, several in a line.
ScreenLines ResourceLines(const PartInput& input, size_t most);
// Lag, losses, what is unknown or provisional; nodes that are not followed any more.
ScreenLines QualityLines(const PartInput& input, size_t most);
// A column a second: how much the limit took, which limit, and what the letters mean.
ScreenLines StripLines(const PartInput& input, size_t most);
// The window, the target, and what the person should know of the screen itself.
ScreenLine StatusLine(const PartInput& input);

// A row of a table of waits.
void PutWait(const pb::Report& report, const pb::ReportEdge& edge, double length_s,
             std::string_view who, ScreenLine& line);
void PutWaitHead(std::string_view title, ScreenLine& line);
// A sign in front of a row that has the cursor.
void PutCursor(const TopChoice& row, const TopState& state, ScreenLine& line);

}  // namespace gordian
