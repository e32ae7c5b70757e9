#include "cli/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gordian {
namespace {

constexpr std::chrono::seconds kSilence(2);
constexpr std::chrono::milliseconds kInterval(200);
constexpr const char* kEraseLine = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kSilence) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs(kEraseLine, stderr);
}

void ProgressLine::Show(double share) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::fprintf(stderr, "%s%s: %.0f %%  (Ctrl-C gives up)", kEraseLine, what_.c_str(),
               100 * std::clamp(share, 0.0, 1.0));
  std::fflush(stderr);
}

}  // namespace gordian
