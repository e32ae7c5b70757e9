// SPDX-License-Identifier: Apache-2.0
// Brings a session's files from many nodes here: DIR/NODE is that node's session.
//
// Files that are here already are not fetched again, half files are continued, and every file is
// checked against the node's own checksum of it. The space for all of them is checked before.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "schema/control.pb.h"

namespace gordian {

struct CollectOptions {
  std::string session;
  std::string directory;
  uint64_t bytes_per_second = 0;  // of all nodes together; 0: no limit
};

// The progress, for a thread that watches meanwhile.
struct CollectProgress {
  std::atomic<uint64_t> missing_bytes = 0;  // 0 until the nodes have told
  std::atomic<uint64_t> fetched_bytes = 0;
};

// A node's list of its files, checked: it may say anything.
absl::Status CheckFiles(const pb::FilesResponse& files);

// By index, the reason why a node failed; an error if nothing can be collected at all.
absl::StatusOr<std::vector<absl::Status>> CollectFromNodes(Cluster& cluster,
                                                           const CollectOptions& options,
                                                           CollectProgress& progress);

}  // namespace gordian
