// SPDX-License-Identifier: Apache-2.0
// A Spark event log → edges of an activity graph (docs/import-activities.md has the translation).
//
// Tasks end in another order than they begin, and each takes a lane of its executor when it begins:
// all tasks are held until the end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "import/lanes.h"
#include "import/waiting_line.h"
#include "trace/activities/activity.h"
#include "trace/activities/activity_writer.h"
#include "trace/logs/json_fields.h"

namespace gordian {

class SparkActivities {
 public:
  static constexpr size_t kMaxTasks = 8u << 20;

  SparkActivities();

  // InvalidArgument, with the reason, for a line that is no JSON object, but for the last line of a
  // log, in the middle of which an application may have ended.
  absl::Status TakeLine(std::string_view line);
  // Lines longer than any real one.
  void CountTooLong(uint64_t lines) { odd_ += lines; }

  // Writes all edges, and adds the counters. InvalidArgument if no line told of Spark.
  absl::Status Finish(ActivitySink& sink, pb::ActivityGraph& graph);

 private:
  // In their order. The rest of a task belongs to its scheduler.
  enum Part : size_t { kDeserialize, kShuffleRead, kCompute, kShuffleWrite, kSerialize, kParts };
  struct Task {
    uint64_t launch_ns = 0;
    uint64_t finish_ns = 0;
    uint64_t result_ns = 0;  // when the driver began to fetch its result; 0: it came at once
    std::array<uint64_t, kParts> part_ns{};
    uint32_t executor = 0;  // of names_
    uint32_t label = 0;     // of names_
    bool has_parts = false;
  };
  struct OpenJobs {
    uint64_t time_ns = 0;
    int32_t change = 0;
  };

  std::string_view Text(size_t field) const { return fields_.Get(field); }
  std::optional<uint64_t> TimeNs(size_t field) const;
  uint64_t SpanNs(size_t field, uint64_t unit_ns) const;
  absl::Status TakeEvent(std::string_view event);
  absl::Status TaskEnd();
  void Moment(size_t field, bool starts, int32_t jobs);
  absl::StatusOr<uint32_t> StageLabel(std::string_view stage);
  absl::Status WriteTask(const Task& task, uint32_t lane, ActivitySink& sink);
  absl::Status WriteDriver(ActivitySink& sink);

  JsonFields fields_;
  ActivityNames names_;
  absl::Status last_line_;  // that it was no JSON
  absl::flat_hash_map<std::string, std::string> stage_names_;
  std::vector<Task> tasks_;
  std::vector<LineEvent> driver_;
  std::vector<OpenJobs> jobs_;
  uint64_t events_ = 0;
  uint64_t tasks_begun_ = 0;
  uint64_t odd_ = 0;
};

}  // namespace gordian
