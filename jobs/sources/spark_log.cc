// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/spark_log.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/time_units.h"
#include "jobs/logs/log_time.h"
#include "jobs/sources/json_description.h"
#include "trace/logs/decimal_time.h"
#include "trace/logs/log_lines.h"

namespace gordian {
namespace {

enum SparkField : size_t {
  kEvent,
  kTimestamp,
  kAppId,
  kAppName,
  kJobId,
  kJobStages,
  kSubmissionTime,
  kCompletionTime,
  kInfoStageId,
  kInfoStageAttempt,
  kInfoParents,
  kInfoSubmission,
  kInfoCompletion,
  kStageId,
  kStageAttempt,
  kTaskId,
  kTaskLaunch,
  kTaskFinish,
  kTaskExecutor,
  kTaskHost,
  kDeserializeTime,
  kRunTime,
  kSerializationTime,
  kGcTime,
  kFetchWait,
  kShuffleWrite,
  kGettingResult,
  kDiskBytesSpilled,
  kRemoteBytesRead,
  kShuffleBytesWritten,
};

std::vector<std::string> FieldNames() {
  return {"Event",
          "Timestamp",
          "App ID",
          "App Name",
          "Job ID",
          "Stage IDs",
          "Submission Time",
          "Completion Time",
          "Stage Info.Stage ID",
          "Stage Info.Stage Attempt ID",
          "Stage Info.Parent IDs",
          "Stage Info.Submission Time",
          "Stage Info.Completion Time",
          "Stage ID",
          "Stage Attempt ID",
          "Task Info.Task ID",
          "Task Info.Launch Time",
          "Task Info.Finish Time",
          "Task Info.Executor ID",
          "Task Info.Host",
          "Task Metrics.Executor Deserialize Time",
          "Task Metrics.Executor Run Time",
          "Task Metrics.Result Serialization Time",
          "Task Metrics.JVM GC Time",
          "Task Metrics.Shuffle Read Metrics.Fetch Wait Time",
          "Task Metrics.Shuffle Write Metrics.Shuffle Write Time",
          "Task Info.Getting Result Time",
          "Task Metrics.Disk Bytes Spilled",
          "Task Metrics.Shuffle Read Metrics.Remote Bytes Read",
          "Task Metrics.Shuffle Write Metrics.Shuffle Bytes Written"};
}

// The type at that path below the root; the root if the model lacks it.
PhaseTypeId TypeAt(const PhaseTypes& types, std::initializer_list<std::string_view> path) {
  PhaseTypeId type = 0;
  for (const std::string_view name : path) {
    const PhaseTypeId child = types.Child(type, name);
    if (child == kNoId) return kNoId;
    type = child;
  }
  return type;
}

// A damaged log's numbers may be too large for a sum.
uint64_t Sum(uint64_t a, uint64_t b) {
  return b > std::numeric_limits<uint64_t>::max() - a ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

}  // namespace

SparkLog::SparkLog(LogSinks& sinks) : sinks_(sinks), fields_(FieldNames()) {
  const PhaseTypes& types = sinks.collector.types();
  types_ = {.job = TypeAt(types, {"Job"}),
            .stage = TypeAt(types, {"Job", "Stage"}),
            .task = TypeAt(types, {"Job", "Stage", "Task"}),
            .delay = TypeAt(types, {"Job", "Stage", "Task", "SchedulerDelay"}),
            .deserialize = TypeAt(types, {"Job", "Stage", "Task", "Deserialize"}),
            .compute = TypeAt(types, {"Job", "Stage", "Task", "Compute"}),
            .write = TypeAt(types, {"Job", "Stage", "Task", "ShuffleWrite"}),
            .serialize = TypeAt(types, {"Job", "Stage", "Task", "Serialize"}),
            .get_result = TypeAt(types, {"Job", "Stage", "Task", "GetResult"})};
}

// In ms since 1970; 0 and -1 stand for "not yet".
std::optional<uint64_t> SparkLog::Time(size_t field) const {
  const auto time = ParseDecimalNs(Text(field), kNsPerMs);
  if (!time || *time == 0) return {};
  return sinks_.clock.FromWall(*time);
}

uint64_t SparkLog::SpanNs(size_t field, uint64_t unit_ns) const {
  return ParseDecimalNs(Text(field), unit_ns).value_or(0);
}

// "3", and "3.1" for its second attempt.
std::string SparkLog::StageKey(size_t id, size_t attempt) const {
  std::string key(Text(id));
  const std::string_view number = Text(attempt);
  if (!number.empty() && number != "0") key.append(".").append(number);
  return key;
}

// Few: those of the application.
uint32_t SparkLog::Executor() {
  const std::pair<std::string, std::string> executor(Text(kTaskHost), Text(kTaskExecutor));
  const auto [entry, is_new] =
      executor_numbers_.try_emplace(executor, static_cast<uint32_t>(executors_.size()));
  if (is_new) {
    executors_.push_back(executor);
    ++executors_of_host_[executor.first];
  }
  return entry->second;
}

// Says what the line lacks.
SparkLog::Outcome SparkLog::Lacks(size_t field) {
  lacking_ = field;
  return Outcome::kMalformed;
}

SparkLog::Stage& SparkLog::StageAt(const std::string& key) {
  const auto [entry, is_new] = stages_.try_emplace(key);
  if (is_new) {
    const auto job = job_of_stage_.find(key.substr(0, key.find('.')));
    if (job != job_of_stage_.end()) entry->second.job = job->second;
  }
  return entry->second;
}

std::vector<std::string_view> SparkLog::Keys(std::initializer_list<std::string_view> below) const {
  std::vector<std::string_view> keys = {application_};
  keys.insert(keys.end(), below.begin(), below.end());
  return keys;
}

SparkLog::Outcome SparkLog::ApplicationEvent(bool start) {
  const auto time = Time(kTimestamp);
  if (!time) return Lacks(kTimestamp);
  if (start) {
    application_ = std::string(Text(Text(kAppId).empty() ? kAppName : kAppId));
    job_of_stage_.clear();
    stages_.clear();
    newest_attempt_.clear();
  }
  const std::vector<std::string_view> keys = Keys({});
  const PhaseMark mark{.type = 0, .keys = keys};
  if (start) {
    sinks_.collector.Begin(mark, *time);
  } else {
    sinks_.collector.End(mark, *time);
  }
  return Outcome::kUnderstood;
}

SparkLog::Outcome SparkLog::JobStart() {
  const std::string job(Text(kJobId));
  const auto time = Time(kSubmissionTime);
  if (job.empty() || !time) return Lacks(job.empty() ? kJobId : kSubmissionTime);
  const std::string stages(Text(kJobStages));
  for (const absl::string_view stage : absl::StrSplit(stages, ',', absl::SkipEmpty()))
    job_of_stage_[std::string(stage)] = job;
  const std::vector<std::string_view> keys = Keys({job});
  sinks_.collector.Begin({.type = types_.job, .keys = keys}, *time);
  return Outcome::kUnderstood;
}

SparkLog::Outcome SparkLog::JobEnd() {
  const std::string job(Text(kJobId));
  const auto time = Time(kCompletionTime);
  if (job.empty() || !time) return Lacks(job.empty() ? kJobId : kCompletionTime);
  const std::vector<std::string_view> keys = Keys({job});
  sinks_.collector.End({.type = types_.job, .keys = keys}, *time);
  return Outcome::kUnderstood;
}

SparkLog::Outcome SparkLog::StageSubmitted() {
  const std::string key = StageKey(kInfoStageId, kInfoStageAttempt);
  if (key.empty()) return Lacks(kInfoStageId);
  Stage& stage = StageAt(key);
  stage.parents = std::string(Text(kInfoParents));
  newest_attempt_[std::string(Text(kInfoStageId))] = key;
  const auto time = Time(kInfoSubmission);
  if (!time) return Outcome::kUnderstood;  // its end will tell its beginning, too
  const std::vector<std::string_view> keys = Keys({stage.job, key});
  stage.phase = sinks_.collector.Begin({.type = types_.stage, .keys = keys}, *time);
  return Outcome::kUnderstood;
}

SparkLog::Outcome SparkLog::StageCompleted() {
  const std::string key = StageKey(kInfoStageId, kInfoStageAttempt);
  const auto start = Time(kInfoSubmission), end = Time(kInfoCompletion);
  if (key.empty()) return Lacks(kInfoStageId);
  Stage& stage = StageAt(key);
  if (stage.parents.empty()) stage.parents = std::string(Text(kInfoParents));
  newest_attempt_[std::string(Text(kInfoStageId))] = key;
  const std::vector<std::string_view> keys = Keys({stage.job, key});
  const PhaseMark mark{.type = types_.stage, .keys = keys};
  if (end && sinks_.collector.IsOpen(mark)) {
    sinks_.collector.End(mark, *end);
  } else if (start && end && stage.phase == kNoId) {
    stage.phase = sinks_.collector.Add(mark, *start, *end);
  } else {
    // Skipped stages have no times and are not told of at all.
    return Lacks(end ? kInfoSubmission : kInfoCompletion);
  }
  return Outcome::kUnderstood;
}

SparkLog::Outcome SparkLog::TaskStart() {
  const std::string stage = StageKey(kStageId, kStageAttempt);
  const std::string_view task = Text(kTaskId);
  const auto time = Time(kTaskLaunch);
  if (stage.empty()) return Lacks(kStageId);
  if (task.empty() || !time) return Lacks(task.empty() ? kTaskId : kTaskLaunch);
  const std::vector<std::string_view> keys = Keys({StageAt(stage).job, stage, task});
  const uint32_t phase = sinks_.collector.Begin({.type = types_.task, .keys = keys}, *time);
  const uint32_t executor = Executor();
  if (phase != kNoId) placed_.push_back({phase, executor});
  return Outcome::kUnderstood;
}

SparkLog::Outcome SparkLog::TaskEnd() {
  const std::string stage = StageKey(kStageId, kStageAttempt);
  const std::string_view task = Text(kTaskId);
  const auto start = Time(kTaskLaunch), end = Time(kTaskFinish);
  if (stage.empty()) return Lacks(kStageId);
  if (task.empty() || !start) return Lacks(task.empty() ? kTaskId : kTaskLaunch);
  if (!end || *end < *start) return Lacks(kTaskFinish);
  const std::vector<std::string_view> keys = Keys({StageAt(stage).job, stage, task});
  const PhaseMark mark{.type = types_.task, .keys = keys};
  const bool open = sinks_.collector.IsOpen(mark);
  const uint32_t phase =
      open ? sinks_.collector.End(mark, *end) : sinks_.collector.Add(mark, *start, *end);
  if (phase == kNoId) return Outcome::kUnderstood;
  const uint32_t executor = Executor();
  if (!open) placed_.push_back({phase, executor});
  TakeUse("tasks", SecondsOf(*end - *start), executor, *start, *end);
  TakeSteps(phase, executor, *start, *end);
  return Outcome::kUnderstood;
}

double SparkLog::Amount(size_t field) const {
  double amount = 0;
  const std::string_view text = Text(field);
  return absl::SimpleAtod(absl::string_view(text.data(), text.size()), &amount) &&
                 std::isfinite(amount)
             ? amount
             : 0;
}

// `amount` in all over that time; nothing if the model has no such resource.
void SparkLog::TakeUse(std::string_view resource, double amount, uint32_t executor,
                       uint64_t start_ns, uint64_t end_ns) {
  if (start_ns >= end_ns || sinks_.collector.types().FindResource(resource) == kNoId) return;
  use_[{std::string(resource), executor}].Add(start_ns, end_ns,
                                              amount / SecondsOf(end_ns - start_ns));
}

// Each step gets the time it says, as far as the task has any left. A task that failed tells no
// metrics, and has no steps.
void SparkLog::TakeSteps(uint32_t task, uint32_t executor, uint64_t start_ns, uint64_t end_ns) {
  if (Text(kRunTime).data() == nullptr) return;
  const uint64_t run_ns = SpanNs(kRunTime, kNsPerMs);
  const uint64_t write_ns = std::min(SpanNs(kShuffleWrite, 1), run_ns);
  const auto got_result_ns = Time(kGettingResult);
  uint64_t result_ns = got_result_ns && *got_result_ns < end_ns ? end_ns - *got_result_ns : 0;
  if (types_.get_result == kNoId) result_ns = 0;
  result_ns = std::min(result_ns, end_ns - start_ns);
  end_ns -= result_ns;
  uint64_t at_ns = start_ns;
  const auto step = [&](PhaseTypeId type, uint64_t span_ns) {
    const uint64_t step_end_ns = at_ns + std::min(span_ns, end_ns - at_ns);
    const uint64_t begin_ns = std::exchange(at_ns, step_end_ns);
    if (type == kNoId || begin_ns == step_end_ns) return kNoId;
    const uint32_t phase = sinks_.collector.AddWithin(task, {.type = type}, begin_ns, step_end_ns);
    if (phase != kNoId) placed_.push_back({phase, executor});
    return phase;
  };
  if (types_.delay != kNoId) {
    const uint64_t known_ns =
        Sum(SpanNs(kDeserializeTime, kNsPerMs), Sum(run_ns, SpanNs(kSerializationTime, kNsPerMs)));
    const uint64_t delay_ns = end_ns - start_ns - std::min(known_ns, end_ns - start_ns);
    const uint32_t delay = step(types_.delay, delay_ns);
    if (delay != kNoId) blocked_.push_back({delay, "scheduler", start_ns, at_ns});
  }
  const uint64_t deserialize_start_ns = at_ns;
  const uint32_t deserialize = step(types_.deserialize, SpanNs(kDeserializeTime, kNsPerMs));
  const uint64_t compute_start_ns = at_ns;
  const uint32_t compute = step(types_.compute, run_ns - write_ns);
  const uint64_t compute_ns = at_ns - compute_start_ns;
  const uint64_t compute_end_ns = at_ns;
  step(types_.write, write_ns);
  const uint64_t write_end_ns = at_ns;
  step(types_.serialize, SpanNs(kSerializationTime, kNsPerMs));
  at_ns = end_ns;
  end_ns += result_ns;
  step(types_.get_result, result_ns);
  TakeUse("spill", Amount(kDiskBytesSpilled), executor, compute_start_ns, write_end_ns);
  TakeUse("shuffle_read", Amount(kRemoteBytesRead), executor, compute_start_ns, compute_end_ns);
  TakeUse("shuffle_write", Amount(kShuffleBytesWritten), executor, compute_start_ns, write_end_ns);
  const uint64_t fetch_ns = std::min(SpanNs(kFetchWait, kNsPerMs), compute_ns);
  const uint64_t gc_ns = SpanNs(kGcTime, kNsPerMs);
  const uint64_t compute_gc_ns = std::min(gc_ns, compute_ns - fetch_ns);
  const uint64_t other_gc_ns =
      std::min(gc_ns - compute_gc_ns, compute_start_ns - deserialize_start_ns);
  const auto block = [&](uint32_t phase, const char* resource, uint64_t from_ns, uint64_t to_ns) {
    if (phase != kNoId && from_ns < to_ns) blocked_.push_back({phase, resource, from_ns, to_ns});
  };
  block(compute, "shuffle_fetch", compute_start_ns, compute_start_ns + fetch_ns);
  block(compute, "gc", compute_end_ns - compute_gc_ns, compute_end_ns);
  block(deserialize, "gc", compute_start_ns - other_gc_ns, compute_start_ns);
}

SparkLog::Outcome SparkLog::TakeEvent(std::string_view event) {
  if (event == "SparkListenerApplicationStart") return ApplicationEvent(true);
  if (event == "SparkListenerApplicationEnd") return ApplicationEvent(false);
  if (event == "SparkListenerJobStart") return JobStart();
  if (event == "SparkListenerJobEnd") return JobEnd();
  if (event == "SparkListenerStageSubmitted") return StageSubmitted();
  if (event == "SparkListenerStageCompleted") return StageCompleted();
  if (event == "SparkListenerTaskStart") return TaskStart();
  if (event == "SparkListenerTaskEnd") return TaskEnd();
  // Spark writes many more kinds; they say nothing of phases. Other lines are no event log's.
  return event.empty() ? Outcome::kUnknown : Outcome::kUnderstood;
}

void SparkLog::TakeLine(std::string_view line, const std::string& file, uint64_t number) {
  if (!fields_.Read(line)) {
    return sinks_.tally.CountLine("log_lines_malformed", file, number,
                                  [&] { return "no JSON object: " + ShortText(line); });
  }
  const Outcome outcome = TakeEvent(Text(kEvent));
  if (outcome == Outcome::kUnknown) {
    sinks_.tally.CountLine("log_lines_unknown", file, number, [&] { return ShortText(line); });
  } else if (outcome == Outcome::kMalformed) {
    sinks_.tally.CountFault("log_lines_malformed", lacking_, file, number,
                            [&] { return Fault(line); });
  }
}

// "SparkListenerTaskEnd: there is no Task Info.Finish Time; …".
std::string SparkLog::Fault(std::string_view line) const {
  const std::string name = FieldNames()[lacking_];
  const std::string_view value = Text(lacking_);
  const std::string what =
      value.data() == nullptr
          ? absl::StrCat("there is no ", name, DescribeJsonField(line, name))
          : absl::StrCat(name, " is '", ShortText(value), "', which does not fit");
  return absl::StrCat(ShortText(Text(kEvent)), ": ", what, "; the line: ", ShortText(line));
}

absl::Status SparkLog::Read(LogBytes& bytes, const std::string& name) {
  const std::string file(BaseName(name));
  LogLines lines(bytes);
  std::string_view line;
  while (lines.Next(line)) {
    ++sinks_.lines;
    if (!line.empty()) TakeLine(line, file, lines.line_number());
  }
  sinks_.tally.Count("log_lines_too_long", lines.too_long());
  // Parents may come after their children: only now all are there.
  for (const auto& [key, stage] : stages_) {
    std::vector<uint32_t> before;
    for (const absl::string_view id : absl::StrSplit(stage.parents, ',', absl::SkipEmpty())) {
      const auto parent = newest_attempt_.find(id);
      if (parent != newest_attempt_.end()) before.push_back(stages_[parent->second].phase);
    }
    // Another attempt follows the one before.
    const size_t dot = key.find('.');
    int attempt = 0;
    if (dot != std::string::npos && absl::SimpleAtoi(key.substr(dot + 1), &attempt)) {
      const std::string id = key.substr(0, dot);
      const auto last = stages_.find(attempt < 2 ? id : absl::StrCat(id, ".", attempt - 1));
      if (last != stages_.end()) before.push_back(last->second.phase);
    }
    std::erase(before, kNoId);
    if (stage.phase != kNoId) sinks_.collector.SetAfter(stage.phase, std::move(before));
  }
  return lines.status();
}

std::string SparkLog::NodeOf(uint32_t executor) {
  const auto& [host, name] = executors_[executor];
  const bool alone = executors_of_host_[host] < 2;
  return alone ? host : absl::StrCat(host, "/executor-", name);
}

void SparkLog::HandOverUse() {
  MeasuredResources& resources = sinks_.collector.resources();
  for (auto& [what, use] : use_) {
    const auto& [name, executor] = what;
    const ResourceTypeId type = sinks_.collector.types().FindResource(name);
    use.HandOver(resources, resources.Instance(type, name, NodeOf(executor)));
  }
}

// An executor is a node to the replay: its tasks stay where they are. Where hosts have one each,
// that is the host, by whose name its resources are known.
void SparkLog::Finish() {
  for (const Placed& placed : placed_)
    sinks_.collector.SetPlace(placed.phase, NodeOf(placed.executor), 0);
  HandOverUse();
  for (const BlockedStep& step : blocked_)
    sinks_.collector.BlockedPhase(step.phase, step.resource, step.start_ns, step.end_ns);
}

}  // namespace gordian
