// One thread's part of a recording, without an analysis of all of it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "schema/listings.pb.h"

namespace gordian {

struct ThreadTimelineRequest {
  int32_t tid = 0;
  std::string node;  // of a recording of many; empty: on whichever it is
  bool assume_false_wakeups = false;
  RangeOptions range;
};

// What the threads of that number did at every moment. NotFound if none lived in that time.
absl::StatusOr<pb::TimelineListing> ListThread(const std::string& directory,
                                               const ThreadTimelineRequest& request,
                                               const AnalysisProgress& progress = {});

}  // namespace gordian
