// SPDX-License-Identifier: Apache-2.0
#include "import/spark_activities.h"

#include <algorithm>

#include "base/time_units.h"
#include "fmt/format.h"
#include "import/csv_fields.h"
#include "trace/logs/decimal_time.h"

namespace gordian {
namespace {

constexpr std::string_view kDriver = "driver";
constexpr size_t kMaxLabelBytes = 4096;

enum SparkActivityField : size_t {
  kEventName,
  kEventTime,
  kJobSubmission,
  kJobCompletion,
  kStageInfoId,
  kStageInfoName,
  kStageSubmission,
  kStageCompletion,
  kTaskStage,
  kLaunchTime,
  kFinishTime,
  kResultTime,
  kExecutorId,
  kExecutorHost,
  kDeserializeMs,
  kRunMs,
  kSerializeMs,
  kFetchWaitMs,
  kShuffleWriteNs,
};

std::vector<std::string> SparkActivityFields() {
  return {"Event",
          "Timestamp",
          "Submission Time",
          "Completion Time",
          "Stage Info.Stage ID",
          "Stage Info.Stage Name",
          "Stage Info.Submission Time",
          "Stage Info.Completion Time",
          "Stage ID",
          "Task Info.Launch Time",
          "Task Info.Finish Time",
          "Task Info.Getting Result Time",
          "Task Info.Executor ID",
          "Task Info.Host",
          "Task Metrics.Executor Deserialize Time",
          "Task Metrics.Executor Run Time",
          "Task Metrics.Result Serialization Time",
          "Task Metrics.Shuffle Read Metrics.Fetch Wait Time",
          "Task Metrics.Shuffle Write Metrics.Shuffle Write Time"};
}

}  // namespace

SparkActivities::SparkActivities() : fields_(SparkActivityFields()) {}

// In milliseconds since 1970; 0 and -1 stand for "not yet".
std::optional<uint64_t> SparkActivities::TimeNs(size_t field) const {
  const auto time_ns = ParseDecimalNs(Text(field), kNsPerMs);
  return time_ns && *time_ns > 0 ? time_ns : std::nullopt;
}

uint64_t SparkActivities::SpanNs(size_t field, uint64_t unit_ns) const {
  return ParseDecimalNs(Text(field), unit_ns).value_or(0);
}

absl::Status SparkActivities::TakeLine(std::string_view line) {
  if (!last_line_.ok()) return last_line_;
  if (line.empty()) return absl::OkStatus();
  if (!fields_.Read(line)) {
    last_line_ = absl::InvalidArgumentError(fmt::format("no JSON object: {}", Quoted(line)));
    return absl::OkStatus();
  }
  return TakeEvent(Text(kEventName));
}

// A moment of the driver's line, and of how many jobs it works on.
void SparkActivities::Moment(size_t field, bool starts, int32_t jobs) {
  const auto time_ns = TimeNs(field);
  if (!time_ns) {
    ++odd_;
    return;
  }
  driver_.push_back({.time_ns = *time_ns, .starts = starts});
  if (jobs != 0) jobs_.push_back({*time_ns, jobs});
}

// Spark writes many more kinds; they tell no activity.
absl::Status SparkActivities::TakeEvent(std::string_view event) {
  if (!event.starts_with("SparkListener")) {
    ++odd_;
    return absl::OkStatus();
  }
  ++events_;
  event.remove_prefix(std::string_view("SparkListener").size());
  if (event == "ApplicationStart" || event == "ApplicationEnd") Moment(kEventTime, false, 0);
  if (event == "JobStart") Moment(kJobSubmission, true, 1);
  if (event == "JobEnd") Moment(kJobCompletion, false, -1);
  if (event == "StageSubmitted") {
    stage_names_[std::string(Text(kStageInfoId))] =
        std::string(Text(kStageInfoName).substr(0, kMaxLabelBytes));
    // Older versions tell it only when the stage is complete.
    if (TimeNs(kStageSubmission)) Moment(kStageSubmission, true, 0);
  }
  if (event == "StageCompleted") Moment(kStageCompletion, false, 0);
  if (event == "TaskStart") ++tasks_begun_;
  return event == "TaskEnd" ? TaskEnd() : absl::OkStatus();
}

// "stage 3: count at Main.scala:15".
absl::StatusOr<uint32_t> SparkActivities::StageLabel(std::string_view stage) {
  const auto name = stage_names_.find(std::string(stage));
  const bool known = name != stage_names_.end() && !name->second.empty();
  return names_.Number(
      fmt::format("stage {}{}", stage.substr(0, kMaxLabelBytes), known ? ": " + name->second : ""));
}

absl::Status SparkActivities::TaskEnd() {
  const auto launch_ns = TimeNs(kLaunchTime), finish_ns = TimeNs(kFinishTime);
  if (tasks_begun_ > 0) --tasks_begun_;
  if (!launch_ns || !finish_ns || *launch_ns == *finish_ns) {
    ++odd_;
    return absl::OkStatus();
  }
  if (tasks_.size() == kMaxTasks)
    return absl::ResourceExhaustedError("more than 8 million tasks: import parts of the log");
  const auto label = StageLabel(Text(kTaskStage));
  if (!label.ok()) return label.status();
  const auto executor =
      names_.Number(fmt::format("executor {}@{}", Text(kExecutorId).substr(0, kMaxLabelBytes),
                                Text(kExecutorHost).substr(0, kMaxLabelBytes)));
  if (!executor.ok()) return executor.status();
  Task task{.launch_ns = *launch_ns,
            .finish_ns = *finish_ns,
            .executor = *executor,
            .label = *label,
            .has_parts = !Text(kRunMs).empty()};
  if (const auto result_ns = TimeNs(kResultTime)) task.result_ns = *result_ns;
  const uint64_t run_ns = SpanNs(kRunMs, kNsPerMs);
  const uint64_t write_ns = std::min(SpanNs(kShuffleWriteNs, 1), run_ns);
  const uint64_t read_ns = std::min(SpanNs(kFetchWaitMs, kNsPerMs), run_ns - write_ns);
  task.part_ns = {SpanNs(kDeserializeMs, kNsPerMs), read_ns, run_ns - write_ns - read_ns, write_ns,
                  SpanNs(kSerializeMs, kNsPerMs)};
  tasks_.push_back(task);
  return absl::OkStatus();
}

// Each part gets the time it says, as far as the task has any left. What no part tells is the
// scheduler's delay, at the beginning. A task that failed tells no parts.
absl::Status SparkActivities::WriteTask(const Task& task, uint32_t lane, ActivitySink& sink) {
  constexpr std::array<std::string_view, kParts> kTypes = {
      "Serialization", "ShuffleRead", "Processing", "ShuffleWrite", "Serialization"};
  const std::string worker = Lanes::Name(names_.Text(task.executor), lane);
  const std::string& label = names_.Text(task.label);
  absl::Status status;
  const auto add = [&](std::string_view from, uint64_t from_ns, std::string_view to, uint64_t to_ns,
                       std::string_view type) {
    if (!status.ok() || (from == to && from_ns == to_ns)) return;
    status = sink.Add({.src_worker = from,
                       .src_ns = from_ns,
                       .dst_worker = to,
                       .dst_ns = to_ns,
                       .type = type,
                       .label = label});
  };
  if (task.finish_ns < task.launch_ns) {
    add(worker, task.launch_ns, worker, task.finish_ns, "Processing");  // counted, not written
    return status;
  }
  add(kDriver, task.launch_ns, worker, task.launch_ns, "ControlMessage");
  const bool fetches_result = task.result_ns > task.launch_ns && task.result_ns < task.finish_ns;
  const uint64_t end_ns = fetches_result ? task.result_ns : task.finish_ns;
  uint64_t at_ns = task.launch_ns;
  if (task.has_parts) {
    uint64_t left_ns = end_ns - task.launch_ns;
    std::array<uint64_t, kParts> part_ns = task.part_ns;
    for (uint64_t& part : part_ns) {
      part = std::min(part, left_ns);
      left_ns -= part;
    }
    add(worker, at_ns, worker, at_ns + left_ns, "Scheduling");
    at_ns += left_ns;
    for (size_t part = 0; part < kParts; ++part) {
      add(worker, at_ns, worker, at_ns + part_ns[part], kTypes[part]);
      at_ns += part_ns[part];
    }
  } else {
    add(worker, at_ns, worker, end_ns, "Processing");
  }
  add(worker, end_ns, kDriver, task.finish_ns, fetches_result ? "DataMessage" : "ControlMessage");
  return status;
}

// The driver launches tasks and waits for them. Where it does neither it schedules, or between jobs
// it runs the application's own code.
absl::Status SparkActivities::WriteDriver(ActivitySink& sink) {
  if (driver_.empty()) return absl::OkStatus();
  const auto earlier = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  const auto [first, last] = std::minmax_element(driver_.begin(), driver_.end(), earlier);
  const uint64_t from_ns = first->time_ns, to_ns = last->time_ns;
  std::stable_sort(jobs_.begin(), jobs_.end(), earlier);
  absl::Status status;
  size_t next_job = 0;
  int64_t open_jobs = 0;
  PartLine(from_ns, to_ns, driver_, [&](uint64_t begin_ns, uint64_t end_ns, bool waits) {
    for (; next_job < jobs_.size() && jobs_[next_job].time_ns <= begin_ns; ++next_job)
      open_jobs += jobs_[next_job].change;
    if (!status.ok()) return;
    status = sink.Add({.src_worker = kDriver,
                       .src_ns = begin_ns,
                       .dst_worker = kDriver,
                       .dst_ns = end_ns,
                       .type = waits           ? "Waiting"
                               : open_jobs > 0 ? "Scheduling"
                                               : "Processing",
                       .label = kDriver,
                       .traversable = !waits});
  });
  return status;
}

absl::Status SparkActivities::Finish(ActivitySink& sink, pb::ActivityGraph& graph) {
  if (events_ == 0) return absl::InvalidArgumentError("no line is an event of Spark");
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [](const Task& a, const Task& b) { return a.launch_ns < b.launch_ns; });
  Lanes lanes;
  for (const Task& task : tasks_) {
    const uint32_t lane = lanes.Take(task.executor, task.launch_ns, task.finish_ns);
    if (absl::Status status = WriteTask(task, lane, sink); !status.ok()) return status;
    if (task.finish_ns < task.launch_ns) continue;
    driver_.push_back({.time_ns = task.launch_ns, .starts = true, .waited_for = 1});
    driver_.push_back({.time_ns = task.finish_ns, .waited_for = -1});
  }
  if (absl::Status status = WriteDriver(sink); !status.ok()) return status;
  AddGraphCounter(graph, "activities_odd", odd_ + tasks_begun_ + (last_line_.ok() ? 0 : 1));
  return absl::OkStatus();
}

}  // namespace gordian
