// SPDX-License-Identifier: Apache-2.0
// The effects of a wait that is gone. The calls on its way go too, known from stacks and from the
// runs between such waits. And threads that find more to do save the CPU time of going to sleep.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/stacks/stacks.h"
#include "whatif/edit/edit.h"
#include "whatif/play/play.h"
#include "whatif/score/score.h"

namespace gordian {

// Waits of `from` for `to` that are to be gone. All numbers are vertices.
struct RemovedEdge {
  uint32_t from = 0;
  uint32_t to = 0;
};

// The way to a vertex' waits that are gone: the calls in which it waited so.
struct Path {
  uint32_t vertex = 0;
  double run_share = 0;    // of its CPU time
  double least_share = 0;  // … by the source that says least
  double most_share = 0;   // … as far as chance allows
  // … in the program's own code outside of these calls: that much stays, as far as chance allows.
  double own_share = 0;
  bool kernel_relay = false;  // kernel threads that only pass on that a disk is done
  bool of_all_wakes = false;  // also of those that wake other vertices
  struct Waits {
    uint32_t to = 0;
    double share = 0;  // of its waits for that vertex
  };
  std::vector<Waits> waits;  // in the same calls, for others
};

// For each vertex with such waits and with samples of its runs (few only tell the most that may
// be): the share of these in the same calls, and that of its waits for others. A call is a system
// call and the innermost functions of the program that made it; a kernel thread has no call. A call
// counts if it makes up a tenth of the removed waits. Functions of the program that are there for
// these waits are on the way as a whole: also those in which others wait for the thread that does
// the removed wait (group commit). If the calls are syncs, the writes before them may cost less
// without them: they are part of the most that may be on the way. `is_kernel`, by vertex: waking a
// kernel thread is part of a call.
std::vector<Path> CallPaths(const StackSums& stacks, const Code& code,
                            std::span<const RemovedEdge> removed,
                            std::span<const uint8_t> is_kernel);

// For each vertex whose threads end waits of `woken`: the share of its CPU time in the calls by
// which they do so. No stacks tell of wakes by packets, which the kernel delivers on the sender's
// CPU time. So for each other vertex: the share of its CPU time in which it wakes others at all.
std::vector<Path> WakePaths(const StackSums& stacks, const Code& code, uint32_t woken);

// The share of a vertex' running samples with that function in their stack, by its name as it is
// shown; 0 without samples.
double RunShareOf(const StackSums& stacks, const Code& code, uint32_t vertex,
                  std::string_view function);

// The path of waits that are gone in that variation (WaitChange, or a disk at factor 0): for each
// vertex that waits so, the path in `given`. If it is more, the share of its CPU time in the
// shorter runs between one such wait and the next counts instead. Where threads sometimes happened
// not to wait, the difference of their CPU time counts before both (wait_experiment.h). Kernel
// threads that only pass on that a disk is done are on it too.
std::vector<Path> PathsOf(const Score& score, const Variation& variation,
                          std::span<const Path> given, std::span<const uint32_t> vertex_of_entity);

// Takes them out: that CPU time, and the waits in the same calls, pauses by their share and others
// where nearly all are.
void RemovePaths(const Score& score, std::span<const Path> paths,
                 std::span<const uint32_t> vertex_of_entity, Variation& variation);

// Shares of a vertex' CPU time spent on going to sleep, or on waking others. This time is saved as
// far as its threads, or these others, find more to do and do not sleep.
struct SleepCost {
  uint32_t vertex = 0;
  bool of_waking = false;
  double switch_share = 0;  // the scheduler's part
  double call_share = 0;    // the calls in which that happens as a whole
};

// The shares of a vertex' CPU time in which it wakes others, and in calls in which it waits for
// threads.
struct WakeShare {
  uint32_t vertex = 0;
  double share = 0;
  double sleep_share = 0;
};
// Of the vertices with enough samples of their runs.
std::vector<WakeShare> WakeShares(const StackSums& stacks, const Code& code);
// The CPU time of a wake on that machine: half of all wakes cost their threads less. A single
// thread's samples are few, and its wakes that hand on no work make it dearer. 0 if not known.
uint64_t WakeCostNs(const Score& score, std::span<const WakeShare> shares,
                    std::span<const uint32_t> vertex_of_entity);
// Likewise of a wait for another thread: going to sleep, and coming back.
uint64_t SleepCostNs(const Score& score, std::span<const WakeShare> shares,
                     std::span<const uint32_t> vertex_of_entity);

// Two for each vertex with samples of its runs. The calls are system calls of a kind, from any
// functions.
std::vector<SleepCost> SleepCosts(const StackSums& stacks, const Code& code);

// For each edge with samples of its waits.
std::vector<LoopShare> LoopShares(const StackSums& stacks, const Code& code);

// Times that threads stopped running to wait, by vertex.
using Sleeps = std::map<uint32_t, uint64_t>;
Sleeps SleepsByVertex(const Score& score, const PlayOutcome& outcome,
                      std::span<const uint32_t> vertex_of_entity);

// How often each vertex hands over to which.
using WakesByVertex = std::map<uint32_t, std::map<uint32_t, uint64_t>>;
WakesByVertex CountWakes(const Score& score, std::span<const uint32_t> vertex_of_entity);

// The shares of the vertices' CPU time that are saved if there are `now` so many sleeps instead of
// `before` for the same work. Each cost shrinks like the sleeps of the thread that sleeps, or is
// woken.
std::map<uint32_t, double> SavedShares(std::span<const SleepCost> costs, double SleepCost::*share,
                                       const WakesByVertex& wakes, const Sleeps& before,
                                       const Sleeps& now);

// Factors of CPU time, by thread: the saved part is gone.
std::vector<double> RunFactors(const Score& score, const std::map<uint32_t, double>& saved,
                               std::span<const uint32_t> vertex_of_entity);

// Waits of alike threads for each other that are shorter as what they wait for does not wait any
// more: a lock that was held during a sync, a group that one of them syncs for.
//
// Such waits are not only shorter but seldom happen: who comes finds the lock free. If the whole is
// `gain` times as fast, and `left` of the wait, it is met `left` times `gain` as often: as often as
// recorded if all shrank alike.
class ShrunkWaits {
 public:
  // `variation` and `paths` tell what is gone. Time: some passes over the steps.
  ShrunkWaits(const Score& score, const Variation& variation, std::span<const Path> paths,
              std::span<const uint32_t> vertex_of_entity);

  bool any() const { return any_; }
  // By hand-over: 1 if it is not waited for at that gain. Evenly spread over each pair.
  std::vector<uint8_t> NotMet(double gain) const;

 private:
  const Score& score_;
  std::vector<float> left_;  // by hand-over: of the time of the wait
  bool any_ = false;
};

// Locks that threads look for by the clock: whoever finds one taken sleeps for a while, and tries
// again (SQLite's file lock).
//
// Sleeps of threads that wait so for alike threads whose operations are gone.
//
// No record tells of such a lock, but it shows in what threads do. First, their operations (a sync)
// do not meet: of as many as would begin by chance while another thread's is under way, hardly any
// does. Second, they sleep again and again, and do nothing between; and they go to sleep while
// another thread is at such an operation, or at what it does around it. So the sleeps are for
// whoever has the lock, and are as much shorter as its hold is: what it does from the wait before
// such an operation to the one behind it.
class PolledWaits {
 public:
  // `variation` tells what is gone. Time: a pass over the steps, and a sort of the waits that are
  // gone.
  PolledWaits(const Score& score, const Variation& variation, std::span<const Path> paths,
              std::span<const uint32_t> vertex_of_entity);

  bool any() const { return !left_.empty(); }
  // By thread: the factor of its sleeps if the whole is `gain` times as fast. A sleep is `left` of
  // its length; and the lock, held for as much shorter, is found taken less often (ShrunkWaits).
  std::vector<double> SleepFactors(double gain) const;
  // … if it is found taken as often as recorded.
  std::vector<double> LeastChange() const { return SleepFactors(kAlwaysMet); }

 private:
  static constexpr double kAlwaysMet = 1e9;

  EntityId threads_ = 0;
  std::map<EntityId, double> left_;  // of the sleeps of a thread that polls
};

}  // namespace gordian
