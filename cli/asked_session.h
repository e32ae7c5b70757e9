// SPDX-License-Identifier: Apache-2.0
// gordian serve of a session whose nodes are asked for each page: nothing is copied.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "near/near_slice.h"
#include "serve/far_recording.h"
#include "serve/served_recordings.h"

namespace gordian {

class AskedSession {
 public:
  static absl::StatusOr<std::unique_ptr<AskedSession>> Open(const DaemonChoice& daemons,
                                                            const std::string& session);

  // Whether no node records it any more. The first node's failure if none has it.
  absl::StatusOr<bool> HasEnded();
  // A recording for each node, that asks it. This must outlive them.
  void AddTo(ServedRecordings& recordings);

 private:
  AskedSession(Cluster cluster, const DaemonChoice& daemons, std::string session);
  absl::StatusOr<FarState> StateOf(size_t node);
  std::string WholeClusterLine() const;

  Cluster cluster_;
  const DaemonChoice daemons_;
  const std::string session_;
  NearNodes nodes_;
};

}  // namespace gordian
