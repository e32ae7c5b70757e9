// SPDX-License-Identifier: Apache-2.0
// Names addresses of one module, and keeps the answers on disk: what is kept is not read again.
//
// Two entries of the cache are kept for each set of files (the module's own and its debug files, by
// FileIdentity): all answers on addresses that were asked for so far, and the list of all
// functions. The list answers on any other address if there is no more to tell of it, i.e. if there
// is no DWARF. Else a child looks into the files for the new addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbols/disk_cache.h"
#include "symbols/function_list.h"
#include "symbols/module_files.h"
#include "symbols/symbols.h"

namespace gordian {

struct Place {
  std::vector<Frame> frames;
  bool spins = false;
};
using Offsets = std::unordered_map<uint64_t, Place>;

class ModuleReader {
 public:
  struct Wanted {
    uint64_t address;  // as the module counts
    uint64_t offset;   // in its file
    bool operator<(const Wanted& other) const { return address < other.address; }
  };

  // All must outlive it.
  ModuleReader(const SymbolLimits& limits, DiskCache& cache, SymbolCounters& counters)
      : limits_(limits), cache_(cache), counters_(counters) {}

  // An answer for each of `wanted` (sorted).
  Offsets Read(const ModuleFiles& files, std::span<const Wanted> wanted);
  // Reads the list of functions, so that it is kept when Read wants it.
  void ReadFunctions(const ModuleFiles& files) { FunctionsOf(files); }

 private:
  std::optional<FunctionList> FunctionsOf(const ModuleFiles& files);
  // False: what it says is not all, and is not to be kept.
  bool ReadNew(const ModuleFiles& files, std::span<const Wanted> wanted, Offsets& answers);

  const SymbolLimits& limits_;
  DiskCache& cache_;
  SymbolCounters& counters_;
};

// As the cache holds them; nothing if the bytes break the rules.
std::string PackAnswers(const Offsets& answers);
std::optional<Offsets> UnpackAnswers(std::string_view bytes, uint32_t max_inline_depth);

}  // namespace gordian
