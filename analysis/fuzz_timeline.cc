// SPDX-License-Identifier: Apache-2.0
// Any events as a recording: its timeline and its graph of waits are made, and the times of every
// thread add up. fuzz_analysis goes on from there; this one tries many more recordings.
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "analysis/fuzz_recording.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/waits/waits.h"

namespace gordian {
namespace {

void Require(bool is_true) {
  if (!is_true) std::abort();
}

void RequireLedger(const WaitForGraph& graph) {
  for (const Entity& entity : graph.entities) {
    if (entity.kind != EntityKind::kThread && entity.kind != EntityKind::kVirtual) continue;
    Require(entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns +
                entity.unknown_ns ==
            entity.end_ns - entity.begin_ns);
  }
  for (const Edge& edge : graph.edges) {
    Require(edge.from < graph.entities.size() && edge.to < graph.entities.size());
    Require(edge.weight_ns >= edge.own_ns && edge.own_ns >= edge.longest_ns);
  }
}

void Weigh(std::span<const uint8_t> bytes) {
  const std::unique_ptr<SessionReader> session = RecordingOfBytes(bytes);
  const auto timeline = Timeline::Load(*session, {.threads = 1, .events_per_window = 50}, {});
  if (!timeline.ok()) return;  // no events
  const Waits waits(*timeline, {.merge_short_lived = bytes.back() % 2 == 0, .threads = 1});
  RequireLedger(BuildWaitForGraph(
      waits, {.from_ns = timeline->start_ns(), .to_ns = timeline->end_ns(), .threads = 1}));
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) gordian::Weigh({data, size});
  return 0;
}
