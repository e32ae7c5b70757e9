// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_line.h"

#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/terminal.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

std::string RecordedTime(const RecordingStatus& status) {
  std::string elapsed = FormatDuration(absl::ToInt64Nanoseconds(status.elapsed));
  if (status.pauses == 0) return elapsed;
  return absl::StrCat(FormatDuration(absl::ToInt64Nanoseconds(status.elapsed - status.paused)),
                      " of ", elapsed, " (", status.pauses,
                      status.pauses == 1 ? " pause keeps" : " pauses keep", " it to its --budget)");
}

std::string LostText(const RecordingStatus& status) {
  std::string text;
  if (status.lost > 0)
    text = absl::StrCat(FormatCount(status.lost),
                        " LOST (gordian dump --summary tells of what kind, and why)");
  if (status.not_written > 0)
    absl::StrAppend(&text, text.empty() ? "" : ", ", FormatCount(status.not_written),
                    " LOST (they could not be written)");
  return text.empty() ? "none lost" : text;
}

}  // namespace

RecordingLine::RecordingLine(bool has_command, bool quiet)
    : on_terminal_(!quiet && IsTerminal(STDERR_FILENO)),
      shown_(on_terminal_ && !(has_command && isatty(STDOUT_FILENO) == 1)) {}

void RecordingLine::Show(const RecordingStatus& status) {
  if (!shown_) return;
  Draw(absl::StrCat("recording ", RecordedTime(status), ": ", FormatCount(status.events),
                    " events, ", FormatSize(status.bytes_on_disk), ", ", FormatCount(status.lost),
                    " lost  (Ctrl-C ends it)"));
}

void RecordingLine::ShowEnding(bool leaves_names) {
  if (!on_terminal_) return;
  Draw(leaves_names ? "writing what is left  (Ctrl-C quits at once)"
                    : "writing what is left and naming code  (Ctrl-C leaves the names out)");
}

void RecordingLine::Clear() {
  if (drawn_) std::fputs(kEraseLine, stderr);
  drawn_ = false;
}

void RecordingLine::Draw(const std::string& line) {
  std::fprintf(stderr, "%s%s", kEraseLine, FitToTerminal(line, STDERR_FILENO).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

std::string SummaryLine(const RecordingStatus& status) {
  const double seconds = absl::ToDoubleSeconds(status.elapsed - status.paused);
  const double per_second = seconds > 0 ? static_cast<double>(status.events) / seconds : 0;
  const double bytes_per_event = status.events > 0 ? static_cast<double>(status.bytes_on_disk) /
                                                         static_cast<double>(status.events)
                                                   : 0;
  return absl::StrFormat("recorded %s: %s events (%s/s), %s (%.1f B/event), %s -> %s",
                         RecordedTime(status), FormatCount(status.events),
                         FormatCount(static_cast<uint64_t>(per_second)),
                         FormatSize(status.bytes_on_disk), bytes_per_event, LostText(status),
                         CleanText(status.directory));
}

}  // namespace gordian
