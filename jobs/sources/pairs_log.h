// SPDX-License-Identifier: Apache-2.0
// Logs whose lines hold key=value pairs, with blanks or commas between them, and maybe other text
// before, between and behind them: time=… level=info msg="a text" step=3. Read by a model's rules
// for these fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/sources/field_rules.h"
#include "jobs/sources/log_reader.h"

namespace gordian {

class PairsLog : public LogReader {
 public:
  PairsLog(const LogRules& rules, LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  void TakeLine(std::string_view line);
  void Take(std::string_view key, std::string_view value, bool quoted);

  LogSinks& sinks_;
  FieldRules rules_;
  absl::flat_hash_map<std::string, size_t> fields_;
  std::vector<std::string> unquoted_;  // by field: values that had quotes
};

}  // namespace gordian
