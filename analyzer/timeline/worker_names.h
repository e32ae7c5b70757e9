// SPDX-License-Identifier: Apache-2.0
// Kernel workers by what they do: "kworker/u8:3" runs work of many kinds, and says none.
#pragma once

#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/lives.h"

namespace gordian {

// A worker that spends most of its working time on one kind of work is named by it: "kworker
// loop0". The others keep their names. `entities` begin with the threads of `lives`.
void NameWorkers(std::span<const WorkRecord> works, const Lives& lives,
                 std::vector<Entity>& entities);

}  // namespace gordian
