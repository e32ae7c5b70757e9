// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/text_log.h"

#include "trace/logs/log_lines.h"

namespace gordian {

absl::Status TextLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  rules_.actions().StartFile(name);
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    rules_.actions().StartLine(lines.line_number(), line);
    rules_.TakeLine(line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  return lines.status();
}

}  // namespace gordian
