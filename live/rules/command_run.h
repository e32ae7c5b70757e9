// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end, in bounded time. No shell reads its words.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gordian {

struct CommandRun {
  std::vector<std::string> words;        // the program first; looked for in PATH
  std::vector<std::string> environment;  // NAME=VALUE, besides our own
  std::string input;                     // its stdin
  std::chrono::nanoseconds limit{};      // then it and its process group are ended
  bool is_silent = false;                // its output goes nowhere; else all of it to our stderr
};

// Returns when it has ended. `stop_fd`: ends it once it can be read (-1: never). Of our descriptors
// it gets none. It begins with no signal blocked or ignored.
//
// NotFound, PermissionDenied: it cannot be run. DeadlineExceeded: the limit was reached. Cancelled:
// `stop_fd`. Aborted: it ended with an exit code but 0, or by a signal.
absl::Status RunToItsEnd(const CommandRun& run, int stop_fd);

}  // namespace gordian
