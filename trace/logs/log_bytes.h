// SPDX-License-Identifier: Apache-2.0
// The bytes of a log: plain, gzip or zstd. The log's beginning tells which, not its name.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace gordian {

class LogBytes {
 public:
  virtual ~LogBytes() = default;
  // Fills some of `out`; 0 at the end. A compressed log that breaks off or is damaged ends there:
  // see `cut_short`.
  virtual absl::StatusOr<size_t> Read(std::span<char> out) = 0;
  virtual bool cut_short() const { return false; }
};

// A regular file, or standard input for "-".
absl::StatusOr<std::unique_ptr<LogBytes>> OpenLog(const std::string& path);

}  // namespace gordian
