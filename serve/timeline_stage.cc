// SPDX-License-Identifier: Apache-2.0
#include "serve/timeline_stage.h"

#include <algorithm>
#include <utility>

namespace gordian {

absl::StatusOr<std::shared_ptr<const Units>> UnitsFor(const ViewRequest& request) {
  return request.served->kept().Get<Units>("", [&] {
    return FindUnits(request.analysis().timeline(),
                     request.analysis().merged_graph().vertex_of_entity,
                     request.recording.rack_of_node());
  });
}

absl::StatusOr<std::shared_ptr<const TimelineStage>> TimelineFor(const ViewRequest& request) {
  auto units = UnitsFor(request);
  if (!units.ok()) return units.status();
  return request.served->kept().Get<TimelineStage>("", [&] {
    TimelineStage stage;
    stage.units = *std::move(units);
    stage.tiles = std::make_unique<TileSource>(request.analysis().timeline(),
                                               request.analysis().window_sums(), *stage.units);
    return stage;
  });
}

absl::StatusOr<std::shared_ptr<const WalkStage>> WalkFor(const ViewRequest& request) {
  return request.served->kept().Get<WalkStage>("", [&] {
    WalkStage stage;
    stage.graph = std::make_unique<ExecutionGraph>(request.analysis().timeline());
    stage.moments = std::make_unique<Moments>(*stage.graph, request.analysis().code());
    return stage;
  });
}

absl::StatusOr<AskedRange> RangeWithin(const Analysis& analysis, const ViewParameters& parameters) {
  auto range = GetAskedRange(parameters);
  if (!range.ok()) return range.status();
  const Timeline& timeline = analysis.timeline();
  range->to_ns = std::min(range->to_ns, timeline.end_ns() - timeline.start_ns());
  if (range->from_ns >= range->to_ns)
    return absl::InvalidArgumentError("from: the recording ends before it");
  return range;
}

}  // namespace gordian
