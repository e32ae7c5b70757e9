// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/pairs_log.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

bool PartsPairs(char letter) { return letter == ' ' || letter == '\t' || letter == ','; }

// Where the quoted text that begins at `open` ends: behind its closing quote, or at the line's end.
size_t EndOfQuoted(std::string_view line, size_t open) {
  for (size_t at = open + 1; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      return at + 1;
    }
  }
  return line.size();
}

}  // namespace

PairsLog::PairsLog(const LogRules& rules, LogSinks& sinks)
    : sinks_(sinks), rules_(rules, sinks), unquoted_(rules_.names().size()) {
  for (size_t field = 0; field < rules_.names().size(); ++field)
    fields_.emplace(rules_.names()[field], field);
}

// A key that comes again counts as the last one says.
void PairsLog::Take(std::string_view key, std::string_view value, bool quoted) {
  const auto found = fields_.find(absl::string_view(key.data(), key.size()));
  if (found == fields_.end()) return;
  if (!quoted) return rules_.Set(found->second, value);
  std::string& text = unquoted_[found->second];
  text.clear();
  for (size_t at = 1; at < value.size() && value[at] != '"'; ++at) {
    if (value[at] == '\\' && at + 1 < value.size()) ++at;
    text += value[at];
  }
  rules_.Set(found->second, text);
}

// Ends: each turn goes at least one byte on.
void PairsLog::TakeLine(std::string_view line) {
  for (size_t field = 0; field < rules_.names().size(); ++field) rules_.Set(field, {});
  size_t at = 0;
  while (at < line.size()) {
    size_t end = at;
    while (end < line.size() && !PartsPairs(line[end]) && line[end] != '=') ++end;
    if (end >= line.size() || line[end] != '=' || end == at) {
      at = end + 1;
      continue;
    }
    const std::string_view key = line.substr(at, end - at);
    const size_t value = end + 1;
    const bool quoted = value < line.size() && line[value] == '"';
    end = quoted ? EndOfQuoted(line, value) : value;
    while (!quoted && end < line.size() && !PartsPairs(line[end])) ++end;
    Take(key, line.substr(value, end - value), quoted);
    at = end + 1;
  }
  rules_.ApplyToLine([](const std::string&) { return std::string(); });
}

absl::Status PairsLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  rules_.actions().StartFile(name);
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    rules_.actions().StartLine(lines.line_number(), line);
    if (!line.empty()) TakeLine(line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  return lines.status();
}

}  // namespace gordian
