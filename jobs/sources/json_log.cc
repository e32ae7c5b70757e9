#include "jobs/sources/json_log.h"

#include <algorithm>

#include "jobs/logs/log_lines.h"

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

JsonLog::JsonLog(const LogRules& rules, LogSinks& sinks) : sinks_(sinks), actions_(rules, sinks) {
  LineVariables variables = actions_.shared_variables();
  for (const LogRule& rule : rules.rules) {
    for (const std::string& name : NamesIn(rule)) Field(name, variables);
    std::vector<Condition>& conditions = conditions_.emplace_back();
    for (const FieldCondition& condition : rule.when) {
      const size_t field = Field(condition.field, variables);
      conditions.push_back({field, condition.pattern.empty()
                                       ? nullptr
                                       : std::make_unique<RE2>(condition.pattern, RE2::Quiet)});
    }
  }
  for (const LogRule& rule : rules.rules) actions_.Add(rule, variables);
  actions_.values().resize(
      std::max(actions_.values().size(), actions_.first_free_slot() + names_.size()));
  fields_ = std::make_unique<JsonFields>(names_);
}

size_t JsonLog::Field(const std::string& name, LineVariables& variables) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto index = static_cast<size_t>(found - names_.begin());
  if (found == names_.end()) names_.push_back(name);
  variables.try_emplace(name, actions_.first_free_slot() + index);
  return index;
}

bool JsonLog::Holds(const Condition& condition) const {
  const std::string* value = fields_->Get(condition.field);
  return value != nullptr && (!condition.regex || RE2::FullMatch(*value, *condition.regex));
}

void JsonLog::TakeLine(std::string_view line) {
  if (!fields_->Read(line)) return actions_.CountLine("log_lines_malformed");
  for (size_t i = 0; i < names_.size(); ++i) {
    const std::string* value = fields_->Get(i);
    actions_.values()[actions_.first_free_slot() + i] =
        value != nullptr ? std::string_view(*value) : std::string_view();
  }
  bool known = false, understood = true;
  for (size_t rule = 0; rule < conditions_.size(); ++rule) {
    const bool holds = std::all_of(conditions_[rule].begin(), conditions_[rule].end(),
                                   [this](const Condition& one) { return Holds(one); });
    if (!holds) continue;
    known = true;
    understood &= actions_.Apply(rule);
  }
  if (!known) actions_.CountLine("log_lines_unknown");
  if (!understood) actions_.CountLine("log_lines_malformed");
}

absl::Status JsonLog::Read(LogBytes& bytes, const std::string& name) {
  LogLines lines(bytes);
  actions_.StartFile(name);
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    actions_.StartLine(lines.line_number(), line);
    if (line.find_first_not_of(" \t") != std::string_view::npos) TakeLine(line);
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  return lines.status();
}

}  // namespace gordian
