// Brings a session's files from many nodes here: DIR/NODE is that node's session.
//
// What is here already is not fetched again, what came half is continued, and every file is checked
// against the node's own checksum of it. The space all of it needs is looked for before.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/cluster/cluster.h"
#include "recorder/control/rate_limit.h"
#include "schema/control.pb.h"

namespace gordian {

struct CollectOptions {
  std::string session;
  std::string directory;
  uint64_t bytes_per_second = 0;  // of all nodes together; 0: no limit
};

// What a node said it has, checked: it may say anything.
absl::Status CheckFiles(const pb::FilesResponse& files);

// The verb: the exit code, after a line for each node that could not, and progress on a terminal.
int CollectFromNodes(Cluster& cluster, const CollectOptions& options);

}  // namespace gordian
