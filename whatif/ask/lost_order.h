// SPDX-License-Identifier: Apache-2.0
// Answers of a replay that has lost the order of the work. Inner to the library.
#pragma once

#include <vector>

#include "schema/whatif.pb.h"

namespace gordian {

// WhatIfReading.limit_kind.
inline constexpr char kLimitedByCpus[] = "cpus";

// Of the changed replay: that of the wait alone (unless the calls go, too), that with its path, and
// those of other paths.
std::vector<const pb::WhatIfReading*> ReadingsOf(const pb::WhatIf& answer);

// Nothing has more to do than before: more seats, a lock that is gone, a shorter run.
bool OnlyGives(const pb::WhatIf& answer);

// A change that only gives can make threads stand in each other's way at the CPUs. Any other loss
// is an order of the work that the replay has lost, and says nothing of the program: an answer that
// is one is made of the other readings.
void LeaveLossesOut(pb::WhatIf& answer);
// There are none, so nothing can be told.
bool HasLostItsOrder(const pb::WhatIf& answer);

}  // namespace gordian
