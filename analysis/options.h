// SPDX-License-Identifier: Apache-2.0
// The options of an analysis. Every option has a default: the whole recording, its own target, all
// CPUs, no predictions.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/capacities.h"
#include "analysis/read_options.h"
#include "analysis/recorded_job.h"
#include "analyzer/sums/window_sums.h"

namespace gordian {
namespace pb {
class Report;
}

// The target of the analysis. Without any, the recording's target, or the busiest group of threads.
struct TargetOptions {
  std::vector<int32_t> pids;         // processes, with their descendants
  std::vector<std::string> comms;    // names of threads or processes
  std::vector<std::string> cgroups;  // paths
  std::vector<std::string> nodes;    // the above on these nodes only, or all threads of these
};

// How vertices are made of threads.
struct VertexOptions {
  std::vector<std::string> groups;  // REGEX=NAME
  bool no_merge = false;
  bool assume_false_wakeups = false;  // likely ones join the waits around them
};

// How knots are searched.
struct SearchOptions {
  double threshold = 0.20;  // of the recording
  uint32_t max_vertices = 0;
  bool keep_background = false;
  bool explain = false;
};

// Counted from the recording's start.
struct RangeOptions {
  uint64_t from_ns = 0;
  uint64_t to_ns = std::numeric_limits<uint64_t>::max();
};

// The gains of the natural fixes of the findings.
struct FixOptions {
  std::string command;               // the command of gordian whatif, without a change
  uint64_t most_replayed_steps = 0;  // see PredictionOptions
};

// What the beginning of a recording says: a report without predictions, as if only that had been
// recorded.
struct EarlyLook {
  double share = 0;  // of the recording's events, about
  const pb::Report& report;
};

// Looks at a recording while it is read, at shares that grow geometrically: all of them
// together cost at most 15 % of the whole. They change nothing in its report.
struct EarlyLookOptions {
  std::function<void(const EarlyLook& look)> show;  // none: no looks
  // Asked when a look is due, with the share that is read: whether it is worth its cost.
  std::function<bool(double share)> is_worth_it;
};

// Sweeps a recording elsewhere: the same sums as those of the constructor that it stands for, with
// other windows perhaps. It is not asked if an option changed the timeline since it was read.
using SweepElsewhere =
    std::function<absl::StatusOr<WindowSums>(const Waits& waits, const WindowSumOptions& options)>;

struct AnalysisOptions {
  TargetOptions target;
  VertexOptions graph;
  SearchOptions finding;
  RangeOptions range;
  CapacityOptions capacities;
  std::optional<FixOptions> predictions;
  // Analysis::Ask will follow: without predictions, too, findings tell of requests, so that a
  // question gets the answer that the same question of the report has. What was found is kept.
  bool questions = false;
  std::optional<JobRequest> job;  // adds the phases of this job to the report
  int threads = 0;                // 0: one for each CPU; the report is the same for any number
  MemoryOptions memory;
  Store store;  // where timeline and sums of earlier analyses may be; default: none
  // Neither makes another report; both are called from the calling thread.
  EarlyLookOptions early_looks;
  // Asked now and then while it reads and predicts. Once it is true, it stays so: the rest of the
  // recording is not read, no more is predicted, and all between is done with what there is.
  std::function<bool()> stop_asked;
  SweepElsewhere sweep_elsewhere;  // none: here
  ReadOptions reading() const { return {.threads = threads, .memory = memory, .store = store}; }
};

// In their order.
enum class AnalysisStage : uint8_t {
  kReading,      // files to timeline
  kSuggestions,  // where threads seem to spin, or to be woken for nothing
  kWaits,
  kGraph,    // what waits weigh
  kMerging,  // similar threads to vertices
  kFindings,
  kDetails,  // nodes, users of CPUs, counters, stacks
  kPredictions,
  kPhases,
};

// Called with 0 as a stage begins, and now and then with the share of it that is done; always from
// the calling thread.
using AnalysisProgress = std::function<void(AnalysisStage stage, double share)>;

// Tells `progress` that a stage begins; the result tells it how far that stage is.
inline std::function<void(double share)> BeginStage(const AnalysisProgress& progress,
                                                    AnalysisStage stage) {
  if (!progress) return {};
  progress(stage, 0);
  return [&progress, stage](double share) { progress(stage, share); };
}

}  // namespace gordian
