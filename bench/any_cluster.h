// SPDX-License-Identifier: Apache-2.0
// Clusters for properties of rapidcheck: of any shape that matters where nodes are joined, and
// small enough to be tried hundreds of times.
#pragma once

#include <cstdint>

#include "bench/cluster_generator.h"

namespace gordian {

// Of two to four nodes, with fewer than `events_below` events, and with exact clocks.
ClusterShape AnySmallCluster(uint64_t least_events, uint64_t events_below);

}  // namespace gordian
