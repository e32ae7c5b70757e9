// SPDX-License-Identifier: Apache-2.0
// Logs of jobs, as large as wanted, for log_benchmark.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gordian {

struct LogShape {
  const char* name;
  const char* model;  // a ready one
  const char* about;
};

std::span<const LogShape> LogShapes();

// Appends lines of that shape until `text` has `bytes` bytes or more. `line` counts the lines of
// the whole log: a log is made in pieces.
void AppendLog(const LogShape& shape, size_t bytes, uint64_t& line, std::string& text);

}  // namespace gordian
