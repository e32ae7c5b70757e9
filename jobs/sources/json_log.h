// Logs with one JSON object a line, read by a model's rules for its fields.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/sources/json_fields.h"
#include "jobs/sources/log_reader.h"
#include "jobs/sources/rule_actions.h"

namespace gordian {

class JsonLog : public LogReader {
 public:
  JsonLog(const LogRules& rules, LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  struct Condition {
    size_t field = 0;
    std::string text;            // the one that the value must be …
    std::unique_ptr<RE2> regex;  // … or what it must match; neither: the field must only be there
    bool compares() const { return !text.empty() || regex != nullptr; }
  };
  size_t Field(const std::string& name, LineVariables& variables);
  bool Holds(const Condition& condition) const;
  void TakeLine(std::string_view line);
  void TakeUnknown(std::string_view line);
  void CountMalformed(std::string_view line);
  std::string DescribeAlmost(size_t rule, std::string_view line) const;

  LogSinks& sinks_;
  const LogRules& log_;
  RuleActions actions_;
  std::vector<std::string> names_;
  std::vector<std::vector<Condition>> conditions_;  // by rule
  std::unique_ptr<JsonFields> fields_;
};

}  // namespace gordian
