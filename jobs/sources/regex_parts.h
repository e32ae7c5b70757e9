// SPDX-License-Identifier: Apache-2.0
// A regular expression of a rule, cut into the parts that follow each other in every match.
//
// Two uses: a line without the fixed text of a rule need not be matched, and a line that has it all
// but does not match can be told apart at the first part that does not fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gordian {

struct RegexPart {
  std::string source;   // as it stands in the expression
  std::string literal;  // the text it means, where it means just one
  std::string group;    // the first named group in it
};

// All parts, in order. None if the expression has alternatives, flags or escapes that are not
// worth to be understood here: nothing is known of its matches then.
std::vector<RegexPart> SplitRegex(std::string_view regex);

}  // namespace gordian
