// SPDX-License-Identifier: Apache-2.0
// The system call of a stack, and the functions that made it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/stacks/stacks.h"
#include "whatif/paths/thresholds.h"

namespace gordian {

// The system call and the innermost functions of the program that made it, so many, as in
// "__x64_sys_fdatasync;fdatasync;Commit". Empty if there is no system call in it.
std::string CallOf(const CodePath& path, const Code& code, size_t callers = kCallersOfCall);

// Wakes in an interrupt have nothing to do with the interrupted code.
bool IsInInterrupt(const CodePath& path, const Code& code);

// sock_def_readable wakes threads that wait for a socket; other functions of the kernel that wake
// have "wake" in their names.
bool IsInWake(const CodePath& path, const Code& code);
bool HasKernelFrame(const CodePath& path, const Code& code, std::string_view part);

uint64_t SamplesIn(std::span<const StackSum> sums);

// The calls that make up at least a tenth of the added samples.
class WeighedCalls {
 public:
  explicit WeighedCalls(size_t callers = kCallersOfCall) : callers_(callers) {}
  void Add(std::span<const StackSum> sums, const Code& code, StackSide side);
  std::set<std::string> Take() const;

 private:
  size_t callers_;
  std::map<std::string, double> times_;
  double all_ = 0;
};

}  // namespace gordian
