// SPDX-License-Identifier: Apache-2.0
// A log's lines, in bounded memory: a line longer than any real line is passed over.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "trace/logs/log_bytes.h"

namespace gordian {

class LogLines {
 public:
  static constexpr size_t kMaxLineBytes = 8u << 20;  // Spark's plans of queries are long

  explicit LogLines(LogBytes& bytes);

  // Sets `line` to the next one without its end (\n or \r\n); valid until the next call. False at
  // the end, or after a failure: see status().
  bool Next(std::string_view& line);

  const absl::Status& status() const { return status_; }
  uint64_t line_number() const { return line_number_; }  // of the last line, from 1
  uint64_t too_long() const { return too_long_; }        // lines passed over

 private:
  bool Fill();

  LogBytes& bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // of the bytes not given out yet
  size_t end_ = 0;
  bool at_end_ = false;
  bool skipping_ = false;  // the rest of a line that was too long
  uint64_t line_number_ = 0;
  uint64_t too_long_ = 0;
  absl::Status status_;
};

}  // namespace gordian
