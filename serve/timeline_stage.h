// SPDX-License-Identifier: Apache-2.0
// What the timeline's endpoints make of an analysis once.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "analysis/recorded_phases.h"
#include "causes/causes.h"
#include "serve/endpoints.h"
#include "views/moments.h"
#include "views/tiles.h"
#include "views/units.h"

namespace gordian {

struct TimelineStage {
  std::shared_ptr<const Units> units;
  std::unique_ptr<const TileSource> tiles;
};

struct WalkStage {
  std::unique_ptr<const ExecutionGraph> graph;
  std::unique_ptr<const Moments> moments;
};

absl::StatusOr<std::shared_ptr<const Units>> UnitsFor(const ViewRequest& request);
absl::StatusOr<std::shared_ptr<const TimelineStage>> TimelineFor(const ViewRequest& request);
absl::StatusOr<std::shared_ptr<const WalkStage>> WalkFor(const ViewRequest& request);

// `range` within the recording. InvalidArgument if nothing is left of it.
absl::StatusOr<AskedRange> RangeWithin(const Analysis& analysis, const ViewParameters& parameters);

}  // namespace gordian
