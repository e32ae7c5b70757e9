// SPDX-License-Identifier: Apache-2.0
// Logs of text, read by a model's regular expressions.
#pragma once

#include "jobs/sources/log_reader.h"
#include "jobs/sources/text_rules.h"

namespace gordian {

class TextLog : public LogReader {
 public:
  TextLog(const LogRules& rules, LogSinks& sinks) : sinks_(sinks), rules_(rules, sinks) {}
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  LogSinks& sinks_;
  TextRules rules_;
};

}  // namespace gordian
