// SPDX-License-Identifier: Apache-2.0
// ninja's .ninja_log, of version 5 on: a line for each finished command with its beginning and end
// in ms since the build began, the time stamp of its output, the output, and the command's hash.
//
// Only the last build counts. Builds follow each other in the file, and a build's lines stand in
// the order of their ends: where an end lies before the one above, another build begins. (When
// ninja shortens the file, older lines lose their order; the last build's are written after that.)
//
// The build's beginning on the wall clock is not in the file. But the time stamp is that of the
// command's beginning (since ninja 1.12) or that of its output, written as the command ended. So
// stamp minus beginning, or stamp minus end, is the same for nearly all lines: the one with the
// smaller spread is taken, and its median. Without it (no stamps, or copied files) the build begins
// in 1970, and ninja_log_without_clock counts.
//
// Each command gets a slot: the lowest number that no other running command has. The model's rules
// see a line "BEGIN END SLOT OUTPUT" for each command, times in ns since 1970; the first rule that
// matches applies. If the model has a resource `jobs`, the number of running commands becomes its
// use. It has no capacity: a command would not be faster if ninja ran more of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/sources/log_reader.h"
#include "jobs/sources/text_rules.h"

namespace gordian {

class NinjaLog : public LogReader {
 public:
  NinjaLog(const LogRules& rules, LogSinks& sinks)
      : sinks_(sinks), rules_(rules, sinks, /*first_only=*/true) {}
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  struct Command {
    uint64_t start_ms;
    uint64_t end_ms;
    uint64_t stamp_ns;  // 0: not told
    uint64_t hash;
    uint64_t line;  // in the file
    std::string output;
  };
  bool TakeLine(std::string_view line, uint64_t number);
  uint64_t FindOriginNs();
  void HandOver(uint64_t origin_ns);

  LogSinks& sinks_;
  TextRules rules_;
  std::vector<Command> commands_;  // of the newest build so far
};

}  // namespace gordian
