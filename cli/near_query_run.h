// SPDX-License-Identifier: Apache-2.0
// gordian query SESSION --nodes …: each node answers for its own recording.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cluster/cluster.h"
#include "near/near_query.h"

namespace gordian {

absl::StatusOr<NearTable> QueryOfSession(const DaemonChoice& daemons, const std::string& session,
                                         const std::string& sql);

}  // namespace gordian
