// SPDX-License-Identifier: Apache-2.0
#include "live/rules/rule_words.h"

#include <utility>

#include "absl/status/status.h"

namespace gordian {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// The rest of a quoted word; `at` is behind its first quote, and then behind its last.
absl::StatusOr<std::string> ReadQuoted(std::string_view line, size_t& at) {
  std::string text;
  while (at < line.size() && line[at] != '"') {
    if (line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '"' || line[at + 1] == '\\'))
      ++at;
    text += line[at++];
  }
  if (at == line.size()) return absl::InvalidArgumentError("a \" has no end");
  ++at;
  return text;
}

}  // namespace

absl::StatusOr<std::vector<RuleWord>> SplitRuleLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (const char c : line)
    if (static_cast<unsigned char>(c) < ' ' && c != '\t')
      return absl::InvalidArgumentError("a control character stands in the line");
  std::vector<RuleWord> words;
  size_t at = 0;
  while (true) {
    while (at < line.size() && IsBlank(line[at])) ++at;
    if (at == line.size() || line[at] == '#') return words;
    if (line[at] == '"') {
      ++at;
      auto text = ReadQuoted(line, at);
      if (!text.ok()) return text.status();
      if (at < line.size() && !IsBlank(line[at]))
        return absl::InvalidArgumentError("a blank must follow the \" that ends a word");
      words.push_back({.text = *std::move(text), .is_quoted = true});
      continue;
    }
    const size_t begin = at;
    while (at < line.size() && !IsBlank(line[at])) ++at;
    words.push_back({.text = std::string(line.substr(begin, at - begin))});
  }
}

}  // namespace gordian
