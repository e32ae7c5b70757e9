// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/json_log.h"

#include "jobs/sources/json_description.h"
#include "trace/logs/log_lines.h"

namespace gordian {

void JsonLog::TakeLine(std::string_view line) {
  if (!fields_.Read(line))
    return rules_.actions().CountLine("log_lines_malformed", "no JSON object: ");
  for (size_t i = 0; i < rules_.names().size(); ++i) rules_.Set(i, fields_.Get(i));
  rules_.ApplyToLine([line](const std::string& name) { return DescribeJsonField(line, name); });
}

absl::Status JsonLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  rules_.actions().StartFile(name);
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    rules_.actions().StartLine(lines.line_number(), line);
    if (line.find_first_not_of(" \t") != std::string_view::npos) TakeLine(line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  return lines.status();
}

}  // namespace gordian
