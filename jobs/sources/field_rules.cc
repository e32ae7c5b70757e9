#include "jobs/sources/field_rules.h"

#include <algorithm>

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

}  // namespace

FieldRules::FieldRules(const LogRules& rules, LogSinks& sinks) : actions_(rules, sinks) {
  LineVariables variables = actions_.shared_variables();
  for (const LogRule& rule : rules.rules) {
    for (const std::string& name : NamesIn(rule)) Field(name, variables);
    Rule& compiled = rules_.emplace_back();
    compiled.each = rule.each;
    for (const FieldCondition& condition : rule.when) {
      const size_t field = Field(condition.field, variables);
      compiled.conditions.push_back(
          {field, condition.pattern.empty()
                      ? nullptr
                      : std::make_unique<RE2>(condition.pattern, RE2::Quiet)});
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

bool FieldRules::Holds(const Condition& condition) {
  const std::string_view value = actions_.values()[actions_.first_free_slot() + condition.field];
  return value.data() != nullptr && (!condition.regex || RE2::FullMatch(value, *condition.regex));
}

void FieldRules::ApplyToLine() {
  if (!Apply({})) actions_.CountLine("log_lines_unknown");
}

void FieldRules::ApplyToObject(std::string_view each) { Apply(each); }

// False if no rule's conditions hold.
bool FieldRules::Apply(std::string_view each) {
  bool known = false, understood = true;
  for (size_t rule = 0; rule < rules_.size(); ++rule) {
    const std::vector<Condition>& conditions = rules_[rule].conditions;
    const bool holds = rules_[rule].each == each &&
                       std::all_of(conditions.begin(), conditions.end(),
                                   [this](const Condition& one) { return Holds(one); });
    if (!holds) continue;
    known = true;
    understood &= actions_.Apply(rule);
  }
  if (!understood) actions_.CountLine("log_lines_malformed");
  return known;
}

}  // namespace gordian
