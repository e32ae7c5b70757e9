// SPDX-License-Identifier: Apache-2.0
// Waits for a disk in which the disk did not have the request yet.
//
// The kernel may keep a request back before it gives it to the disk: the limit of a control group
// does, as do layers between (encryption, loop devices). The wait ends with the disk's completion,
// so it looks like the disk's. But the request's issue is by a thread of the kernel, and late.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/waits/waits.h"
#include "report/time_range.h"
#include "schema/report.pb.h"

namespace gordian {

// Tells it of findings whose wait for a disk was mostly over before the disk had the request. Where
// a control group's limit is the reason, the finding is about that limit.
void TellHeldBackRequests(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                          const TimeRange& range, pb::Report& report);

}  // namespace gordian
