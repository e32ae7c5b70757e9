// SPDX-License-Identifier: Apache-2.0
#include "import/lanes.h"

#include "fmt/format.h"

namespace gordian {

uint32_t Lanes::Take(uint32_t group_number, uint64_t start_ns, uint64_t end_ns) {
  Group& group = groups_[group_number];
  while (!group.busy.empty() && group.busy.top().first < start_ns) {
    group.free.insert(group.busy.top().second);
    group.busy.pop();
  }
  if (group.free.empty()) group.free.insert(++group.lanes);
  const uint32_t lane = *group.free.begin();
  group.free.erase(group.free.begin());
  group.busy.emplace(end_ns, lane);
  return lane;
}

std::string Lanes::Name(std::string_view group, uint32_t lane) {
  return lane == 1 ? std::string(group) : fmt::format("{} #{}", group, lane);
}

}  // namespace gordian
