// SPDX-License-Identifier: Apache-2.0
// An earlier window of a live recording, made again from what its folders still hold.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "analysis/analysis.h"
#include "live/live_session.h"
#include "schema/live.pb.h"

namespace gordian {

// The window that ends where `nodes` tell. Its stretch is cut out into a folder below $TMPDIR or
// /var/tmp, which is gone when this returns. NotFound, in a line, if the recorder has deleted it.
absl::StatusOr<Analysis> RereadWindow(const std::vector<LiveNodeTime>& nodes,
                                      const LiveOptions& options);

// Its frame, without what needs earlier frames or the nodes' state.
pb::LiveFrame RereadFrame(const Analysis& analysis);

}  // namespace gordian
