// SPDX-License-Identifier: Apache-2.0
#include "cli/slow_progress.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "absl/time/clock.h"
#include "cli/terminal.h"
#include "fmt/format.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr absl::Duration kSilence = absl::Seconds(2);
constexpr absl::Duration kInterval = absl::Milliseconds(200);

}  // namespace

SlowProgress::SlowProgress(std::string what, bool quiet)
    : what_(std::move(what)),
      on_terminal_(!quiet && IsTerminal(STDERR_FILENO)),
      next_(absl::Now() + kSilence) {}

SlowProgress::~SlowProgress() {
  if (shown_) std::cerr << kEraseLine << std::flush;
}

bool SlowProgress::IsTime() {
  if (!on_terminal_) return false;
  const absl::Time now = absl::Now();
  if (now < next_) return false;
  next_ = now + kInterval;
  shown_ = true;
  return true;
}

void SlowProgress::Draw(const std::string& text) {
  std::cerr << kEraseLine << FitToTerminal(text, STDERR_FILENO) << std::flush;
}

void SlowProgress::Say(const std::string& line) {
  if (on_terminal_) std::cerr << kEraseLine << line << std::endl;
}

void SlowProgress::ShowShare(double share) {
  if (IsTime()) Draw(what_ + fmt::format(": {:.0f} %", 100 * std::clamp(share, 0.0, 1.0)));
}

void SlowProgress::ShowDoing(const std::string& what) {
  if (IsTime()) Draw(what_ + " " + what);
}

void SlowProgress::Show(uint64_t done_bytes, uint64_t total_bytes) {
  if (!IsTime()) return;
  std::string text = what_ + ": " + FormatSize(done_bytes);
  if (total_bytes > 0) {
    text += fmt::format(" of {} ({} %)", FormatSize(total_bytes),
                        std::min<uint64_t>(100, done_bytes * 100 / total_bytes));
  }
  Draw(text);
}

}  // namespace gordian
