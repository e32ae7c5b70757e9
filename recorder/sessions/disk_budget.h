// SPDX-License-Identifier: Apache-2.0
// Whether a new session or snapshot still fits on the disk.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/session_limits.h"

namespace gordian {

class DiskBudget {
 public:
  // `committed_bytes`: the size of the store, with every session in writing counted at its largest.
  // `free_bytes`: on the store's file system now.
  DiskBudget(const SessionLimits& limits, uint64_t committed_bytes, uint64_t free_bytes);

  // Sets options.max_bytes to the session's allowance, or refuses (ResourceExhausted). A plain
  // session without a named size gets at most half of the free room, so that its snapshots and the
  // next session find room. A session that named a size, or a ring, gets it or nothing.
  absl::Status AdmitSession(RecordingOptions& options, bool size_was_asked) const;
  absl::Status AdmitSnapshot(uint64_t snapshot_bytes) const;

 private:
  absl::Status CheckFree(uint64_t bytes_needed) const;

  const SessionLimits limits_;
  const uint64_t free_bytes_;
  const uint64_t left_bytes_;  // of max_total_bytes
};

}  // namespace gordian
