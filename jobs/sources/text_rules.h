// SPDX-License-Identifier: Apache-2.0
// A model's regular expressions, applied to lines.
//
// Most lines of a log tell of no phase, and matching is dear. So a line is only matched by the
// expressions whose longest fixed text it has. Those without any are asked all at once.
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/sources/literal_finder.h"
#include "jobs/sources/log_reader.h"
#include "jobs/sources/regex_parts.h"
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
  // One for all rules that have the same expression.
  struct Expression {
    SharedRegex regex;
    std::vector<RegexPart> parts;
    size_t fixed_bytes = 0;     // of the parts that are literals, without blanks
    std::vector<size_t> rules;  // ascending
  };
  size_t AddExpression(const LogRule& rule);
  void FindCandidates(std::string_view line);
  bool Match(size_t expression, std::string_view line);
  const Expression* AlmostFitting(std::string_view line) const;
  std::string DescribeAlmost(const Expression& expression, std::string_view line) const;

  LogSinks& sinks_;
  RuleActions actions_;
  const LogRules& log_;
  bool first_only_;
  std::vector<Expression> expressions_;
  std::vector<size_t> expression_of_rule_;
  std::optional<LiteralFinder> finder_;
  std::vector<std::vector<size_t>> expressions_with_;  // by text of the finder
  RE2::Set others_;                                    // those without a fixed text
  std::vector<size_t> others_numbers_;
  bool others_fit_in_memory_ = true;

  std::vector<int> matching_others_;
  std::vector<size_t> candidates_;  // expressions
  std::vector<size_t> rules_;       // of those that match
  std::vector<re2::StringPiece> groups_;
};

}  // namespace gordian
