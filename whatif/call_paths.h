// The calls on whose way waits happen, from stacks: what else is gone if the wait is.
#pragma once

#include <span>
#include <vector>

#include "analyzer/stacks/stacks.h"
#include "whatif/replay.h"

namespace gordian {

// Waits of `from` for `to` that are to be gone.
struct RemovedEdge {
  uint32_t from = 0;
  uint32_t to = 0;
};

// For each vertex with such waits and with samples of its runs (few only tell the most that may
// be): the share of these in the same calls, and that of its waits for others. A call is a system
// call and the innermost functions of the program that made it; of a kernel thread there is none. A
// call counts if it makes up a tenth of the removed waits. Functions of the program that are there
// for these waits are on the way as a whole: also those in which others wait for whoever does the
// removed wait (group commit). Where the calls are syncs, the writes before them may cost less
// without: they are part of the most that may be on the way. `is_kernel`, by vertex: waking a
// kernel thread is part of a call.
std::vector<Path> CallPaths(const StackSums& stacks, const Code& code,
                            std::span<const RemovedEdge> removed,
                            std::span<const uint8_t> is_kernel);

// For each vertex whose threads end waits of `woken`: the share of its CPU time in the calls by
// which they do so.
std::vector<Path> WakePaths(const StackSums& stacks, const Code& code, uint32_t woken);

// The share of a vertex' running samples with that function in their stack, by its name as it is
// shown; 0 without samples.
double RunShareOf(const StackSums& stacks, const Code& code, uint32_t vertex,
                  std::string_view function);

}  // namespace gordian
