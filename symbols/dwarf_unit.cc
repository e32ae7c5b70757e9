// SPDX-License-Identifier: Apache-2.0
#include "symbols/dwarf_unit.h"

#include <dwarf.h>

#include <algorithm>
#include <climits>

#include "symbols/function_name.h"

namespace gordian {
namespace {

constexpr size_t kMaxRanges = 16 << 20;  // of one unit or file
constexpr size_t kMaxTreeDepth = 512;    // of entries within entries
constexpr int kMaxNesting = 16;          // functions that lie in each other
constexpr size_t kMaxPathBytes = 4096;

// Visits the entries below `root`, each before those below it. `visit` says whether to go into an
// entry. An entry lies behind its parent and its elder siblings in the file, so this ends. If a
// hostile file says otherwise, the child's limit on time ends it.
template <typename Visit>
void Walk(Dwarf_Die root, Visit visit) {
  std::vector<Dwarf_Die> path(1);
  if (dwarf_child(&root, path.data()) != 0) return;
  while (!path.empty()) {
    Dwarf_Die child;
    const bool enter = visit(path.back()) && path.size() < kMaxTreeDepth;
    if (enter && dwarf_child(&path.back(), &child) == 0) {
      path.push_back(child);
      continue;
    }
    while (!path.empty() && dwarf_siblingof(&path.back(), &path.back()) != 0) path.pop_back();
  }
}

std::string PathText(const char* path) {
  return path == nullptr ? std::string() : std::string(path, ::strnlen(path, kMaxPathBytes));
}

uint32_t NumberAttribute(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) {
    return 0;
  }
  return value <= INT_MAX ? static_cast<uint32_t>(value) : 0;
}

}  // namespace

void AppendRanges(Dwarf_Die* die, size_t index, std::vector<CodeRange>& ranges) {
  Dwarf_Addr base = 0;
  Dwarf_Addr start = 0;
  Dwarf_Addr end = 0;
  ptrdiff_t offset = 0;
  while (ranges.size() < kMaxRanges &&
         (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
    // Functions that the linker threw away stay at address 0.
    if (start != 0 && start < end) ranges.push_back({start, end, index});
  }
}

void SortRanges(std::vector<CodeRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
}

const CodeRange* FindRange(const std::vector<CodeRange>& ranges, uint64_t address) {
  auto at = std::upper_bound(ranges.begin(), ranges.end(), address,
                             [](uint64_t a, const CodeRange& range) { return a < range.start; });
  for (int step = 0; step < kMaxNesting && at != ranges.begin(); ++step) {
    --at;
    if (address < at->end) return &*at;
  }
  return nullptr;
}

DwarfUnit::DwarfUnit(Dwarf_Die unit, uint32_t max_inline_depth)
    : unit_(unit), max_inline_depth_(max_inline_depth) {
  size_t count = 0;
  if (dwarf_getsrcfiles(&unit_, &files_, &count) != 0) files_ = nullptr;
  FindFunctions();
}

// Functions stand at the top, in namespaces, and (Rust) in types.
void DwarfUnit::FindFunctions() {
  Walk(unit_, [this](Dwarf_Die& die) {
    switch (dwarf_tag(&die)) {
      case DW_TAG_subprogram:
        if (const size_t before = ranges_.size();
            AppendRanges(&die, functions_.size(), ranges_), ranges_.size() > before) {
          functions_.push_back(die);
        }
        return false;
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
      case DW_TAG_enumeration_type:
        return true;
      default:
        return false;
    }
  });
  SortRanges(ranges_);
}

const DwarfUnit::Inlines& DwarfUnit::InlinesOf(size_t function) {
  const auto [at, is_new] = inlines_.try_emplace(function);
  Inlines& inlines = at->second;
  if (!is_new) return inlines;
  Walk(functions_[function], [&inlines](Dwarf_Die& die) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_inlined_subroutine) {
      AppendRanges(&die, inlines.dies.size(), inlines.ranges);
      inlines.dies.push_back(die);
    }
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
  });
  return inlines;
}

const std::string& DwarfUnit::NameOf(Dwarf_Die* die) {
  const auto [at, is_new] = names_.try_emplace(die->addr);
  if (!is_new) return at->second;
  Dwarf_Attribute attribute;
  const char* name = nullptr;
  for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (name == nullptr && dwarf_attr_integrate(die, which, &attribute) != nullptr) {
      name = dwarf_formstring(&attribute);
    }
  }
  if (name != nullptr) at->second = ReadableFunctionName(name);
  return at->second;
}

void DwarfUnit::SetLine(uint64_t address, Frame& frame) {
  Dwarf_Line* line = dwarf_getsrc_die(&unit_, address);
  int number = 0;
  if (line == nullptr) return;
  frame.file = PathText(dwarf_linesrc(line, nullptr, nullptr));
  if (dwarf_lineno(line, &number) == 0 && number > 0) frame.line = static_cast<uint32_t>(number);
}

void DwarfUnit::SetCallSite(Dwarf_Die* inlined, Frame& caller) {
  caller.line = NumberAttribute(inlined, DW_AT_call_line);
  if (files_ == nullptr) return;
  const uint32_t file = NumberAttribute(inlined, DW_AT_call_file);
  caller.file = PathText(dwarf_filesrc(files_, file, nullptr, nullptr));
}

std::vector<Frame> DwarfUnit::FramesAt(uint64_t address, bool& cut) {
  std::vector<Frame> frames(1);
  SetLine(address, frames.front());
  const CodeRange* function = FindRange(ranges_, address);
  if (function == nullptr) {
    if (frames.front().file.empty()) frames.clear();
    return frames;
  }

  const Inlines& inlines = InlinesOf(function->index);
  std::vector<size_t> chain;  // outermost first
  for (const CodeRange& range : inlines.ranges) {
    if (address < range.start || address >= range.end) continue;
    if (!chain.empty() && chain.back() == range.index) continue;
    chain.push_back(range.index);
  }
  // The innermost ones are kept: their line is the address's.
  if (chain.size() + 1 > max_inline_depth_) {
    cut = true;
    chain.erase(chain.begin(), chain.end() - (max_inline_depth_ - 1));
  }
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    Dwarf_Die inlined = inlines.dies[*at];
    frames.back().function = NameOf(&inlined);
    frames.back().inlined = true;
    SetCallSite(&inlined, frames.emplace_back());
  }
  frames.back().function = NameOf(&functions_[function->index]);
  return frames;
}

}  // namespace gordian
