// SPDX-License-Identifier: Apache-2.0
// The options of the analyzer's stages, from the user's request and the contents of the recording.
#pragma once

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "analysis/recording.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/graph.h"
#include "analyzer/timeline/timeline.h"
#include "report/time_range.h"

namespace gordian {

// OutOfRange if no part of the recording is left, FailedPrecondition if it has no length at all.
absl::StatusOr<TimeRange> ResolveRange(const RangeOptions& options,
                                       const LoadedRecording& recording);
// InvalidArgument if a group is no REGEX=NAME. Without profiles of code.
absl::StatusOr<GraphOptions> ResolveMerging(const VertexOptions& options);
// NotFound if no thread was in a named cgroup, InvalidArgument for nodes of a recording of one.
absl::StatusOr<FindingOptions> ResolveFindings(const AnalysisOptions& options,
                                               const Timeline& timeline);

}  // namespace gordian
