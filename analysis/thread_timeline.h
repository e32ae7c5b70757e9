// SPDX-License-Identifier: Apache-2.0
// A thread's part of a recording.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "schema/listings.pb.h"

namespace gordian {

struct ThreadTimelineRequest {
  int32_t tid = 0;   // 0: told by name
  std::string node;  // of a recording of many; empty: on whichever it is
  std::string name;  // of the thread or group, as a report has it that is made with `analysis`
  RangeOptions range;
  AnalysisOptions analysis;
};

// The states of the threads of that number or name at every moment. NotFound if no such thread
// lived in that time. By number it takes no analysis.
absl::StatusOr<pb::TimelineListing> ListThread(const std::string& directory,
                                               const ThreadTimelineRequest& request,
                                               const AnalysisProgress& progress = {});

}  // namespace gordian
