// SPDX-License-Identifier: Apache-2.0
// Changes that would make a job faster, and by how much at best (Grade10, Section III-F).
//
//   bottlenecks, phases -> replay with one thing mended -> gain as a share of the makespan -> rank
//
// Gains are upper bounds: they assume that the mended part costs nothing. The decisions are in
// docs/design-attribution.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "jobs/attribution/attribution.h"
#include "jobs/bottlenecks/bottlenecks.h"
#include "jobs/issues/critical_path.h"
#include "jobs/issues/replay.h"
#include "jobs/issues/thresholds.h"

namespace gordian {

enum class IssueKind : uint8_t {
  kBottleneck,  // gone: the bottlenecks on `resources`
  kImbalance,   // gone: concurrent phases of `type` within one `scope_type` last differently
  kOutliers,    // gone: few of them last much longer than all others
  kGaps,        // gone: time on the critical path in which no phase ran
};

// Each is a threshold of jobs/issues/thresholds.h, which says what it does.
struct IssueOptions {
  double threshold = kLeastIssueGain;  // of the makespan: smaller gains are no issue
  size_t max_phases = 20;              // named by one issue
  double stands_for = kStandsFor;
  size_t fewest_compared = kFewestCompared;
  double outlier_quartiles = kOutlierQuartiles;
  double outlier_medians = kOutlierMedians;
  double slight_doubt = kSlightDoubt;
  double strong_doubt = kStrongDoubt;
  double doubt_of_any_amount = kDoubtOfAnyAmount;
  double mostly_measured = kMostlyMeasured;
  double coarse_sample_slices = kCoarseSampleSlices;
  double mostly_covered = kMostlyCovered;
  double much_unexplained = kMuchUnexplained;
  PhaseReplayOptions replay;
};

// A phase that takes part in an issue.
struct IssuePhase {
  PhaseId phase = 0;
  int64_t shorter_ns = 0;  // by how much if it were mended; below 0 if it would last longer
  // Of imbalance and outliers: its duration as a multiple of the mean of the others within the same
  // phase, and of those elsewhere in the scope. 0: there are no others.
  double of_siblings = 0;
  double of_others = 0;
  // Of outliers: as a multiple of the median of the others of the group above which it lies.
  double of_group = 0;
  // Of gaps: the gap lies between the last phase within and this one's end, else before its start.
  bool gap_at_end = false;
};

struct Issue {
  IssueKind kind = IssueKind::kBottleneck;
  PhaseTypeId type = kNoId;               // kNoId: of all phases
  PhaseTypeId scope_type = kNoId;         // of imbalance and outliers
  std::vector<ResourceTypeId> resources;  // of bottlenecks: one, or two that hold only together
  PhaseId job = 0;                        // of several jobs the one that gains most
  double gain = 0;                        // share of that job's makespan
  int64_t gain_ns = 0;
  // Of outliers: how much longer they make the scope that suffers most (2.38 times).
  double slowdown = 0;
  PhaseId worst_scope = kNoId;  // of imbalance and outliers: where most is lost
  // Of bottlenecks: how the phases were held, added up.
  uint64_t saturated_ns = 0;
  uint64_t self_limited_ns = 0;
  uint64_t blocked_ns = 0;
  std::vector<IssuePhase> phases;   // by the time they would lose, most first
  uint64_t phase_count = 0;         // of all that take part
  double confidence = 1;            // 0 … 1
  std::vector<std::string> doubts;  // one sentence for each thing that lowers it
};

// How the phases of a bottleneck were held most.
enum class Hold : uint8_t { kBlocked, kSelfLimited, kSaturated };
Hold HoldOf(const Issue& issue);

// How far a replay can be trusted.
struct ReplayTrust {
  int64_t recorded_ns = 0;
  int64_t replayed_ns = 0;        // with nothing changed
  int64_t without_delays_ns = 0;  // as the paper replays
  int64_t delays_on_path_ns = 0;  // of the critical path: the part that the model does not explain
  uint64_t contradicted = 0;      // precedences of the model that the recording does not bear out
};

struct IssueReport {
  std::vector<Issue> issues;  // by gain times confidence, largest first
  CriticalPath critical_path;
  ReplayTrust trust;
};

// `measured` as given to Attribute.
absl::StatusOr<IssueReport> FindIssues(const Job& job, const Attribution& attribution,
                                       const Bottlenecks& bottlenecks, const IssueOptions& options,
                                       std::span<const MeasuredUse> measured = {});

}  // namespace gordian
