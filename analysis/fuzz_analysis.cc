// SPDX-License-Identifier: Apache-2.0
// Any events as a recording: analyzing it neither crashes nor runs for ever, and the report refers
// only to its own entries. Merging of threads is on or off, by the last byte. What the findings'
// fixes would gain is left to fuzz_whatif.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/fuzz_recording.h"
#include "output/text_report.h"

namespace gordian {
namespace {

void Require(bool is_true) {
  if (!is_true) std::abort();
}

void RequireWhole(const pb::Report& report) {
  const auto is_vertex = [&](uint32_t id) {
    return id < static_cast<uint32_t>(report.vertices_size());
  };
  for (const pb::Finding& finding : report.findings()) {
    Require(finding.members_size() > 0 && !finding.title().empty());
    Require(finding.share() >= 0 && finding.share() <= 1);
    Require(finding.confidence() >= 0 && finding.confidence() <= 1);
    Require(finding.upper_bound_gain() >= 1);
    for (const uint32_t id : finding.members()) Require(is_vertex(id));
    if (finding.has_edge())
      Require(is_vertex(finding.edge().from()) && is_vertex(finding.edge().to()));
  }
}

void Analyze(std::span<const uint8_t> bytes) {
  const std::unique_ptr<SessionReader> session = RecordingOfBytes(bytes);
  auto timeline = Timeline::Load(*session, {.threads = 1, .events_per_window = 50}, {});
  if (!timeline.ok()) return;  // no events
  const bool has_length = timeline->start_ns() < timeline->end_ns();
  const auto analysis = Analysis::Run(RecordingOf(*std::move(timeline)),
                                      {.graph = {.no_merge = bytes.back() % 2 == 0},
                                       .finding = {.explain = bytes.back() % 4 < 2},
                                       .threads = 1});
  Require(analysis.ok() == has_length);
  if (!analysis.ok()) return;
  RequireWhole(analysis->report());
  // A text is made of all reports alike: a few of them will do.
  if (bytes.back() % 8 == 0) Require(!TextReport(analysis->report(), {}).empty());
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) gordian::Analyze({data, size});
  return 0;
}
