// What a change would gain: a recording replayed with something in it changed. The model, and what
// it cannot know, is in docs/design-replay.md.
//
//   timeline -> score (programs of threads) -> simulations, unchanged and changed -> interval
//
// Deterministic. Memory: 24 bytes for each step of a program, some three steps a wait, besides the
// timeline. Time: linear in the steps, times the logarithm of what is under way at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// An event whose rate is the throughput: `thread` did it at that time.
struct ProgressMark {
  EntityId thread = kNobody;
  uint64_t time_ns = 0;
};

// All numbers are vertices; a device is the one of its entity.
struct DiskChange {
  uint32_t disk = 0;
  double factor = 1;  // of its service times
};

struct WaitChange {
  uint32_t from = 0;
  uint32_t to = 0;
  // Whether what is waited for goes on to be done (an operation made asynchronous: it must keep
  // up). Else it is not even asked for any more (no sync at all, a lock that is free whenever it is
  // taken), and the calls in which it was waited for are gone with it.
  bool keeps_up = true;
};

struct TimerChange {
  uint32_t vertex = 0;
  double factor = 1;  // of its sleeps
};

struct RunChange {
  uint32_t vertex = 0;
  double factor = 1;  // of its threads' CPU time
};

// Waits of `from` for `to` at a lock, which becomes so many: each is needed as often as any other.
struct LockSplit {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t ways = 1;
  // Whoever waits for a lock as it is given back is served by one of them for all (group commit).
  bool grouped = false;
};

struct AddedThreads {
  uint32_t vertex = 0;
  uint32_t count = 0;  // besides those there are
};

// So many times as many requests of the vertex' threads are under way at a time.
struct MoreAtOnce {
  uint32_t vertex = 0;
  uint32_t times = 1;
  // Whether there are as many times as many such threads, each with requests of its own (clients).
  // Else they are those there were, each with more requests.
  bool more_threads = false;
};

struct Changes {
  std::vector<DiskChange> disks;
  std::vector<WaitChange> waits;
  std::vector<LockSplit> splits;
  std::vector<AddedThreads> added_threads;
  std::vector<MoreAtOnce> more_at_once;    // at most one, and no splits, added threads … with it
  std::vector<uint32_t> no_false_wakeups;  // of these vertices' threads
  std::vector<TimerChange> timers;
  std::vector<RunChange> runs;
  uint32_t cpus = 0;  // 0: as many as there were
};

// The way to a vertex' waits that are gone: the calls in which it waited so.
struct Path {
  uint32_t vertex = 0;
  double run_share = 0;       // of its CPU time
  double least_share = 0;     // … by whichever source says least
  double most_share = 0;      // … as far as chance allows
  bool kernel_relay = false;  // kernel threads that only pass on that a disk is done
  struct Waits {
    uint32_t to = 0;
    double share = 0;  // of its waits for that vertex
  };
  std::vector<Waits> waits;  // in the same calls, for others
};

// The share of the waits of `from` for `to` in loops that wait for events of any kind (epoll).
struct LoopShare {
  uint32_t from = 0;
  uint32_t to = 0;
  double share = 0;
};

// Shares of a vertex' CPU time that go to going to sleep, or to waking others: what is saved, as
// far as its threads, or these others, find more to do and do not sleep.
struct SleepCost {
  uint32_t vertex = 0;
  bool of_waking = false;
  double switch_share = 0;  // the scheduler's part
  double call_share = 0;    // the calls in which that happens as a whole
};

struct ReplayOptions {
  Changes changes;
  std::vector<ProgressMark> marks;
  // From stacks (call_paths.h). A vertex' short runs between such waits count where they are more.
  std::vector<Path> paths;
  // What it takes to wake those who are not to be woken for nothing any more, for each of
  // changes.no_false_wakeups (call_paths.h). As much of it goes as of these wakes.
  std::vector<std::vector<Path>> wake_paths;
  // For changes.more_at_once (call_paths.h).
  std::vector<LoopShare> loops;
  std::vector<SleepCost> sleep_costs;
  // The vertices that the change is about, and among which the next limit is looked for; empty:
  // all.
  std::vector<uint32_t> candidates;
};

enum class NextLimit : uint8_t { kNone, kCpus, kThread, kDisk, kSleep, kOutside, kWaits };

struct Limiter {
  NextLimit kind = NextLimit::kNone;
  EntityId entity = kNobody;
  double share = 0;  // of the time it is busy (kSleep … kWaits: spends so)
};

// One end of the interval.
struct Reading {
  double gain = 1;        // throughput with the change over that without
  double seconds = 0;     // that the same work takes with the change, of those the recording took
  double self_check = 0;  // rate of the replay with nothing changed over the recorded one, less 1
  // How far the gain may be off by chance (0.1: 10 %), 19 times of 20: from how much it differs
  // between eight parts of the recording, and the recorded rate between them.
  double chance = 0;
  Limiter next;  // what limits with the change
};

struct ReplayResult {
  double recorded_rate = 0;  // marks per second
  uint64_t marks = 0;
  Reading wait_alone;
  Reading with_path;
  // With less or more of the CPU time on the waits' way, as far as it is not sure how much that is.
  std::vector<Reading> other_paths;
  std::vector<Path> paths;  // as they counted
  uint64_t steps = 0;
  uint64_t forced_steps = 0;  // that had to go on although what they waited for had not happened
  double unexplained = 0;     // share of the progress' threads' time in waits that nobody explains

  // Something is skipped: the wait alone, with the calls still made, is no end of the interval.
  bool calls_gone = false;

  // The readings' gains, each widened by its chance and its self-check.
  double low = 1;
  double high = 1;
  // Between the readings: as far from the lower as from the higher one. Where calls are gone, the
  // lower one is with what is likely on the way: the least only says what pauses show.
  double expected = 1;
  // The larger deviation of the two unchanged replays from the recording.
  double self_check() const;
};

inline constexpr size_t kFewestMarks = 10;

struct PreparedReplays;

// `vertex_of_entity` as in MergedGraph. `prepared`, if given, is filled and used
// (prepared_replays.h). FailedPrecondition if there are fewer than kFewestMarks marks, or fewer in
// each of the stretches that are to be played at once.
absl::StatusOr<ReplayResult> ReplayTimeline(const Timeline& timeline,
                                            std::span<const uint32_t> vertex_of_entity,
                                            const ReplayOptions& options,
                                            PreparedReplays* prepared = nullptr);
// Fills `prepared` before anything is changed, unless there are too few marks.
void PrepareReplays(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                    const ReplayOptions& options, PreparedReplays& prepared);

// The default progress: the ends of all waits of these vertices' threads, or, where they hardly
// ever wait, or those of them wait who do least, a mark for each five-hundredth of the recording
// that they run.
std::vector<ProgressMark> CycleMarks(const Timeline& timeline,
                                     std::span<const uint32_t> vertex_of_entity,
                                     std::span<const uint32_t> vertices);
// The ends of waits that threads ended, of this vertex' threads.
std::vector<ProgressMark> WakeMarks(const Timeline& timeline,
                                    std::span<const uint32_t> vertex_of_entity, uint32_t vertex);
// Requests to the disk (all disks for kNobody) by threads.
std::vector<ProgressMark> DiskMarks(const Timeline& timeline, EntityId disk);

}  // namespace gordian
