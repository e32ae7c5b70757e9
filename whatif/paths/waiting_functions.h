// SPDX-License-Identifier: Apache-2.0
// Functions of a program that are there for waits that are to be gone.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "analyzer/stacks/stacks.h"
#include "whatif/paths/paths.h"

namespace gordian {

struct WaitingFunctions {
  // Most of a call to them is such a wait, or one for a thread that ends it in the same function
  // (the others of a group commit); they wait for little else, wake hardly any others but kernel
  // threads, and the thread does other things too. Of several in which others join the innermost.
  std::set<std::string> whole;
  // Whether others wait for the thread that does such a wait, in a function around both that does
  // much besides: they may have nothing to wait for any more.
  std::set<std::string> joined;
};

// Those of `vertex`; `is_kernel`, by vertex.
WaitingFunctions FunctionsOfWaits(const StackSums& stacks, const Code& code, uint32_t vertex,
                                  std::span<const RemovedEdge> removed,
                                  std::span<const uint8_t> is_kernel);

}  // namespace gordian
