// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process.
#pragma once

#include <memory>
#include <vector>

#include "mpi/wire.h"

namespace gordian {

// One for each rank.
std::vector<std::unique_ptr<Wire>> ThreadWires(int ranks);

}  // namespace gordian
