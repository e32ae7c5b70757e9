// SPDX-License-Identifier: Apache-2.0
// The gain of a change: a recording replayed with something in it changed. docs/design-replay.md
// describes the model and its limits.
//
//   timeline -> score (programs of threads) -> simulations, unchanged and changed -> interval
//
// Deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/timeline/timeline.h"
#include "whatif/edit/edit.h"
#include "whatif/paths/paths.h"
#include "whatif/play/play.h"
#include "whatif/score/score.h"

namespace gordian {

struct ReplayOptions {
  Changes changes;
  std::vector<ProgressMark> marks;
  // They are a job's (JobMarks): all of its time counts, from the first to the last.
  bool is_job = false;
  // From stacks (CallPaths). A vertex' short runs between such waits count if they are more.
  std::vector<Path> paths;
  // The cost of waking threads that are no longer woken for nothing, for each of
  // changes.no_false_wakeups (WakePaths). It shrinks like the number of these wakes.
  std::vector<std::vector<Path>> wake_paths;
  // Of all edges that have stacks: what waits in a loop can do something else meanwhile.
  std::vector<LoopShare> loops;
  // … for idle ticks: the same for all questions about a recording, whose score they share.
  std::vector<LoopShare> tick_loops;
  // For changes.more_at_once.
  std::vector<SleepCost> sleep_costs;
  // For all others.
  std::vector<WakeShare> wake_shares;
  // Of cgroups that have used up their CPU quotas.
  std::vector<QuotaGroup> quota_groups;
  // The vertices of the program: the change and the next limit are sought among them; empty: all.
  std::vector<uint32_t> candidates;
  // The timeline is a stretch of a longer one: paths that are the likely one have a reading, too,
  // so that all stretches have the same readings …
  bool is_stretch = false;
  // … and the whole knows the threads' connections (ConnectionsByThread).
  std::vector<uint32_t> connections;
};

enum class NextLimit : uint8_t { kNone, kCpus, kThread, kDisk, kSleep, kOutside, kWaits, kLink };

struct Limiter {
  NextLimit kind = NextLimit::kNone;
  EntityId entity = kNobody;
  double share = 0;   // of the time it is busy (kSleep … kLink: spends so)
  uint32_t node = 0;  // kCpus without an entity: whose CPUs
};

// One end of the interval.
struct Reading {
  double gain = 1;        // throughput with the change over that without
  double self_check = 0;  // rate of the replay with nothing changed over the recorded one, less 1
  // How far the gain may be off by chance (0.1: 10 %), 19 times of 20. It follows from the
  // differences of the gain, and of the recorded rate, between eight parts of the recording.
  double chance = 0;
  Limiter next;                 // the limit with the change
  bool serves_helpers = false;  // a disk serves a request of each helper at once
};

struct ReplayResult {
  double recorded_rate = 0;  // marks per second
  uint64_t marks = 0;
  Reading wait_alone;
  Reading with_path;
  // With less or more of the CPU time on the waits' way, as far as that is unsure; with a disk that
  // serves more at once than was seen.
  std::vector<Reading> other_paths;
  std::vector<Path> paths;  // as they counted
  uint64_t steps = 0;
  uint64_t forced_steps = 0;  // that had to go on before their wait was over
  double unexplained = 0;     // share of the progress' threads' time in waits without a known cause

  // Calls are skipped: the wait alone, with the calls still made, is no end of the interval.
  bool calls_gone = false;

  // Added threads divide the work of one that works by itself. The wait alone is that they cannot.
  bool divides_work = false;
  // … in rounds, each with its wait for a disk. Who asks for more threads knows of rounds that do
  // not depend on each other, so this is the lower end, but not what is between.
  bool divides_in_rounds = false;

  // The readings' gains, each widened by its chance and its self-check.
  double low = 1;
  double high = 1;
  // Between the readings: as far from the lower as from the higher one. If calls are gone, the
  // lower reading takes the likely path: the least path only holds what pauses show.
  double expected = 1;
  // The larger deviation of the two unchanged replays from the recording.
  double self_check() const;
};

// The common part of all replays of one recording. Filled as replays need it. All users of one have
// the same timeline, vertices, marks, ticks and candidates.
struct PreparedReplays {
  // For changes that neither make a sleeper hand on work nor turn threads of other programs into
  // those of the program.
  std::shared_ptr<const Score> recorded;
  // … with the other programs settled (rivals.h); for those of them that do not change the CPUs.
  std::shared_ptr<const Score> score;
  uint64_t forced_steps = 0;  // in the replays that settled it
  // Of that score with nothing changed: in the order recorded, and free.
  std::array<std::optional<PlayOutcome>, 2> unchanged;
  // The cost of all replays so far, in steps of the replayed programs.
  uint64_t replayed_steps = 0;
  // Called after each replay. Once it is false, the result is not wanted any more: what is left
  // of it is not played, and it has no meaning.
  std::function<bool()> on_replay = [] { return true; };
  std::optional<PlayOutcome> given_up_with;
};

// `vertex_of_entity` as in MergedGraph. `prepared`, if given, is filled and used.
// FailedPrecondition if there are too few marks, or too few in each of the stretches that are to be
// played at once.
absl::StatusOr<ReplayResult> ReplayTimeline(const Timeline& timeline,
                                            std::span<const uint32_t> vertex_of_entity,
                                            const ReplayOptions& options,
                                            PreparedReplays* prepared = nullptr);
// Fills `prepared` before anything is changed, unless there are too few marks.
void PrepareReplays(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                    const ReplayOptions& options, PreparedReplays& prepared);

// Long recordings are replayed in stretches (stretches.cc): an answer costs no more, however long
// the recording.
struct ReplayedStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

// Eight stretches of the recording, evenly spread, that hold about so many steps together. They are
// long alike, so each stands for an eighth of the time. Empty if the whole has no more steps.
std::vector<ReplayedStretch> StretchesToReplay(const Timeline& whole, uint64_t most_steps);

// The results of the stretches, all of the same question, as that of the whole: the work of all of
// them is done one stretch behind the other. How much the gain differs between them tells how far
// it may be off by chance. At least two; their options had `is_stretch`.
ReplayResult JoinStretches(std::span<const ReplayResult> stretches, const Changes& changes);

}  // namespace gordian
