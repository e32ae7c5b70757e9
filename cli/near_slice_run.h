// SPDX-License-Identifier: Apache-2.0
// gordian slice SESSION --nodes …: a slice across nodes that are asked, not collected.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "near/near_slice.h"
#include "output/slice_text.h"

namespace gordian {

// Asks the daemons about that session. The cluster must outlive it.
NearNodes AskedNodes(Cluster& cluster, const std::string& session);

absl::StatusOr<NearSlice> SliceOfSession(const DaemonChoice& daemons, const std::string& session,
                                         const NearSliceQuestion& question);

// For people: the slice, what was not followed, what it took, and what a whole-cluster pass adds.
std::string NearSliceText(const std::string& session, const NearSlice& slice,
                          const SliceTextOptions& options);

}  // namespace gordian
