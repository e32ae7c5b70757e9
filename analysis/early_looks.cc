// SPDX-License-Identifier: Apache-2.0
#include "analysis/early_looks.h"

#include "analysis/analysis.h"

namespace gordian {
namespace {

// 1 %, 3 % and 9 % cost 13 % of the whole. A look reads its part again: to share what the analysis
// has read would save a third of that, and hold both in one state.
constexpr double kGrowth = 3;
constexpr double kMostCost = 0.15;
// A look is at most about an eighth of the recording.
constexpr uint64_t kShareOfMemory = 8;

}  // namespace

void EarlyLooks::At(const ReadSoFar& so_far) {
  if (!options_.early_looks.show || so_far.share < next_share_ || IsStopped()) return;
  next_share_ = kGrowth * so_far.share;
  if (looked_at_ + so_far.share > kMostCost) return;
  if (!options_.early_looks.is_worth_it(so_far.share)) return;
  looked_at_ += so_far.share;
  Look(so_far);
}

void EarlyLooks::Look(const ReadSoFar& so_far) {
  ReadOptions reading = options_.reading();
  reading.memory.bytes /= kShareOfMemory;
  reading.store = {};  // it holds whole recordings
  reading.until_ns = so_far.until_ns;
  reading.keep_reading = [this](const ReadSoFar&) { return !IsStopped(); };
  auto recording = ReadRecording(directory_, reading);
  if (!recording.ok() || IsStopped()) return;
  AnalysisOptions options = options_;
  options.predictions.reset();
  options.job.reset();
  options.early_looks = {};
  const auto analysis = Analysis::Run(*std::move(recording), options);
  if (analysis.ok() && !IsStopped())
    options_.early_looks.show({.share = so_far.share, .report = analysis->report()});
}

}  // namespace gordian
