// SPDX-License-Identifier: Apache-2.0
// Runs the project's programs as a person or an init system would, for tests.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gordian {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal if one ended it
  std::string output;  // stdout
  std::string errors;  // stderr
};

// Runs `words` (the first is the program's path) to its end. With `uid`, as that user, whose only
// group is 65534, and with these capabilities (linux/capability.h); the program need not be where
// that user may go.
ProgramResult RunProgram(const std::vector<std::string>& words,
                         std::optional<uid_t> uid = std::nullopt,
                         const std::vector<int>& capabilities = {});

// A program that runs beside the test; it is killed with the object, at the latest.
class BackgroundProgram {
 public:
  // `environment`: NAME=VALUE, added to the test's own. Its stderr goes to the file `errors_path`.
  BackgroundProgram(const std::vector<std::string>& words,
                    const std::vector<std::string>& environment, const std::string& errors_path);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  // The exit code once it has ended by itself.
  std::optional<int> Ended();
  // Sends `signal` and waits for the end, if it still runs; the exit code as in ProgramResult.
  int End(int signal);
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;  // -1 once it has ended
  int exit_code_ = -1;
};

}  // namespace gordian
