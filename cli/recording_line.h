// SPDX-License-Identifier: Apache-2.0
// What a recording from the command line shows on stderr: a line of progress on a terminal, and its
// result in one line.
#pragma once

#include <string>

#include "recorder/recording/recording.h"

namespace gordian {

class RecordingLine {
 public:
  // A line that a command's own output would tear apart is not shown.
  RecordingLine(bool has_command, bool quiet);
  ~RecordingLine() { Clear(); }
  RecordingLine(const RecordingLine&) = delete;
  RecordingLine& operator=(const RecordingLine&) = delete;

  void Show(const RecordingStatus& status);
  // While the rest is written. The command is silent by now.
  void ShowEnding(bool leaves_names);
  void Clear();

 private:
  void Draw(const std::string& line);

  const bool on_terminal_;
  const bool shown_;
  bool drawn_ = false;
};

std::string SummaryLine(const RecordingStatus& status);

}  // namespace gordian
