// SPDX-License-Identifier: Apache-2.0
// Lines of a file or pipe, in bounded memory: a line that never ends is refused, or cut, instead of
// read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace gordian {

// What happens to a longer line than LineReader::kMaxLineBytes. A cut one lacks its rest.
enum class LongLines : uint8_t { kRefuse, kCut };

class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = 64u << 10;

  // `fd` stays the caller's.
  explicit LineReader(int fd, LongLines long_lines = LongLines::kRefuse);

  // Sets `line` to the next line, without its end (\n or \r\n); valid until the next call.
  // False at the end of the file or after a failure: see status().
  bool Next(std::string_view& line);

  // InvalidArgument for a line that is too long, else the system's reason.
  const absl::Status& status() const { return status_; }
  uint64_t line_number() const { return line_number_; }  // of the last line, counted from 1
  uint64_t bytes_read() const { return bytes_read_; }

 private:
  bool Fill();
  bool SkipRestOfLine();

  int fd_;
  LongLines long_lines_;
  bool in_long_line_ = false;  // its rest is to be skipped
  std::vector<char> buffer_;
  size_t begin_ = 0;  // of the bytes not given out yet
  size_t end_ = 0;    // of the bytes read
  bool at_end_ = false;
  uint64_t line_number_ = 0;
  uint64_t bytes_read_ = 0;
  absl::Status status_;
};

}  // namespace gordian
