// SPDX-License-Identifier: Apache-2.0
// Makes recordings of clusters of any size, by playing nodes whose threads pass work on in rings:
// within a node by waking the next, between nodes by packets over a few shared connections. The
// truth is told beside it. The same events can be written as those of one node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

// When the true time is t since the beginning, the node's clock shows t + skew + drift · t; its
// measurement is off by `error`.
struct PlayedClock {
  int64_t skew_ns = 0;
  int64_t drift_ppm = 0;
  int64_t error_ns = 0;
  uint64_t bound_ns = 0;
};

struct ClusterShape {
  uint64_t events = 0;  // about, of all nodes together
  int nodes = 3;
  int cpus_per_node = 4;
  int groups = 24;  // rings of eight threads each
  int groups_across_percent = 50;
  int connections = 4;               // between two nodes, each way
  int packets_lost_percent = 0;      // sent again by the kernel
  int sends_unrecorded_percent = 0;  // of a node's sent packets, lost by its recorder
  int outside_percent = 0;           // of connections, whose sender was not recorded
  std::vector<PlayedClock> clocks;   // by node; those that are missing are exact
  size_t events_per_block = 1 << 14;
  uint32_t seed = 1;
};

// A packet that ended a wait, on the true clock.
struct PlayedMessage {
  int receiver_node = 0;
  int32_t receiver_tid = 0;
  uint64_t woken_ns = 0;
  int sender_node = 0;
  int32_t sender_tid = 0;
  uint64_t sent_ns = 0;
  bool recorded = true;  // else its sender cannot be known
};

struct PlayedCluster {
  uint64_t start_ns = 0;
  uint64_t packets = 0;
  std::vector<PlayedMessage> messages;  // in order of time
};

// Writes sessions to `directory`/n0, n1, …, the first of which has the reference's clock.
absl::StatusOr<PlayedCluster> GenerateCluster(const ClusterShape& shape,
                                              const std::string& directory);

// Writes the very same as one session of one node with all CPUs, whose clock is exact. A thread has
// the same name in both: "w" and its tid in PlayedMessage.
absl::StatusOr<PlayedCluster> GenerateAsOneNode(const ClusterShape& shape,
                                                const std::string& directory);

}  // namespace gordian
