// SPDX-License-Identifier: Apache-2.0
// One compilation unit: which function and which inlined ones an address lies in. Only for the
// child process.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/symbols.h"

namespace gordian {

struct CodeRange {
  uint64_t start = 0;
  uint64_t end = 0;
  size_t index = 0;  // of the code there
};

// Appends the ranges of code that `die` says it has.
void AppendRanges(Dwarf_Die* die, size_t index, std::vector<CodeRange>& ranges);
void SortRanges(std::vector<CodeRange>& ranges);
// The innermost of sorted ranges that `address` lies in, or null.
const CodeRange* FindRange(const std::vector<CodeRange>& ranges, uint64_t address);

class DwarfUnit {
 public:
  DwarfUnit(Dwarf_Die unit, uint32_t max_inline_depth);

  std::vector<Frame> FramesAt(uint64_t address, bool& cut);

 private:
  // The inlined functions within one function, outer ones before those inside them.
  struct Inlines {
    std::vector<Dwarf_Die> dies;
    std::vector<CodeRange> ranges;  // in the order of dies
  };

  void FindFunctions();
  const Inlines& InlinesOf(size_t function);
  const std::string& NameOf(Dwarf_Die* die);
  void SetLine(uint64_t address, Frame& frame);
  void SetCallSite(Dwarf_Die* inlined, Frame& caller);

  Dwarf_Die unit_;
  uint32_t max_inline_depth_;
  Dwarf_Files* files_ = nullptr;
  std::vector<Dwarf_Die> functions_;
  std::vector<CodeRange> ranges_;                 // of functions_
  std::unordered_map<size_t, Inlines> inlines_;   // by index of the function
  std::unordered_map<void*, std::string> names_;  // by address of the entry
};

}  // namespace gordian
