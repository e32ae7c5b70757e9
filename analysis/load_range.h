// SPDX-License-Identifier: Apache-2.0
// A recording may begin before its load, or end behind it. What is told of a server is of the time
// in which requests came.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/timeline/timeline.h"
#include "report/time_range.h"
#include "requests/requests.h"

namespace gordian {

// `range`, or the part of it that holds the load, where the rest is too long to leave rates, shares
// and simulated clients as they are. `is_server` by thread; if they answer no load (they ask others
// now and then, or somebody looks whether they are well), it is `range`: they have more to do.
TimeRange RangeOfLoad(const Timeline& timeline, const FoundRequests& found,
                      std::span<const uint8_t> is_server, const TimeRange& range);

// "requests came only from 1.3 s to 4.4 s of the recording": for the user, who may ask for --from
// and --to.
std::string LoadRangeText(const Timeline& timeline, const TimeRange& load);

}  // namespace gordian
