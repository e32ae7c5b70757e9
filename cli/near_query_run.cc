// SPDX-License-Identifier: Apache-2.0
#include "cli/near_query_run.h"

#include "cli/near_slice_run.h"

namespace gordian {

absl::StatusOr<NearTable> QueryOfSession(const DaemonChoice& daemons, const std::string& session,
                                         const std::string& sql) {
  auto cluster = Cluster::Open(daemons);
  if (!cluster.ok()) return cluster.status();
  return QueryAcross(AskedNodes(*cluster, session), sql);
}

}  // namespace gordian
