// SPDX-License-Identifier: Apache-2.0
// What gordian serve is asked about one node's recording, answered where the recording lies, by the
// endpoints that serve itself has (serve/endpoints.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "schema/near.pb.h"
#include "serve/served_recordings.h"

namespace gordian {

class NodeViews {
 public:
  NodeViews(std::string directory, int threads);
  ~NodeViews();

  // As serve answers. FailedPrecondition: it needs the recordings of all nodes, as one node's
  // answer would end at its first packet, and look like a whole one.
  absl::StatusOr<pb::NearView> Answer(const pb::NearViewQuestion& question);
  // The analysis, made at the first question. It is there until Forget.
  absl::StatusOr<const Analysis*> Read();
  // What was recorded since counts from now on.
  void Forget();

 private:
  class Recording;

  const std::string directory_;
  const int threads_;
  const ServedRecordings others_;  // there are none
  std::unique_ptr<const Recording> recording_;
};

}  // namespace gordian
