// SPDX-License-Identifier: Apache-2.0
// A log file's lines with their moments, in bounded memory: each look at them reads the file again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loglines/line_stamps.h"

namespace gordian {

struct StampedLine {
  uint64_t number = 0;  // from 1
  std::string_view text;
  std::optional<LineStamp> stamp;  // its own, or that of the last line above that has one
  bool is_stamp_own = false;
};

class StampedLog {
 public:
  // Reads the beginning of the file, plain or compressed, to learn how it writes its stamps.
  // InvalidArgument for standard input, which cannot be read again.
  static absl::StatusOr<StampedLog> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const LineStamps& stamps() const { return stamps_; }
  // Lines that were too long to be read, in the last look at all of them.
  uint64_t too_long() const { return too_long_; }

  // Calls `use` for each line, until it returns false.
  absl::Status ForEachLine(const StampReading& reading,
                           const std::function<bool(const StampedLine&)>& use);

 private:
  explicit StampedLog(std::string path) : path_(std::move(path)) {}

  std::string path_;
  LineStamps stamps_;
  uint64_t too_long_ = 0;
};

// One line of a log, copied.
struct FoundLine {
  uint64_t number = 0;
  std::string text;  // at most kMostLineText bytes of it
  bool is_cut = false;
  // The line that has the stamp: itself, or one above.
  uint64_t stamp_number = 0;
  std::string stamp_text;
};
inline constexpr size_t kMostLineText = 16u << 10;

// Which line is meant.
struct LinePlace {
  std::string path;
  uint64_t number = 0;  // 0: the one that matches
  std::string match;    // a regular expression (RE2)
  bool last = false;    // of those that match; else the first
};

// "FILE:LINE". InvalidArgument, with a line for the user, for another text.
absl::StatusOr<LinePlace> ParseLinePlace(const std::string& text);

// NotFound, with a line for the user, if there is no such line.
absl::StatusOr<FoundLine> FindLine(StampedLog& log, const LinePlace& place);

}  // namespace gordian
