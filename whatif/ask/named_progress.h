// SPDX-License-Identifier: Apache-2.0
// Progress as a person writes it: which events of the recording count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "whatif/ask/ask.h"
#include "whatif/score/score.h"

namespace gordian {

struct NamedProgress {
  std::vector<ProgressMark> marks;
  std::string what;                 // in words
  std::vector<uint32_t> cycles_of;  // of vertices that were chosen without being asked for
  bool is_job = false;              // all of the job's time counts, its end is the throughput
};
// What the target does for its clients: its answers, or the waits of others that it ends. If these
// are few, the cycles of the first finding's threads: whoever holds others up may go on as ever
// when they gain. So if these sleep, the cycles of who waits for them count as well. If that
// finding's threads are strangers to the target, any answers, or the cycles of its own end. Of a
// job its work, from its beginning to its end.
absl::StatusOr<NamedProgress> DefaultProgress(const AnalyzedRecording& recording);
// Where cycles count by default: those of these vertices instead, if they differ and go round often
// enough for a rate.
std::optional<NamedProgress> CyclesInstead(const NamedProgress& otherwise,
                                           std::span<const uint32_t> vertices,
                                           const AnalyzedRecording& recording);
// FORM of --progress; empty: the default.
absl::StatusOr<NamedProgress> ReadProgress(const AnalyzedRecording& recording,
                                           const std::string& text,
                                           std::span<const NodeEvents> events);

}  // namespace gordian
