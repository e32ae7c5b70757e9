#include "jobs/sources/json_log.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "jobs/logs/log_lines.h"
#include "jobs/sources/json_description.h"

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

JsonLog::JsonLog(const LogRules& rules, LogSinks& sinks)
    : sinks_(sinks), log_(rules), actions_(rules, sinks) {
  LineVariables variables = actions_.shared_variables();
  for (const LogRule& rule : rules.rules) {
    for (const std::string& name : NamesIn(rule)) Field(name, variables);
    std::vector<Condition>& conditions = conditions_.emplace_back();
    for (const FieldCondition& condition : rule.when) {
      Condition& compiled = conditions.emplace_back();
      compiled.field = Field(condition.field, variables);
      if (IsPlainText(condition.pattern)) {
        compiled.text = condition.pattern;
      } else if (!condition.pattern.empty()) {
        compiled.regex = std::make_unique<RE2>(condition.pattern, RE2::Quiet);
      }
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
  const std::string_view value = fields_->Get(condition.field);
  if (value.data() == nullptr) return false;
  if (!condition.text.empty()) return value == condition.text;
  return !condition.regex ||
         RE2::FullMatch(re2::StringPiece(value.data(), value.size()), *condition.regex);
}

void JsonLog::TakeLine(std::string_view line) {
  if (!fields_->Read(line)) return actions_.CountLine("log_lines_malformed", "no JSON object: ");
  for (size_t i = 0; i < names_.size(); ++i)
    actions_.values()[actions_.first_free_slot() + i] = fields_->Get(i);
  bool known = false, understood = true;
  for (size_t rule = 0; rule < conditions_.size(); ++rule) {
    const bool holds = std::all_of(conditions_[rule].begin(), conditions_[rule].end(),
                                   [this](const Condition& one) { return Holds(one); });
    if (!holds) continue;
    known = true;
    if (actions_.Apply(rule)) continue;
    if (understood) CountMalformed(line);
    understood = false;
  }
  if (!known) TakeUnknown(line);
}

void JsonLog::CountMalformed(std::string_view line) {
  actions_.CountMalformed([&] {
    const std::string missing(actions_.MissingIn(actions_.fault()));
    std::string what = actions_.Describe(actions_.fault());
    if (!missing.empty()) what += DescribeJsonField(line, missing);
    return what;
  });
}

// Of the rules whose compared fields are all as they should be, and of which only others are not
// there, the one that lacks fewest almost fits.
void JsonLog::TakeUnknown(std::string_view line) {
  actions_.CountLine("log_lines_unknown");
  size_t best = conditions_.size(), fewest = SIZE_MAX;
  for (size_t rule = 0; rule < conditions_.size(); ++rule) {
    size_t compared = 0, missing = 0;
    bool fits = true;
    for (const Condition& condition : conditions_[rule]) {
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
  if (best == conditions_.size()) return;
  actions_.CountFault("log_lines_almost_fit", best, [&] { return DescribeAlmost(best, line); });
}

std::string JsonLog::DescribeAlmost(size_t rule, std::string_view line) const {
  std::string what = absl::StrCat("the model's line ", log_.rules[rule].line, ": ");
  bool first = true;
  for (const Condition& condition : conditions_[rule]) {
    if (Holds(condition)) continue;
    const std::string& name = names_[condition.field];
    absl::StrAppend(&what, first ? "there is no " : ", and no ", name,
                    DescribeJsonField(line, name));
    first = false;
  }
  return what;
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
