// Makes a child process name the addresses of one module, and trusts nothing that it says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "symbols/module_files.h"
#include "symbols/reply.pb.h"
#include "symbols/symbols.h"

namespace gordian {

// Frames per address (sorted, as the module counts them); empty where nothing is known. A child
// that breaks off is counted; its earlier answers stand.
std::vector<std::vector<Frame>> NameInChild(const ModuleFiles& files,
                                            std::span<const uint64_t> addresses,
                                            const SymbolLimits& limits, SymbolCounters& counters);

// Puts one message of a child into `frames`; false, and nothing further taken, if it breaks its
// rules.
bool TakeReply(std::string_view message, uint32_t max_inline_depth,
               std::vector<std::vector<Frame>>& frames, SymbolCounters& counters);

}  // namespace gordian
