// SPDX-License-Identifier: Apache-2.0
// Spark's event log: one JSON object a line, telling of an application's jobs, stages and tasks.
//
// A task's line tells how long its steps took but not when; they are laid out as Spark's own page
// does: SchedulerDelay from the launch on (what no other step explains: the ways from and to the
// driver), then Deserialize, Compute, ShuffleWrite, Serialize, and GetResult at the task's end. The
// model says which of them there are.
// The part of Compute that was a wait for shuffle data blocks its beginning. The part that was
// garbage collection blocks its end and, if Compute is too short for that, the end of Deserialize.
//
// A model with the resources `tasks`, `spill`, `shuffle_read` or `shuffle_write` gets them filled:
// how many tasks an executor runs at a time; and the bytes that its tasks spilled to disk, read
// from others and wrote for others, evenly over the steps that did it. None has a capacity: a task
// would not be faster if its executor could run more of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/sources/log_reader.h"
#include "jobs/sources/use_sweep.h"
#include "trace/logs/json_fields.h"

namespace gordian {

class SparkLog : public LogReader {
 public:
  explicit SparkLog(LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;
  void Finish() override;

 private:
  struct Types {
    PhaseTypeId job, stage, task, delay, deserialize, compute, write, serialize, get_result;
  };
  struct Stage {
    std::string job;  // empty: not known
    uint32_t phase = kNoId;
    std::string parents;
  };
  enum class Outcome { kUnderstood, kUnknown, kMalformed };

  Outcome TakeEvent(std::string_view event);
  Outcome ApplicationEvent(bool start);
  Outcome JobStart();
  Outcome JobEnd();
  Outcome StageSubmitted();
  Outcome StageCompleted();
  Outcome TaskStart();
  Outcome TaskEnd();
  Outcome Lacks(size_t field);
  std::string Fault(std::string_view line) const;
  uint32_t Executor();
  void TakeSteps(uint32_t task, uint32_t executor, uint64_t start_ns, uint64_t end_ns);
  void TakeLine(std::string_view line, const std::string& file, uint64_t number);

  void TakeUse(std::string_view resource, double amount, uint32_t executor, uint64_t start_ns,
               uint64_t end_ns);
  void HandOverUse();
  std::string NodeOf(uint32_t executor);

  std::string_view Text(size_t field) const { return fields_.Get(field); }
  std::optional<uint64_t> Time(size_t field) const;  // in the job's clock
  double Amount(size_t field) const;
  uint64_t SpanNs(size_t field, uint64_t unit_ns) const;
  std::string StageKey(size_t id, size_t attempt) const;
  Stage& StageAt(const std::string& key);
  // The keys of a phase below Application, whose own comes first.
  std::vector<std::string_view> Keys(std::initializer_list<std::string_view> below) const;

  LogSinks& sinks_;
  JsonFields fields_;
  Types types_;
  std::string application_;
  absl::flat_hash_map<std::string, std::string> job_of_stage_;    // by its id without an attempt
  std::map<std::string, Stage> stages_;                           // by key
  absl::flat_hash_map<std::string, std::string> newest_attempt_;  // of a stage: its key
  // Tasks with their host and executor, until it is known how many executors a host has.
  struct Placed {
    uint32_t phase;
    uint32_t executor;  // an index of executors_
  };
  std::vector<Placed> placed_;
  struct BlockedStep {
    uint32_t phase;
    const char* resource;
    uint64_t start_ns, end_ns;
  };
  std::vector<BlockedStep> blocked_;                            // likewise
  std::vector<std::pair<std::string, std::string>> executors_;  // host and name
  absl::flat_hash_map<std::pair<std::string, std::string>, uint32_t> executor_numbers_;
  absl::flat_hash_map<std::string, size_t> executors_of_host_;
  std::map<std::pair<std::string, uint32_t>, UseSweep> use_;  // by the resource's name, executor
  size_t lacking_ = 0;  // the field that the last malformed line lacks
};

}  // namespace gordian
