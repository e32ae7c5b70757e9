// The calls on whose way waits happen, from stacks: what else is gone if the wait is.
#pragma once

#include <span>
#include <vector>

#include "analyzer/replay/replay.h"
#include "analyzer/stacks/stacks.h"

namespace gordian {

// Waits of `from` for `to` that are to be gone.
struct RemovedEdge {
  uint32_t from = 0;
  uint32_t to = 0;
};

// For each vertex with such waits and with enough samples of its runs: the share of these in the
// same calls, and that of its waits for others. A call is a system call and the innermost functions
// of the program that made it; of a kernel thread there is none. A call counts if it makes up a
// tenth of the removed waits.
std::vector<Path> CallPaths(const StackSums& stacks, const Code& code,
                            std::span<const RemovedEdge> removed);

// The share of a vertex' running samples with that function in their stack, by its name as it is
// shown; 0 without samples.
double RunShareOf(const StackSums& stacks, const Code& code, uint32_t vertex,
                  std::string_view function);

}  // namespace gordian
