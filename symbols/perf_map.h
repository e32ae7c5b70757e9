// SPDX-License-Identifier: Apache-2.0
// A JIT compiler's list of its code: the file /tmp/perf-PID.map, "start size name" on a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/symbols.h"

namespace gordian {

inline constexpr uint64_t kMaxPerfMapBytes = 128 << 20;
inline constexpr size_t kMaxPerfMapEntries = 1 << 20;
inline constexpr size_t kMaxPerfMapNameBytes = 1024;  // longer names are cut

class PerfMap {
 public:
  // Unreadable lines are counted and left out, and so are lines beyond the limits. If entries
  // overlap, the later line is right: compilers append, and use memory again.
  static PerfMap Parse(std::string text);

  // Null if no entry covers it. "py::function:file" (Python) fills function and file.
  bool Find(uint64_t address, Frame& frame) const;

  size_t entries() const { return pieces_.size(); }
  uint64_t malformed_lines() const { return malformed_lines_; }
  uint64_t left_out() const { return left_out_; }

 private:
  struct Piece {
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t name_at = 0;  // in text_
    uint32_t name_bytes = 0;
  };

  std::string text_;
  std::vector<Piece> pieces_;  // by address, none over another
  uint64_t malformed_lines_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace gordian
