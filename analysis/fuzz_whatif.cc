// SPDX-License-Identifier: Apache-2.0
// Any events as a recording: it is replayed with what the findings' fixes would change, and every
// prediction is a sound number. The last byte chooses how much may be replayed.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "analysis/fuzz_recording.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/graph.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"
#include "whatif/predict_findings.h"

namespace gordian {
namespace {

void Require(bool is_true) {
  if (!is_true) std::abort();
}

void RequireSound(const pb::Report& report) {
  for (const pb::Finding& finding : report.findings()) {
    for (const pb::Prediction& prediction : finding.predictions()) {
      Require(prediction.low() >= 0 && prediction.low() <= prediction.high());
      Require(std::isfinite(prediction.high()));
      Require(prediction.self_check() >= 0 && prediction.trust() >= 0 && prediction.trust() <= 1);
    }
  }
}

void Replay(std::span<const uint8_t> bytes) {
  const std::unique_ptr<SessionReader> session = RecordingOfBytes(bytes);
  const auto timeline = Timeline::Load(*session, {.threads = 1, .events_per_window = 50}, {});
  if (!timeline.ok() || timeline->start_ns() >= timeline->end_ns()) return;
  const Waits waits(*timeline, {.threads = 1});
  const WaitForGraph graph = BuildWaitForGraph(
      waits, {.from_ns = timeline->start_ns(), .to_ns = timeline->end_ns(), .threads = 1});
  const auto merged = BuildGraph(graph, {});
  Require(merged.ok());
  pb::Report report = Judge(graph, *merged, {});
  const StackSums no_stacks;
  const Code no_code;
  // Of some the whole is replayed, of most only the middle.
  PredictFindings({*timeline, report, merged->vertex_of_entity, no_stacks, no_code},
                  {.command = "whatif", .most_replayed_steps = uint64_t{16} << bytes.back() % 8},
                  report);
  RequireSound(report);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) gordian::Replay({data, size});
  return 0;
}
