// SPDX-License-Identifier: Apache-2.0
// Which threads descend from the target's.
#pragma once

#include "analyzer/model/model.h"

namespace gordian {

// Marks as targets the threads of processes that marked threads created, directly or through
// others, and the virtual threads that stand for any of them.
void MarkDescendants(WaitForGraph& graph);

}  // namespace gordian
