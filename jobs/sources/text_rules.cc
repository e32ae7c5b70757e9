// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/text_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The longest fixed text; empty without one.
std::string_view LongestLiteral(const std::vector<RegexPart>& parts) {
  std::string_view longest;
  for (const RegexPart& part : parts) {
    if (part.literal.size() > longest.size()) longest = part.literal;
  }
  return longest;
}

// Blanks around the fixed texts may lack: they often go with the field beside them.
bool HasFixedTexts(const std::vector<RegexPart>& parts, std::string_view line) {
  size_t at = 0;
  for (const RegexPart& part : parts) {
    const std::string_view text = WithoutBlanks(part.literal);
    if (text.empty()) continue;
    const size_t found = line.find(text, at);
    if (found == std::string_view::npos) return false;
    at = found + text.size();
  }
  return true;
}

}  // namespace

TextRules::TextRules(const LogRules& rules, LogSinks& sinks, bool first_only)
    : sinks_(sinks),
      actions_(rules, sinks),
      log_(rules),
      first_only_(first_only),
      others_(RE2::Quiet, RE2::UNANCHORED) {
  for (size_t i = 0; i < rules.rules.size(); ++i) {
    const LogRule& rule = rules.rules[i];
    const size_t expression = AddExpression(rule);
    expressions_[expression].rules.push_back(i);
    expression_of_rule_.push_back(expression);
    const RE2& regex = *expressions_[expression].regex;
    LineVariables variables = actions_.shared_variables();
    for (const auto& [name, group] : regex.NamedCapturingGroups())
      variables[name] = actions_.first_free_slot() + static_cast<size_t>(group);
    actions_.Add(rule, variables);
    const auto groups = static_cast<size_t>(regex.NumberOfCapturingGroups()) + 1;
    groups_.resize(std::max(groups_.size(), groups));
  }
  actions_.values().resize(
      std::max(actions_.values().size(), actions_.first_free_slot() + groups_.size()));

  std::vector<std::string> literals;
  for (size_t i = 0; i < expressions_.size(); ++i) {
    const std::string_view literal = LongestLiteral(expressions_[i].parts);
    if (literal.empty()) {
      others_.Add(Piece(rules.rules[expressions_[i].rules.front()].match), nullptr);
      others_numbers_.push_back(i);
      continue;
    }
    const auto known = std::find(literals.begin(), literals.end(), literal);
    const auto number = static_cast<size_t>(known - literals.begin());
    if (known == literals.end()) {
      literals.emplace_back(literal);
      expressions_with_.emplace_back();
    }
    expressions_with_[number].push_back(i);
  }
  finder_.emplace(literals);
  others_fit_in_memory_ = others_.Compile();
}

size_t TextRules::AddExpression(const LogRule& rule) {
  const std::string& source = rule.match;
  for (size_t i = 0; i < expressions_.size(); ++i) {
    if (expressions_[i].regex->pattern() == source) return i;
  }
  SharedRegex regex = rule.match_regex;
  if (!regex) regex = std::make_shared<const RE2>(source, RE2::Quiet);  // a model made by hand
  Expression expression{std::move(regex), SplitRegex(source), 0, {}};
  for (const RegexPart& part : expression.parts)
    expression.fixed_bytes += static_cast<size_t>(
        std::count_if(part.literal.begin(), part.literal.end(), [](char c) { return c != ' '; }));
  expressions_.push_back(std::move(expression));
  return expressions_.size() - 1;
}

// Those that may match.
void TextRules::FindCandidates(std::string_view line) {
  candidates_.clear();
  for (const uint32_t literal : finder_->Find(line)) {
    candidates_.insert(candidates_.end(), expressions_with_[literal].begin(),
                       expressions_with_[literal].end());
  }
  if (others_numbers_.empty()) return;
  matching_others_.clear();
  RE2::Set::ErrorInfo error{};
  const bool asked =
      others_fit_in_memory_ &&
      (others_.Match(Piece(line), &matching_others_, &error) || error.kind == RE2::Set::kNoError);
  if (asked) {
    for (const int match : matching_others_)
      candidates_.push_back(others_numbers_[static_cast<size_t>(match)]);
  } else {
    candidates_.insert(candidates_.end(), others_numbers_.begin(), others_numbers_.end());
  }
}

// Leaves the groups' texts in the line's values.
bool TextRules::Match(size_t expression, std::string_view line) {
  const RE2& regex = *expressions_[expression].regex;
  const int groups = regex.NumberOfCapturingGroups() + 1;
  if (!regex.Match(Piece(line), 0, line.size(), RE2::UNANCHORED, groups_.data(), groups))
    return false;
  for (int group = 0; group < groups; ++group) {
    const re2::StringPiece& text = groups_[static_cast<size_t>(group)];
    actions_.values()[actions_.first_free_slot() + static_cast<size_t>(group)] =
        std::string_view(text.data(), text.size());
  }
  return true;
}

void TextRules::TakeLine(std::string_view line) {
  FindCandidates(line);
  rules_.clear();
  for (const size_t expression : candidates_) {
    const std::vector<size_t>& rules = expressions_[expression].rules;
    rules_.insert(rules_.end(), rules.begin(), rules.end());
  }
  std::sort(rules_.begin(), rules_.end());
  size_t matched = expressions_.size();  // whose groups the values hold
  size_t failed = expressions_.size();
  bool known = false, understood = true;
  for (const size_t rule : rules_) {
    const size_t expression = expression_of_rule_[rule];
    if (expression == failed) continue;
    if (expression != matched) {
      matched = expressions_.size();
      if (!Match(expression, line)) {
        failed = expression;
        continue;
      }
      matched = expression;
    }
    if (known && first_only_) break;
    known = true;
    if (actions_.Apply(rule)) continue;
    if (understood) actions_.CountMalformed([this] { return actions_.Describe(actions_.fault()); });
    understood = false;
  }
  if (known || line.empty()) return;
  actions_.CountLine("log_lines_unknown");
  if (const Expression* almost = AlmostFitting(line)) {
    actions_.CountFault("log_lines_almost_fit", almost->rules.front(),
                        [&] { return DescribeAlmost(*almost, line); });
  }
}

// Of the expressions whose fixed text is in the line, the one with most of it.
const TextRules::Expression* TextRules::AlmostFitting(std::string_view line) const {
  const Expression* best = nullptr;
  for (const size_t candidate : candidates_) {
    const Expression& expression = expressions_[candidate];
    if (expression.fixed_bytes < sinks_.thresholds.fixed_bytes_of_a_rule ||
        (best != nullptr && best->fixed_bytes >= expression.fixed_bytes))
      continue;
    if (HasFixedTexts(expression.parts, line)) best = &expression;
  }
  return best;
}

// By the longest beginning of the expression that the line has: what follows is what it lacks. A
// line that has a beginning has all shorter ones, so it is found by halving. The beginnings'
// expressions are made for each example: there are few.
std::string TextRules::DescribeAlmost(const Expression& expression, std::string_view line) const {
  const std::vector<RegexPart>& parts = expression.parts;
  size_t fitting = 0;
  std::string_view rest = line;
  for (size_t lacking = parts.size() + 1; fitting + 1 < lacking;) {
    const size_t count = fitting + (lacking - fitting) / 2;
    std::string beginning;
    for (size_t i = 0; i < count; ++i) beginning += parts[i].source;
    re2::StringPiece match;
    const RE2 regex(beginning, RE2::Quiet);
    if (!regex.ok() || !regex.Match(Piece(line), 0, line.size(), RE2::UNANCHORED, &match, 1)) {
      lacking = count;
      continue;
    }
    fitting = count;
    rest = line.substr(static_cast<size_t>(match.data() + match.size() - line.data()));
  }
  std::string expected, group;
  for (size_t i = fitting; i < parts.size() && group.empty(); ++i) {
    expected += parts[i].source;
    group = parts[i].group;
  }
  const std::string found = rest.empty() ? "its end" : absl::StrCat("'", ShortText(rest), "'");
  return absl::StrCat("the model's line ", log_.rules[expression.rules.front()].line, ": ",
                      group.empty() ? "the end of match" : absl::StrCat("group ", group), ": '",
                      expected, "' is expected behind the line's first ", line.size() - rest.size(),
                      " letters, where ", found, " is");
}

}  // namespace gordian
