// What the natural fixes of a report's findings would gain.
#pragma once

#include <cstdint>
#include <string>

#include "schema/report.pb.h"
#include "whatif/ask/ask.h"

namespace gordian {

struct PredictionOptions {
  // "gordian whatif trace --comm postgres": to which a change is appended.
  std::string command;
  // The report is of a part of the recording, but only whole ones are replayed.
  bool is_part = false;
  // What predictions may cost, in steps of replayed programs; 0: about as much as the analysis.
  uint64_t most_replayed_steps = 0;
  int most_findings = 3;  // the first so many
  // Called after each replay with the share of that which is spent.
  Progress progress = [](double) {};
};

// What it cost, in the same measure.
struct PredictionCost {
  uint64_t allowed_steps = 0;
  uint64_t replayed_steps = 0;
  double replayed_s = 0;  // of the recording
};

// Fills the predictions of the first findings, or why they have none, and puts findings whose
// trusted intervals are clearly apart in the order of what they gain; the verdict follows.
// `recording.report` may be `report`.
//
// A recording that is so long that one fix might cost more than is allowed is not replayed as a
// whole, but as much of its middle as may be. A further fix is tried only if what the dearest so
// far took is left. So it all never costs twice as much as is allowed, and mostly less than that.
PredictionCost PredictFindings(const AnalyzedRecording& recording, const PredictionOptions& options,
                               pb::Report& report);

}  // namespace gordian
