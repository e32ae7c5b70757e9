// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/disk_budget.h"

#include <algorithm>

#include <string>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/start_request.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// A session that may take less than this is not worth starting.
constexpr uint64_t kSmallestSessionBytes = 16u << 20;

}  // namespace

DiskBudget::DiskBudget(const SessionLimits& limits, uint64_t committed_bytes, uint64_t free_bytes)
    : limits_(limits),
      free_bytes_(free_bytes),
      left_bytes_(
          limits.max_total_bytes > committed_bytes ? limits.max_total_bytes - committed_bytes : 0) {
}

absl::Status DiskBudget::AdmitSession(RecordingOptions& options, bool size_was_asked) const {
  if (absl::Status status = CheckFree(0); !status.ok()) return status;
  if (!size_was_asked && options.ring_bytes == 0) {
    const uint64_t share_bytes = std::max(left_bytes_ / 2, kSmallestSessionBytes);
    options.max_bytes = std::min(options.max_bytes, share_bytes);
  }
  if (ReservedBytes(options) <= left_bytes_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("up to ", FormatSize(ReservedBytes(options)), " are needed, and ",
                   FormatSize(left_bytes_), " of the ", FormatSize(limits_.max_total_bytes),
                   " for all sessions are left; ask for less, remove finished sessions (gordian "
                   "list), or raise ",
                   "gordiand's --max-total-size"));
}

absl::Status DiskBudget::AdmitSnapshot(uint64_t snapshot_bytes) const {
  if (absl::Status status = CheckFree(snapshot_bytes); !status.ok()) return status;
  if (snapshot_bytes <= left_bytes_) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "a snapshot takes ", FormatSize(snapshot_bytes), ", and ", FormatSize(left_bytes_),
      " of the ", FormatSize(limits_.max_total_bytes),
      " for all sessions are left; remove finished sessions (gordian list), or raise gordiand's ",
      "--max-total-size"));
}

absl::Status DiskBudget::CheckFree(uint64_t bytes_needed) const {
  if (free_bytes_ >= limits_.min_free_bytes &&
      free_bytes_ - limits_.min_free_bytes >= bytes_needed) {
    return absl::OkStatus();
  }
  const std::string need =
      bytes_needed == 0 ? "" : absl::StrCat(" beside the ", FormatSize(bytes_needed), " needed");
  return absl::ResourceExhaustedError(
      absl::StrCat("only ", FormatSize(free_bytes_), " are free on the disk, and gordiand leaves ",
                   FormatSize(limits_.min_free_bytes), " alone", need,
                   "; make room, or lower gordiand's --min-free"));
}

}  // namespace gordian
