// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/field_rules.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// Every name that a rule's templates mention.
std::vector<std::string> NamesIn(const LogRule& rule) {
  std::vector<std::string> names;
  const auto add = [&](const TextTemplate& text) {
    for (const TextTemplate::Part& part : text.parts) {
      if (part.variable) names.push_back(part.text);
    }
  };
  for (const TextTemplate& key : rule.path.keys) add(key);
  for (const TextTemplate* text :
       {&rule.path.from_log, &rule.resource, &rule.time, &rule.start_time, &rule.end_time,
        &rule.duration, &rule.value, &rule.capacity, &rule.instance, &rule.node, &rule.pid,
        &rule.tid})
    add(*text);
  return names;
}

// An expression of plain letters means itself: it can be compared.
bool IsPlainText(std::string_view pattern) {
  return !pattern.empty() && std::all_of(pattern.begin(), pattern.end(), [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= 'a' && letter <= 'z') || letter == '_' || letter == '-' || letter == ' ';
  });
}

}  // namespace

FieldRules::FieldRules(const LogRules& rules, LogSinks& sinks)
    : log_(rules), actions_(rules, sinks) {
  LineVariables variables = actions_.shared_variables();
  for (const LogRule& rule : rules.rules) {
    for (const std::string& name : NamesIn(rule)) Field(name, variables);
    Rule& compiled = rules_.emplace_back();
    compiled.each = rule.each;
    for (const FieldCondition& condition : rule.when) {
      Condition& one = compiled.conditions.emplace_back();
      one.field = Field(condition.field, variables);
      if (IsPlainText(condition.pattern)) {
        one.text = condition.pattern;
      } else if (!condition.pattern.empty()) {
        one.regex = condition.regex;
        if (!one.regex) one.regex = std::make_shared<const RE2>(condition.pattern, RE2::Quiet);
      }
    }
  }
  for (const LogRule& rule : rules.rules) actions_.Add(rule, variables);
  actions_.values().resize(
      std::max(actions_.values().size(), actions_.first_free_slot() + names_.size()));
}

size_t FieldRules::Field(const std::string& name, LineVariables& variables) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto index = static_cast<size_t>(found - names_.begin());
  if (found == names_.end()) names_.push_back(name);
  variables.try_emplace(name, actions_.first_free_slot() + index);
  return index;
}

bool FieldRules::Holds(const Condition& condition) const {
  const std::string_view value = actions_.values()[actions_.first_free_slot() + condition.field];
  if (value.data() == nullptr) return false;
  if (!condition.text.empty()) return value == condition.text;
  return !condition.regex ||
         RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *condition.regex);
}

void FieldRules::ApplyToLine(DescribeField describe) {
  if (!Apply({}, describe)) CountUnknown(describe);
}

void FieldRules::ApplyToObject(std::string_view each) {
  Apply(each, [](const std::string&) { return std::string(); });
}

// False if no rule's conditions hold.
bool FieldRules::Apply(std::string_view each, DescribeField describe) {
  bool known = false, understood = true;
  for (size_t rule = 0; rule < rules_.size(); ++rule) {
    const std::vector<Condition>& conditions = rules_[rule].conditions;
    const bool holds = rules_[rule].each == each &&
                       std::all_of(conditions.begin(), conditions.end(),
                                   [this](const Condition& one) { return Holds(one); });
    if (!holds) continue;
    known = true;
    if (actions_.Apply(rule)) continue;
    if (understood) {
      actions_.CountMalformed([&] {
        const std::string missing(actions_.MissingIn(actions_.fault()));
        std::string what = actions_.Describe(actions_.fault());
        if (!missing.empty()) what += describe(missing);
        return what;
      });
    }
    understood = false;
  }
  return known;
}

// Of the rules whose compared fields are all as they should be, and of which only others are not
// there, the one that lacks fewest almost fits.
void FieldRules::CountUnknown(DescribeField describe) {
  actions_.CountLine("log_lines_unknown");
  size_t best = rules_.size(), fewest = SIZE_MAX;
  for (size_t rule = 0; rule < rules_.size(); ++rule) {
    if (!rules_[rule].each.empty()) continue;
    size_t compared = 0, missing = 0;
    bool fits = true;
    for (const Condition& condition : rules_[rule].conditions) {
      const bool holds = Holds(condition);
      if (condition.compares()) {
        fits &= holds;
        ++compared;
      } else if (!holds) {
        ++missing;
      }
    }
    if (!fits || compared == 0 || missing == 0 || missing >= fewest) continue;
    best = rule;
    fewest = missing;
  }
  if (best == rules_.size()) return;
  actions_.CountFault("log_lines_almost_fit", best, [&] { return DescribeAlmost(best, describe); });
}

std::string FieldRules::DescribeAlmost(size_t rule, DescribeField describe) const {
  std::string what = absl::StrCat("the model's line ", log_.rules[rule].line, ": ");
  bool first = true;
  for (const Condition& condition : rules_[rule].conditions) {
    if (Holds(condition)) continue;
    const std::string& name = names_[condition.field];
    absl::StrAppend(&what, first ? "there is no " : ", and no ", name, describe(name));
    first = false;
  }
  return what;
}

}  // namespace gordian
