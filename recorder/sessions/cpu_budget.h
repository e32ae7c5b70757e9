// SPDX-License-Identifier: Apache-2.0
// How the node's CPU time for recording is shared out over its sessions.
#pragma once

#include <vector>

namespace gordian {

// The share of each. All together they are `all` at most, and none is more than it asked for (0:
// as much as it can get). Sessions that ask for little leave the rest to the others, in equal
// parts.
std::vector<double> ShareOutCpu(double all, const std::vector<double>& asked);

}  // namespace gordian
