// SPDX-License-Identifier: Apache-2.0
// Makes recordings of clusters of up to a thousand nodes and a million threads, whose truth is
// known: by playing services that ask each other over TCP.
//
// A lane is a row of threads, one of each service. The first asks the second, that one the third,
// and each waits for its answer. Threads of one service on one node share a lock, and the last
// service's a disk. One of all these things is made the limit: lanes queue there, and wait for
// their turn everywhere else. A lane's threads live on different nodes, in ever other pairs.
//
// The files are those of a recorder: session.pb, a stream for each CPU, one for the threads. Clocks
// of nodes are off and drift, and measurements of them lie within their bounds. The truth stands
// beside: truth.json, and the sender of each packet that ended a wait in hand_overs.bin. Memory
// depends on the numbers of threads and CPUs, not on that of events. A seed makes the same cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

inline constexpr uint64_t kSimulatedStartNs = 100'000'000'000;  // true time 0, on the first's clock
inline constexpr int kMostSimulatedNodes = 1024;
inline constexpr uint64_t kMostSimulatedThreads = 1'000'000;

enum class SimulatedLimit : uint8_t { kLock, kDisk, kCpu, kLink };
const char* SimulatedLimitName(SimulatedLimit limit);

// Nodes by their numbers. The first has the reference's clock.
struct SimulatedDisturbances {
  std::vector<int> pausing;       // record 80 of each 100 ms
  std::vector<int> losing;        // lose a burst of records now and then, and count them
  std::vector<int> wrong_clocks;  // measured as if 50 ms off, with a bound of 0.1 ms
  std::vector<int> absent;        // play along, and are not recorded
  std::vector<int> old;           // recorded by a version that told fewer things, clocks included
  int nodes_per_rack = 0;         // 0: no racks. Else addresses are replaced between racks, unseen
  double packets_lost = 0;        // share that the kernel sends again
};

struct SimulatedShape {
  int nodes = 3;
  uint64_t threads = 300;
  uint64_t events_per_node = 100'000;  // on average
  int cpus_per_node = 4;
  int services = 3;
  SimulatedLimit limit = SimulatedLimit::kLock;
  int limit_service = 1;  // of a disk it is the last
  uint64_t seed = 1;
  bool tells_hand_overs = true;  // 40 bytes for each packet that ends a wait
  SimulatedDisturbances disturbances;
};

// A packet that ended a wait, by true time. The rows of hand_overs.bin, in order of time.
struct SimulatedHandOver {
  uint64_t woken_ns = 0;
  uint64_t sent_ns = 0;    // for the first time
  uint64_t waited_ns = 0;  // until woken
  int32_t receiver_tid = 0;
  int32_t sender_tid = 0;
  uint16_t receiver_node = 0;
  uint16_t sender_node = 0;
  uint32_t sent_again = 0;
};
static_assert(sizeof(SimulatedHandOver) == 40);

// Sums of waits of one service's threads, by what they were for.
struct SimulatedWaits {
  uint64_t for_caller_ns = 0;  // until the packet was sent
  uint64_t for_callee_ns = 0;
  uint64_t on_way_ns = 0;  // and from then on
  uint64_t for_lock_ns = 0;
  uint64_t for_disk_ns = 0;
  uint64_t for_cpu_ns = 0;  // runnable
};

struct SimulatedTruth {
  uint64_t end_ns = 0;
  uint64_t events = 0;  // in the files
  uint64_t lost = 0;
  uint64_t packet_waits = 0;      // as they happened, recorded or not
  uint64_t cross_node_waits = 0;  // of those
  uint64_t all_waits = 0;         // packets, locks and disks
  std::vector<std::string> service_names;
  std::vector<SimulatedWaits> waits;  // by service
  std::vector<int64_t> skews_ns;      // by node, at true time 0
  std::vector<int64_t> drifts_ppb;
  // The reference's clock less the node's own.
  int64_t OffsetAt(int node, uint64_t true_ns) const {
    const auto since_ns = static_cast<double>(true_ns - kSimulatedStartNs);
    const auto drift_ns =
        static_cast<int64_t>(since_ns * static_cast<double>(drifts_ppb[node]) / 1e9);
    return -skews_ns[node] - drift_ns;
  }
};

std::string SimulatedNodeName(int node);  // "n0007": in the order of numbers

// InvalidArgument for a shape that cannot be, AlreadyExists if something is in `directory`.
absl::StatusOr<SimulatedTruth> GenerateSimulatedCluster(const SimulatedShape& shape,
                                                        const std::string& directory);
absl::StatusOr<std::vector<SimulatedHandOver>> ReadHandOvers(const std::string& directory);

}  // namespace gordian
