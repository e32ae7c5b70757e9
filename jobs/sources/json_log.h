// SPDX-License-Identifier: Apache-2.0
// Logs with one JSON object a line, read by a model's rules for its fields.
#pragma once

#include <string_view>

#include "jobs/sources/field_rules.h"
#include "jobs/sources/log_reader.h"
#include "trace/logs/json_fields.h"

namespace gordian {

class JsonLog : public LogReader {
 public:
  JsonLog(const LogRules& rules, LogSinks& sinks)
      : sinks_(sinks), rules_(rules, sinks), fields_(rules_.names()) {}
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  void TakeLine(std::string_view line);

  LogSinks& sinks_;
  FieldRules rules_;
  JsonFields fields_;
};

}  // namespace gordian
