// SPDX-License-Identifier: Apache-2.0
// The load of a recording: which of its requests nothing recorded asks, and when they came. A
// server may have been started, or left alone, within the recording.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "requests/requests.h"

namespace gordian {

struct LoadTime {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint64_t length_ns() const { return to_ns - from_ns; }
};

// The server's port. Of no phase.
uint16_t PortOfRequest(const FoundRequests& found, const Request& request);

// Those that a known thread answered, by that port.
using RequestsByPort = std::map<uint16_t, std::vector<const Request*>>;
RequestsByPort SortByPort(const FoundRequests& found);

// Of the target, if there is one, and asked by no recorded server; of several ports the one whose
// requests are open longest. 0: there is none.
uint16_t RootPort(const Timeline& timeline, const FoundRequests& found,
                  const RequestsByPort& by_port);

// From the first question to the last answer. Few at either end (somebody looks whether the server
// is up) do not count: one in 200 is left out there, and the others are taken for evenly spread. So
// the rate of all of them is that of the others.
LoadTime WhenTheyCame(std::span<const Request* const> requests);

}  // namespace gordian
