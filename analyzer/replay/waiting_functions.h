// Functions of a program that are there for waits that are to be gone.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "analyzer/replay/call_paths.h"
#include "analyzer/stacks/stacks.h"

namespace gordian {

// Those of `vertex`: most of a call to them is such a wait, or one for somebody who ends it in the
// same function (the others of a group commit); they wait for little else, wake nobody else but
// kernel threads (`is_kernel`, by vertex), and the thread does other things too.
std::set<std::string> FunctionsOfWaits(const StackSums& stacks, const Code& code, uint32_t vertex,
                                       std::span<const RemovedEdge> removed,
                                       std::span<const uint8_t> is_kernel);

}  // namespace gordian
