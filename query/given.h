// SPDX-License-Identifier: Apache-2.0
// What a table function is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "query/table.h"

namespace gordian {

// Reads what a function is given by place, and remembers the first thing that is wrong.
class GivenValues {
 public:
  // `function` is its name, for errors.
  GivenValues(std::string_view function, const RowLimits& limits)
      : function_(function), limits_(limits) {}

  bool IsGiven(size_t place) const { return limits_.parameters[place].has_value(); }
  // A whole number that is not negative. `name` is the parameter's.
  uint64_t Number(size_t place, std::string_view name, uint64_t otherwise);
  // Which of these words.
  size_t Word(size_t place, std::string_view name, std::span<const std::string_view> words,
              size_t otherwise);
  std::string Text(size_t place) const { return limits_.parameters[place].value_or(""); }
  void Refuse(const std::string& why);

  const absl::Status& status() const { return status_; }
  // For SqlRows::Number: rows of other values have other numbers. At most 2^31 rows.
  uint64_t FirstNumber() const;

 private:
  std::string_view function_;
  const RowLimits& limits_;
  absl::Status status_;
};

}  // namespace gordian
