// SPDX-License-Identifier: Apache-2.0
// The segments of single threads, for `gordian timeline`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "report/time_range.h"
#include "schema/listings.pb.h"

namespace gordian {

// Every life of `tid` that touches the range, with its segments clipped to it; of many nodes, on
// that node, or on all if `node` is empty. Empty if no life does.
pb::TimelineListing ListTimeline(const Timeline& timeline, int32_t tid, const TimeRange& range,
                                 const std::string& node = "");
// The same of these threads.
pb::TimelineListing ListTimeline(const Timeline& timeline, const std::vector<EntityId>& threads,
                                 const TimeRange& range);

}  // namespace gordian
