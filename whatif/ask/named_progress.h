// SPDX-License-Identifier: Apache-2.0
// Progress as a person writes it: which events of the recording count.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "whatif/ask/ask.h"
#include "whatif/score/score.h"

namespace gordian {

struct NamedProgress {
  std::vector<ProgressMark> marks;
  std::string what;        // in words
  bool is_cycles = false;  // of threads that were chosen without being asked for
  bool is_job = false;     // all of the job's time counts, and its end is the throughput
};
// What the target does for its clients: its answers, or the waits of others that it ends. If these
// are few, the cycles of the first finding's threads: whoever holds others up may go on as ever
// when they gain. So if these sleep, the cycles of who waits for them count as well. If that
// finding's threads are strangers to the target, any answers, or the cycles of its own end. Of a
// job its work, from its beginning to its end.
absl::StatusOr<NamedProgress> DefaultProgress(const AnalyzedRecording& recording);
// FORM of --progress; empty: the default.
absl::StatusOr<NamedProgress> ReadProgress(const AnalyzedRecording& recording,
                                           const std::string& text,
                                           std::span<const NodeEvents> events);

}  // namespace gordian
