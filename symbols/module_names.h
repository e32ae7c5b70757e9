// SPDX-License-Identifier: Apache-2.0
// Names addresses of one ELF module from its files. Only for the child process.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "symbols/cached_names.pb.h"
#include "symbols/reply.pb.h"
#include "symbols/symbols.h"

namespace gordian {

// Open files; -1 without one.
struct ModuleDescriptors {
  int image = -1;
  int debug = -1;         // holds the symbols stripped from the image
  int shared_debug = -1;  // holds the common part of several such files
};

// Sends the answers of symbol tables on `addresses` (sorted, as the module counts them) first, then
// DWARF's additions: if the latter end in a crash, the former are out. Stops when `send` fails.
void NameModule(const ModuleDescriptors& files, std::span<const uint64_t> addresses,
                const SymbolLimits& limits,
                const std::function<bool(const pb::SymbolReply&)>& send);

// All functions of the module's symbol tables.
pb::FunctionList ListFunctions(const ModuleDescriptors& files, const SymbolLimits& limits);

// Sends the readable form of each name that is mangled.
void Demangle(std::span<const std::string_view> names,
              const std::function<bool(const pb::SymbolReply&)>& send);

}  // namespace gordian
