// SPDX-License-Identifier: Apache-2.0
// The gains of the natural fixes of a report's findings.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "schema/report.pb.h"
#include "whatif/ask/ask.h"

namespace gordian {

struct PredictionOptions {
  // "gordian whatif trace --comm postgres": to which a change is appended.
  std::string command;
  // The budget of predictions, in steps of replayed programs; 0: about the cost of the analysis.
  uint64_t most_replayed_steps = 0;
  int most_findings = 3;  // the first so many
  // The recording's requests, or why there are none (AskRequests); null: threads alone answer. Of
  // all of the recording, while threads may replay a part.
  const absl::StatusOr<TokenModel>* requests = nullptr;
  // Called after each replay with the spent share of the budget.
  Progress progress = [](double) {};
  // Asked before and after each replay. Once it is true, no more is predicted: findings keep the
  // predictions that they have.
  std::function<bool()> stop_asked = [] { return false; };
};

// The cost, in the same measure.
struct PredictionCost {
  uint64_t allowed_steps = 0;
  uint64_t replayed_steps = 0;
  double replayed_s = 0;  // of the recording
  bool stopped = false;   // by stop_asked, before all was predicted
};

// Fills the predictions of the first findings, or the reason why they have none. Orders findings
// whose trusted intervals are clearly apart by their gain; the verdict follows. `recording.report`
// may be `report`.
//
// If a recording is so long that one fix might exceed the budget, only a part of its middle is
// replayed. A further fix is tried only if the budget left covers the dearest fix so far. So the
// total never costs twice the budget, and mostly less than the budget.
PredictionCost PredictFindings(const AnalyzedRecording& recording, const PredictionOptions& options,
                               pb::Report& report);

}  // namespace gordian
