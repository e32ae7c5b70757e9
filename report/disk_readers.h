// SPDX-License-Identifier: Apache-2.0
// Threads that take turns at a disk and read from it. Who syncs may sync less often; who reads
// needs what it reads, and the turns are the limit.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

// Of natural fixes by which threads ask a disk no more (skip): if most requests of these threads
// are reads, they ask for the lock instead. Not of many nodes, whose requests are on clocks of
// their own.
void AskReadersForTheirLock(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                            const TimeRange& range, pb::Report& report);

}  // namespace gordian
