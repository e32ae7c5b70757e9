// A model's regular expressions, applied to lines.
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <memory>
#include <string_view>
#include <vector>

#include "jobs/sources/log_reader.h"
#include "jobs/sources/rule_actions.h"

namespace gordian {

class TextRules {
 public:
  // `first_only`: of the rules that match a line only the first applies.
  TextRules(const LogRules& rules, LogSinks& sinks, bool first_only = false);

  RuleActions& actions() { return actions_; }
  // `line` is the one of the last actions().StartLine.
  void TakeLine(std::string_view line);

 private:
  bool Apply(size_t rule, std::string_view line);

  RuleActions actions_;
  bool first_only_;
  std::vector<std::unique_ptr<RE2>> regexes_;
  RE2::Set all_;  // which of them match, in one pass over the line
  std::vector<int> matching_;
  std::vector<re2::StringPiece> groups_;
};

}  // namespace gordian
