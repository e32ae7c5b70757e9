// SPDX-License-Identifier: Apache-2.0
#include "cli/frame_texts.h"

#include <unistd.h>

#include <string>

#include "cli/output.h"
#include "cli/terminal.h"
#include "cli/top/top_screen_page.h"
#include "output/message_json.h"

namespace gordian {
namespace {

absl::Status WriteText(const std::string& text) {
  Output output(STDOUT_FILENO);
  output.Write(text);
  if (auto status = output.Finish(); !status.ok()) return status;
  return output.is_closed() ? absl::OutOfRangeError("nobody reads") : absl::OkStatus();
}

}  // namespace

absl::Status JsonFrames::Take(const LiveMoment& moment) {
  return WriteText(MessageJson(moment.frame, JsonShape::kCompact) + "\n");
}

absl::Status LinesOfText::Take(const LiveMoment& moment) {
  return WriteText(FrameLine(moment.frame) + "\n");
}

absl::Status PageOfText::Take(const LiveMoment& moment) {
  TopState state;
  state.letters.Take(moment.frame);
  return WriteText(
      DrawTop(&moment, state, {.columns = PageColumns(STDOUT_FILENO), .rows = 0}).Text());
}

}  // namespace gordian
