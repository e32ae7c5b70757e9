// SPDX-License-Identifier: Apache-2.0
// One line of CSV, cut into fields (RFC 4180 without line breaks inside quotes), and the values of
// fields.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace gordian {

class CsvFields {
 public:
  static constexpr size_t kMaxFields = 8;

  // The fields refer to `line`, which must outlive them.
  absl::Status Split(std::string_view line);

  size_t size() const { return size_; }
  std::string_view operator[](size_t index) const { return fields_[index]; }

 private:
  absl::Status AddQuoted(std::string_view& rest);

  std::array<std::string_view, kMaxFields> fields_;
  size_t size_ = 0;
  std::deque<std::string> unquoted_;  // of quoted fields; a deque never moves them
};

// `text` as it may be shown in a message: short, in quotes, without control characters.
std::string Quoted(std::string_view text);

bool IsUtf8(std::string_view text);

// A decimal number, or InvalidArgument naming `what` and the text.
absl::Status ParseNumber(std::string_view what, std::string_view text, uint64_t max,
                         uint64_t& value);

}  // namespace gordian
