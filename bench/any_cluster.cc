// SPDX-License-Identifier: Apache-2.0
#include "bench/any_cluster.h"

#include <rapidcheck.h>

namespace gordian {

ClusterShape AnySmallCluster(uint64_t least_events, uint64_t events_below) {
  return {.events = *rc::gen::inRange(least_events, events_below),
          .nodes = *rc::gen::inRange(2, 5),
          .cpus_per_node = *rc::gen::inRange(1, 4),
          .groups = *rc::gen::inRange(1, 4),
          .groups_across_percent = *rc::gen::element(50, 100),
          .connections = *rc::gen::inRange(1, 3),
          .packets_lost_percent = *rc::gen::element(0, 15),
          .outside_percent = *rc::gen::element(0, 30),
          .seed = *rc::gen::arbitrary<uint32_t>()};
}

}  // namespace gordian
