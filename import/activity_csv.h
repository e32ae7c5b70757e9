// SPDX-License-Identifier: Apache-2.0
// Records of the CSV of activities (docs/import-activities.md) → edges of an activity graph.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "import/csv_fields.h"
#include "trace/activities/activity.h"

namespace gordian {

class ActivityCsv {
 public:
  explicit ActivityCsv(ActivitySink& sink) : sink_(sink) {}

  // InvalidArgument, with the reason, for a record that is wrong; any other error is the sink's.
  absl::Status TakeRecord(std::string_view record);

 private:
  bool IsHeader() const;
  absl::Status Point(size_t field, std::string_view worker_name, std::string_view time_name,
                     std::string_view& worker, uint64_t& time_ns) const;

  ActivitySink& sink_;
  CsvFields fields_;
  bool begun_ = false;
};

}  // namespace gordian
