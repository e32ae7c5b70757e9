// SPDX-License-Identifier: Apache-2.0
// Which processes have a socket open: /proc/PID/fd has links to its inode.
#pragma once

#include <cstdint>
#include <vector>

#include "recorder/sources/system_paths.h"

namespace gordian {

// In order of the listing, some at most. Looks at twenty thousand links at most, some 30 ms:
// ask rarely.
std::vector<uint32_t> OwnersOfSocket(const SystemPaths& paths, uint64_t inode);

}  // namespace gordian
