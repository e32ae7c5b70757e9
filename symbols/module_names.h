// Names addresses of one ELF module from its files. Only for the child process.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "symbols/reply.pb.h"
#include "symbols/symbols.h"

namespace gordian {

// Open files; -1 where there is none.
struct ModuleDescriptors {
  int image = -1;
  int debug = -1;         // holds what was stripped from the image
  int shared_debug = -1;  // holds what several such files have in common
};

// Sends what symbol tables tell of `addresses` (sorted, as the module counts them) first, then what
// DWARF adds: if the latter ends in a crash, the former is out. Stops when `send` fails.
void NameModule(const ModuleDescriptors& files, std::span<const uint64_t> addresses,
                const SymbolLimits& limits,
                const std::function<bool(const pb::SymbolReply&)>& send);

}  // namespace gordian
