// SPDX-License-Identifier: Apache-2.0
#include "symbols/dwarf_names.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

#include "symbols/dwarf_unit.h"

namespace gordian {
namespace {

constexpr size_t kMaxUnits = 1 << 20;

struct Units {
  std::vector<Dwarf_Die> dies;
  std::vector<CodeRange> ranges;
};

// All units are asked for their code: not every compiler writes .debug_aranges. Each turn moves on
// in the section, so this ends.
Units FindUnits(Dwarf* dwarf) {
  Units units;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  uint8_t type = 0;
  Dwarf_Die die;
  Dwarf_Die split;
  while (units.dies.size() < kMaxUnits &&
         dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split) == 0) {
    if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
    AppendRanges(&die, units.dies.size(), units.ranges);
    units.dies.push_back(die);
  }
  SortRanges(units.ranges);
  return units;
}

}  // namespace

DwarfOutcome NameByDwarf(Dwarf* dwarf, std::span<const uint64_t> addresses,
                         uint32_t max_inline_depth, const TakeFrames& take) {
  const Units units = FindUnits(dwarf);
  // A unit is read once, for all of its addresses.
  std::vector<std::pair<size_t, size_t>> by_unit;  // unit, index of the address
  for (size_t i = 0; i < addresses.size(); ++i) {
    const CodeRange* range = FindRange(units.ranges, addresses[i]);
    if (range != nullptr) by_unit.emplace_back(range->index, i);
  }
  std::sort(by_unit.begin(), by_unit.end());

  DwarfOutcome outcome;
  for (auto at = by_unit.begin(); at != by_unit.end();) {
    const size_t index = at->first;
    DwarfUnit unit(units.dies[index], max_inline_depth);
    for (; at != by_unit.end() && at->first == index; ++at) {
      bool cut = false;
      std::vector<Frame> frames = unit.FramesAt(addresses[at->second], cut);
      if (cut) ++outcome.inlines_cut;
      if (!frames.empty()) take(at->second, std::move(frames));
    }
  }
  return outcome;
}

}  // namespace gordian
