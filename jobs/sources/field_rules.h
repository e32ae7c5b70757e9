// SPDX-License-Identifier: Apache-2.0
// A model's rules about named fields: of a line of JSON, of one with key=value pairs, or of an
// object in a JSON document.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "jobs/sources/log_reader.h"
#include "jobs/sources/rule_actions.h"

namespace gordian {

class FieldRules {
 public:
  FieldRules(const LogRules& rules, LogSinks& sinks);

  // Every field that some rule asks for.
  const std::vector<std::string>& names() const { return names_; }
  RuleActions& actions() { return actions_; }
  // By the index in names(); one that is not there has no data. It must stay valid until Apply.
  void Set(size_t field, std::string_view value) {
    actions_.values()[actions_.first_free_slot() + field] = value;
  }
  // What stands in the line instead of the field with that name: the end of a sentence that says
  // that it is not there. Asked only for examples.
  using DescribeField = absl::FunctionRef<std::string(const std::string& name)>;
  // Applies all rules whose conditions hold. Counts the line if there is none, or one lacks a part
  // that it needs.
  void ApplyToLine(DescribeField describe);
  // Likewise the rules with that `each`; that none holds is usual here, and does not count.
  void ApplyToObject(std::string_view each);

 private:
  struct Condition {
    size_t field = 0;
    std::string text;   // the one that the value must be …
    SharedRegex regex;  // … or what it must match; neither: the field must only be there
    bool compares() const { return !text.empty() || regex != nullptr; }
  };
  struct Rule {
    std::string each;
    std::vector<Condition> conditions;
  };
  size_t Field(const std::string& name, LineVariables& variables);
  bool Apply(std::string_view each, DescribeField describe);
  bool Holds(const Condition& condition) const;
  void CountUnknown(DescribeField describe);
  std::string DescribeAlmost(size_t rule, DescribeField describe) const;

  const LogRules& log_;
  RuleActions actions_;
  std::vector<std::string> names_;
  std::vector<Rule> rules_;
};

}  // namespace gordian
