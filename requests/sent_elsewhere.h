// SPDX-License-Identifier: Apache-2.0
// Data that came to a server unseen, as its client's node saw them leave. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "requests/turns.h"

namespace gordian {

// A node recorded with --only keeps only those received packets that woke a thread, and a busy
// server is woken by few. `seen` are the data of a connection on its server's node, `sent` those on
// its client's node. Adds what threads there sent to the server and `seen` lacks, `flight_ns` after
// it was sent. In order of time.
std::vector<ConnectionData> WithSentElsewhere(std::vector<ConnectionData> seen,
                                              std::span<const ConnectionData> sent,
                                              uint64_t flight_ns);

}  // namespace gordian
