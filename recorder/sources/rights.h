// SPDX-License-Identifier: Apache-2.0
// What this process may do of what recording needs: its capabilities.
//
// Without CAP_BPF and CAP_PERFMON nothing can be recorded. Each further capability adds something;
// what its absence costs is told to the user and counted in the session.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

struct Rights {
  uint64_t capabilities = 0;  // the effective ones, as bits
  bool is_root = false;
  // Capabilities of another user namespace than the first are no rights to the kernel.
  bool in_first_user_namespace = true;
  bool kernel_addresses_open = false;  // to everybody
};

// What cannot be read counts as not permitted, except the namespace: an old kernel has none.
Rights ReadRights(const SystemPaths& paths);

// OK if these rights are enough to record. Otherwise one line: what is missing and the ways out.
absl::Status CheckMayRecord(const Rights& rights);

struct MissingRight {
  std::string_view capability;  // CAP_SYS_PTRACE
  std::string_view loss;        // what a recording lacks without it, as a noun
  std::string_view counter;     // trace/counters.h
};
std::vector<MissingRight> MissingRights(const Rights& rights);

// One line for the user; empty if nothing is missing.
std::string TextOfMissing(const std::vector<MissingRight>& missing);

}  // namespace gordian
