// SPDX-License-Identifier: Apache-2.0
// Makes a child process name the addresses of one module, and trusts nothing that it says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/module_files.h"
#include "symbols/reply.pb.h"
#include "symbols/symbols.h"

namespace gordian {

// Frames per address (sorted, as the module counts them); empty where nothing is known. A child
// that breaks off is counted, and `whole` is false; its earlier answers stand.
std::vector<std::vector<Frame>> NameInChild(const ModuleFiles& files,
                                            std::span<const uint64_t> addresses,
                                            const SymbolLimits& limits, SymbolCounters& counters,
                                            bool& whole);

// A message pb::FunctionList, which may be anything. Nothing if the child broke off: NameInChild
// then counts it.
std::optional<std::string> ListFunctionsInChild(const ModuleFiles& files,
                                                const SymbolLimits& limits,
                                                SymbolCounters& counters);

// A frame for each of these names of functions (none for an empty one), demangled. Names come from
// anywhere: so those that need it are demangled in a child.
std::vector<std::vector<Frame>> MakeReadable(std::span<const std::string_view> names,
                                             const SymbolLimits& limits, SymbolCounters& counters,
                                             bool& whole);

// False if the frame of a message breaks its rules.
bool TakeFrame(const google::protobuf::RepeatedPtrField<std::string>& strings,
               const pb::SymbolReplyFrame& from, Frame& frame);

// Puts one message of a child into `frames`; false, and nothing further taken, if it breaks its
// rules.
bool TakeReply(std::string_view message, uint32_t max_inline_depth,
               std::vector<std::vector<Frame>>& frames, SymbolCounters& counters);

}  // namespace gordian
