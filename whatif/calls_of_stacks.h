// Which system call a stack is in, and who made it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

#include "analyzer/stacks/stacks.h"

namespace gordian {

// The system call and the innermost functions of the program that made it, so many, as in
// "__x64_sys_fdatasync;fdatasync;Commit". Empty if there is no system call in it.
inline constexpr size_t kCallers = 3;
std::string CallOf(const CodePath& path, const Code& code, size_t callers = kCallers);

// Wakes in an interrupt have nothing to do with what it interrupted.
bool IsInInterrupt(const CodePath& path, const Code& code);

// Too few samples of runs tell only what may be.
inline constexpr uint64_t kFewestRunSamples = 10;
uint64_t SamplesIn(std::span<const StackSum> sums);

// The calls that make up a tenth of what was added at least.
class WeighedCalls {
 public:
  explicit WeighedCalls(size_t callers = kCallers) : callers_(callers) {}
  void Add(std::span<const StackSum> sums, const Code& code, StackSide side);
  std::set<std::string> Take() const;

 private:
  size_t callers_;
  std::map<std::string, double> times_;
  double all_ = 0;
};

}  // namespace gordian
