// SPDX-License-Identifier: Apache-2.0
// A session that one backend recorded of the workload, read and judged by itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/guest/backend_comparison.h"
#include "tests/guest/workload_report.h"

namespace gordian {

struct RecordedSession {
  std::string backend;
  WorkloadReport report;
  CausesByRole causes;
  uint64_t events = 0;
  // Empty if it is whole (by the backend that was asked for, completed, nothing lost) and true to
  // the workload.
  std::vector<std::string> findings;
};

absl::StatusOr<RecordedSession> ReadRecordedSession(const std::string& backend,
                                                    const std::string& directory,
                                                    const WorkloadReport& report);

}  // namespace gordian
