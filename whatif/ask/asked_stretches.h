// SPDX-License-Identifier: Apache-2.0
// Questions of a recording that is too long to be replayed whole: stretches of it answer.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/named_progress.h"
#include "whatif/replay/replay.h"

namespace gordian {

// What is replayed of a recording if somebody asks about it; empty: all of it. A job is replayed
// whole: its throughput is its end.
std::vector<ReplayedStretch> StretchesToAsk(const AnalyzedRecording& recording);

// Calls use(number, part) for each stretch of the recording, on all CPUs.
void ForEachStretch(const Timeline& whole, std::span<const ReplayedStretch> stretches,
                    const std::function<void(size_t number, const Timeline& part)>& use);

struct StretchesReplayed {
  std::string progress;  // in words
  ReplayResult result;
  size_t answered = 0;  // so many of the stretches
};
// `given`: the progress; null: the default one, of each stretch by itself, as some of it is cut to
// the length of a recording. `options` has all but the progress. FailedPrecondition if too little
// happens in most stretches; Cancelled once `on_replay` is false, which one thread calls at a time.
absl::StatusOr<StretchesReplayed> ReplayStretches(const AnalyzedRecording& recording,
                                                  std::span<const ReplayedStretch> stretches,
                                                  const NamedProgress* given,
                                                  const ReplayOptions& options,
                                                  const std::function<bool()>& on_replay);

}  // namespace gordian
