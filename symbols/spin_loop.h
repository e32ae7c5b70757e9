// SPDX-License-Identifier: Apache-2.0
// Whether a thread that was seen at some instruction spins there: waits for a word in memory to
// change, instead of computing.
//
// Two things in the machine code around the instruction prove it, and nothing else counts:
// - The instruction by which a loop tells the processor that it only waits: pause (x86), yield, isb
//   or wfe (arm64), no further than 32 bytes away.
// - x86: a loop of at most 64 bytes around it that reads memory and changes nothing on its way:
//   loads, exchanges and compare-exchanges, comparisons and jumps, no arithmetic, no stores, and no
//   loaded register is the address of a read. Each round is like the one before until another
//   thread writes there. (A search through a list loads the address of its next read, so it does
//   not count.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/file_io.h"

namespace gordian {

enum class Machine : uint8_t { kOther, kX86, kArm64 };

// `code[at]` is the first byte of the instruction. For any bytes, it looks only at those around.
bool IsSpinLoop(std::span<const uint8_t> code, size_t at, Machine machine);

// Looks into a program's file.
class SpinLoops {
 public:
  // `file`: null or not readable: no loops.
  explicit SpinLoops(const FileHandle* file);
  bool HasOneAt(uint64_t file_offset) const;

 private:
  int file_ = -1;
  Machine machine_ = Machine::kOther;
};

}  // namespace gordian
