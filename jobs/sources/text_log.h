// Logs of text, read by a model's regular expressions.
#pragma once

#include <re2/re2.h>
#include <re2/set.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/sources/log_reader.h"
#include "jobs/sources/rule_actions.h"

namespace gordian {

class TextLog : public LogReader {
 public:
  TextLog(const LogRules& rules, LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  void TakeLine(std::string_view line);
  bool Apply(size_t rule, std::string_view line);

  LogSinks& sinks_;
  RuleActions actions_;
  std::vector<std::unique_ptr<RE2>> regexes_;
  RE2::Set all_;  // which of them match, in one pass over the line
  std::vector<int> matching_;
  std::vector<re2::StringPiece> groups_;
};

}  // namespace gordian
