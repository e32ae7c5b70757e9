// Brings a session's files from many nodes here: DIR/NODE is that node's session.
//
// What is here already is not fetched again, what came half is continued, and every file is checked
// against the node's own checksum of it. The space all of it needs is looked for before.
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

// How far it is, for who watches meanwhile.
struct CollectProgress {
  std::atomic<uint64_t> missing_bytes = 0;  // 0 until the nodes have told
  std::atomic<uint64_t> fetched_bytes = 0;
};

// What a node said it has, checked: it may say anything.
absl::Status CheckFiles(const pb::FilesResponse& files);

// Which node failed and why, by index; an error if nothing can be collected at all.
absl::StatusOr<std::vector<absl::Status>> CollectFromNodes(Cluster& cluster,
                                                           const CollectOptions& options,
                                                           CollectProgress& progress);

}  // namespace gordian
