// SPDX-License-Identifier: Apache-2.0
// A session of gordiand, or one on many nodes, as folders that grow here for as long as this lives.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "cluster/session_mirror.h"
#include "live/live_session.h"

namespace gordian {

class MirroredSession {
 public:
  // Keeps the newest keep_ns, in a folder below $TMPDIR or /var/tmp that only this user can read.
  // Nodes that cannot be asked are told by TakeEnded; if there is no other, that is an error.
  static absl::StatusOr<std::unique_ptr<MirroredSession>> Start(const DaemonChoice& daemons,
                                                                const std::string& session,
                                                                uint64_t keep_ns);
  ~MirroredSession();  // removes the folder
  MirroredSession(const MirroredSession&) = delete;
  MirroredSession& operator=(const MirroredSession&) = delete;

  // The nodes whose recording is here. NotFound as long as those that answer are not all here, for
  // a few seconds at most, or if none is; the mirror's error once all of them are over.
  absl::StatusOr<std::vector<LiveNodeFolder>> Folders() const;

  // A node whose session is followed no more, and why.
  struct Ended {
    std::string node;  // empty: this machine
    std::string because;
  };
  // Since the call before.
  std::vector<Ended> TakeEnded();

 private:
  struct Node {
    LiveNodeFolder folder;
    std::unique_ptr<SessionMirror> mirror;
    bool is_told = false;
  };
  MirroredSession(Cluster cluster, std::string directory)
      : cluster_(std::move(cluster)), directory_(std::move(directory)) {}

  Cluster cluster_;
  const std::string directory_;
  std::vector<Node> nodes_;
  std::vector<Ended> unreachable_;  // not told yet
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace gordian
