// SPDX-License-Identifier: Apache-2.0
// A page on a real terminal, by ncurses, and the keys from there. Only what has changed since the
// page before is sent: some hundred bytes a second.
//
// The terminal gets its old contents and modes back at the end of the object, when a signal ends
// the program (also one of a fault), and while the program is stopped by Ctrl-Z.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "cli/top/screen_page.h"
#include "cli/top/top_state.h"

namespace gordian {

class TerminalScreen {
 public:
  // Takes the terminal that standard input and output are; there is one object at a time.
  // Unavailable if its kind is not known.
  static absl::StatusOr<std::unique_ptr<TerminalScreen>> Open(bool with_colours);
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  ScreenSize size() const;
  void Draw(const ScreenPage& page);

  // A key that was pressed; nothing if there is none. kOther, too, when the page must be drawn
  // again: the terminal has another size, or the program was stopped for a while.
  std::optional<TopKey> ReadKey();
  // Nobody can press a key any more.
  bool is_gone() const;

 private:
  TerminalScreen() = default;
};

}  // namespace gordian
