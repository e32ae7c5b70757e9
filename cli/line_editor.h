// SPDX-License-Identifier: Apache-2.0
// Reads lines from a terminal, with editing, a history that is kept, and completion (libedit).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gordian {

// The place of a history: in $XDG_STATE_HOME/gordian, else in ~/.local/state/gordian. Empty if
// neither is known.
std::string HistoryFile(std::string_view name);

class LineEditor {
 public:
  // What may stand in place of the last word before the cursor; told the line up to there.
  using Complete = std::function<std::vector<std::string>(std::string_view line)>;

  // One at a time. Without a file the history is that of this run.
  LineEditor(const std::string& history_file, Complete complete);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome { kLine, kCancelled, kEnd };  // Ctrl-C, Ctrl-D
  // Ctrl-C is a key here and no signal.
  Outcome Read(const std::string& prompt, std::string& line);
  // A line of the history, from now on and in later runs.
  void Remember(const std::string& text);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Where the last word of a line begins: names are of letters, digits, _ and -, and may begin with a
// dot at the line's beginning.
size_t BeginOfLastWord(std::string_view line);

}  // namespace gordian
