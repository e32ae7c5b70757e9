// SPDX-License-Identifier: Apache-2.0
// The workload program's report: its threads and the causes that must have ended their waits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gordian {

struct WorkloadThread {
  std::string role;
  int32_t tid = 0;
  std::string woken_by;  // the role that ends its waits, if a thread does
  std::string context;   // thread, timer, disk or net
  uint64_t operations = 0;
  bool in_turns = false;          // one block per operation, exactly
  uint64_t blocks = 0;            // as the kernel counted them …
  uint64_t counted_until_ns = 0;  // … until then; 0: to the thread's end
};

struct WorkloadReport {
  bool fifo =
      false;  // ran in strict turns: one wait per operation where threads wait for each other
  uint32_t disk = 0;  // its id as in trace events
  std::vector<WorkloadThread> threads;
};

absl::StatusOr<WorkloadReport> ParseWorkloadReport(const std::string& json);

}  // namespace gordian
