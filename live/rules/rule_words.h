// SPDX-License-Identifier: Apache-2.0
// A line of a rule file as words. Inner to the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

struct RuleWord {
  std::string text;
  bool is_quoted = false;

  bool Is(std::string_view word) const { return !is_quoted && text == word; }
};

// Words stand between blanks. "…" is one word, in which \" and \\ are a quote and a backslash. A #
// at the beginning of a word begins a comment. InvalidArgument: a quote has no end, or a control
// character.
absl::StatusOr<std::vector<RuleWord>> SplitRuleLine(std::string_view line);

}  // namespace gordian
