// SPDX-License-Identifier: Apache-2.0
// A line on the terminal for work that turns out to take long; silent for the first two seconds and
// in scripts.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace gordian {

class SlowProgress {
 public:
  // `what`: "reading", "importing".
  explicit SlowProgress(std::string what, bool quiet = false);
  ~SlowProgress();  // takes the line away
  SlowProgress(const SlowProgress&) = delete;
  SlowProgress& operator=(const SlowProgress&) = delete;

  // Cheap enough for every block. `total` 0: not known, then only `done` is shown.
  void Show(uint64_t done_bytes, uint64_t total_bytes);
  // For work that is not counted in bytes: the done part, of one.
  void ShowShare(double share);
  // … that is counted in something else: what is being done.
  void ShowDoing(const std::string& what);
  // A line that stays; only on a terminal.
  void Say(const std::string& line);

 private:
  bool IsTime();
  static void Draw(const std::string& text);

  std::string what_;
  bool on_terminal_;
  bool shown_ = false;
  absl::Time next_;
};

}  // namespace gordian
