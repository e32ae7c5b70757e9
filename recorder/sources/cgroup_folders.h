// SPDX-License-Identifier: Apache-2.0
// Walks over the folders of a machine's cgroups, and over the processes in one. Machines may have
// thousands of groups, and whoever runs in a container may make more: all walks are bounded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gordian {

struct CgroupTree {
  std::string mount;
  bool is_version_1 = false;
};

// Calls it with the path below the mount of every group except the root: "/pod/app". Ends after
// some thousand folders.
void ForEachCgroup(const CgroupTree& tree, const std::function<void(const std::string&)>& look);

// Processes of the group and those below, some thousand at most.
std::vector<uint32_t> PidsOfCgroup(const std::string& folder);

}  // namespace gordian
