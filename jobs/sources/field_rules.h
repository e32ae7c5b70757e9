// A model's rules about named fields: of a line of JSON, of one with key=value pairs, or of an
// object in a JSON document.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  // Applies all rules whose conditions hold. Counts the line if there is none, or one lacks a part
  // that it needs.
  void ApplyToLine();
  // Likewise the rules with that `each`; that none holds is usual here, and does not count.
  void ApplyToObject(std::string_view each);

 private:
  struct Condition {
    size_t field = 0;
    std::unique_ptr<RE2> regex;  // null: the field must only be there
  };
  struct Rule {
    std::string each;
    std::vector<Condition> conditions;
  };
  size_t Field(const std::string& name, LineVariables& variables);
  bool Apply(std::string_view each);
  bool Holds(const Condition& condition);

  RuleActions actions_;
  std::vector<std::string> names_;
  std::vector<Rule> rules_;
};

}  // namespace gordian
