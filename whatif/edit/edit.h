// SPDX-License-Identifier: Apache-2.0
// Changes, in the words of the report's vertices, as another score or as a variation of one.
//
// Most changes only make steps shorter or let threads go on without waiting: a variation
// (VariationOf). Others need other steps than the recorded ones: another score (ChangedScore).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "whatif/edit/thresholds.h"
#include "whatif/play/play.h"
#include "whatif/score/score.h"

namespace gordian {

// All numbers are vertices; a device is the one of its entity.
struct DiskChange {
  uint32_t disk = 0;
  double factor = 1;  // of its service times
};

struct LinkChange {
  uint32_t link = 0;
  double factor = 1;  // of the times that messages are under way
};

struct CpuChange {
  uint32_t node = 0;
  uint32_t count = 1;
};

struct WaitChange {
  uint32_t from = 0;
  uint32_t to = 0;
  // Whether the awaited operation is still done (made asynchronous: it must keep up). Otherwise it
  // is not even asked for (no sync at all, a lock that is always free), and the calls that waited
  // for it are gone with it.
  bool keeps_up = true;
  // If it is a disk's: so many threads do it, for each thread that waited.
  uint32_t helpers = kHelpers;
  // If it is not asked for: one in so many still is (one sync for so many writes); 0: none.
  uint32_t keeps_one_in = 0;
  // `from` does not even start the processes of `to` that it started.
  bool starts_none = false;

  // The share of its operations that are gone.
  double ShareGone() const { return keeps_one_in == 0 ? 1 : 1 - 1.0 / keeps_one_in; }
};

struct TimerChange {
  uint32_t vertex = 0;
  double factor = 1;  // of its sleeps
};

struct RunChange {
  uint32_t vertex = 0;
  double factor = 1;         // of its threads' CPU time
  bool of_function = false;  // a part of it is another time, and all else is as it was
  // Of a function that no sample shows: the least factor that so many samples without it allow.
  std::optional<double> least_factor;
};

// Waits of `from` for `to` at a lock, which becomes so many: each is needed as often as any other.
struct LockSplit {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t ways = 1;
  // When a lock is given back, one of its waiters serves all of them (group commit).
  bool grouped = false;
  // Other waits that are for the same lock.
  struct Waits {
    uint32_t from = 0;
    uint32_t to = 0;
  };
  std::vector<Waits> also;

  bool Holds(uint32_t waiter, uint32_t holder) const {
    return (waiter == from && holder == to) ||
           std::any_of(also.begin(), also.end(), [&](const Waits& waits) {
             return waiter == waits.from && holder == waits.to;
           });
  }
};

struct AddedThreads {
  uint32_t vertex = 0;
  uint32_t count = 0;  // besides the recorded ones
};

// So many times as many requests of the vertex' threads are under way at a time.
struct MoreAtOnce {
  uint32_t vertex = 0;
  uint32_t times = 1;
  // Whether the number of such threads grows likewise, each with requests of its own (clients).
  // Otherwise the threads stay, each with more requests.
  bool more_threads = false;
  std::vector<uint32_t> others;  // vertices whose requests become more, too
  // A job's processes: who begins a process goes on with the next before that one has ended. So a
  // birth leads on, too.
  bool of_job = false;
  // The gain is no more than the number of them, where it is no whole one.
  double most = std::numeric_limits<double>::infinity();

  bool Holds(uint32_t asked) const {
    return asked == vertex || std::find(others.begin(), others.end(), asked) != others.end();
  }
};

// The CPU quota of a cgroup that has used it up.
struct QuotaChange {
  std::string cgroup;
  double times = 1;  // as large as it was
};

struct Changes {
  std::vector<DiskChange> disks;
  std::vector<LinkChange> links;
  std::vector<WaitChange> waits;
  std::vector<LockSplit> splits;
  std::vector<AddedThreads> added_threads;
  std::vector<MoreAtOnce> more_at_once;    // at most one, and no splits, added threads … with it
  std::vector<uint32_t> no_false_wakeups;  // of these vertices' threads
  std::vector<TimerChange> timers;
  std::vector<RunChange> runs;
  std::vector<CpuChange> cpus;  // on other nodes as many as there were
  std::vector<QuotaChange> quotas;
};

// Changes of vertices, as a variation has changes of threads, pairs and disks.
class VariationMaker {
 public:
  VariationMaker(const Score& score, std::span<const uint32_t> vertex_of_entity,
                 Variation& variation)
      : score_(score), vertices_(vertex_of_entity), made_(variation) {}

  void ScaleDisk(uint32_t disk, double factor);
  void ScaleSleeps(uint32_t vertex, double factor);
  void ScaleRuns(uint32_t vertex, double factor);
  // … but not what the kernel does for them.
  void ScaleWork(uint32_t vertex, double factor);
  void ScaleLink(uint32_t link, double factor);
  // Pauses of `from` that `to` ends; if that is a link, the times of messages on it.
  void ScalePauses(uint32_t from, uint32_t to, double factor);
  // Waits of `from` for `to`. A wait that is already gone needs no keeping up.
  void DropHandOvers(uint32_t from, uint32_t to, DropKind drop);
  // `from` makes no more calls to `to`, so it is not held back if that one comes late to them.
  void AskNoMore(uint32_t from, uint32_t to);
  // Nor does it start any: what it began of these, and what they began, does nothing.
  void StartNoMore(uint32_t from, uint32_t to);
  void DropDisk(uint32_t from, uint32_t disk, DiskDrop drop);

 private:
  void Scale(uint32_t vertex, double factor, std::vector<double>& factors);
  void ScalePausesOf(EntityId thread, uint32_t to, double factor);
  void ScaleFlights(size_t pair, double factor);

  const Score& score_;
  const std::span<const uint32_t> vertices_;
  Variation& made_;
};

Variation VariationOf(const Score& score, const Changes& changes,
                      std::span<const uint32_t> vertex_of_entity);

// A cgroup that has used up its CPU quota.
struct QuotaGroup {
  std::vector<uint32_t> vertices;  // of its threads
  // How many times as large the quota is.
  double times = 1;
};

// A quota gives so much CPU time a period, and its threads wait for as long as what they want
// exceeds that. So the time for which they are held back follows the CPU time of their work: if
// all of them together need half of it, they are held back for half as long. At twice the quota
// they are at work (they run, or are held back) for half as long, but never for less than they run.
// `score` is to be played with `variation`, whose factors of CPU time are final; `recorded` is what
// it was made of.
void LetQuotasFollowRuns(const Score& recorded, const Score& score,
                         std::span<const QuotaGroup> groups,
                         std::span<const uint32_t> vertex_of_entity, Variation& variation);

// Locks that are split, threads that are added, false wakeups that are gone, and disk waits that
// other threads do. These other threads also spend the CPU time of the waits: such a share of the
// CPU time of the waiting vertices. Nothing if the steps stay as they are.
using CarriedShares = std::map<uint32_t, double>;
std::optional<Score> ChangedScore(const Score& score, const Changes& changes,
                                  const CarriedShares& carried,
                                  std::span<const uint32_t> vertex_of_entity);

// More threads of a kind take pieces of work, each of which another thread waits for
// (added_threads.h). A thread for whose work nobody waits but at its end has no such pieces: it is
// one computation, and more such threads divide it. Each of its runs is done by all of them at the
// same time, and it goes on when all are done. If it mostly waits for disks instead, each of its
// rounds, from one such wait to the next, is done by one of them, and so are those of several such
// threads. Nothing if several threads compute, or if others wait for parts of the work.
struct DividedWork {
  Score score;
  bool in_rounds = false;
};
std::optional<DividedWork> DivideWork(const Score& score, const AddedThreads& added,
                                      std::span<const uint32_t> vertex_of_entity);

// A disk may work on as many requests at a time as were seen, or on one for each helper that asks.
// This makes it the latter; false if that is no difference.
bool ServeAllHelpers(const Changes& changes, std::span<const uint32_t> vertex_of_entity,
                     Score& score);
// … or on one for each thread that shares rounds of work.
bool ServeAllOfPools(Score& score);

// With nothing changed, but seen in the same way: locks as locks, pools as pools. Nothing if that
// is as recorded.
std::optional<Score> UnchangedScore(const Score& score, const Changes& changes,
                                    std::span<const uint32_t> vertex_of_entity);

// Without the wakes for nothing of a vertex' threads (false_wakeups_gone.cc).
struct WithoutFalseWakeups {
  Score score;
  uint64_t wakes = 0;  // of that vertex' threads by others
  uint64_t gone = 0;   // of those
  double ShareGone() const;
};
WithoutFalseWakeups TakeOutFalseWakeups(const Score& score, uint32_t vertex,
                                        std::span<const uint32_t> vertex_of_entity);

// The share of the waits of `from` for `to` in loops that wait for events of any kind (epoll).
struct LoopShare {
  uint32_t from = 0;
  uint32_t to = 0;
  double share = 0;
};

// Whether a thread that waits so can do something else meanwhile, if that is known.
class WaitsInLoops {
 public:
  WaitsInLoops(std::span<const LoopShare> shares, bool unless_known)
      : shares_(shares), unless_known_(unless_known) {}
  // Vertices.
  bool IsInLoop(uint32_t from, uint32_t to) const;

 private:
  std::span<const LoopShare> shares_;
  bool unless_known_;
};

// In the recording a loop (epoll) may have had one thread at a time to work for: the only worker,
// or the one that had the lock. More of them ask at once, and then its sleeps and its waits
// overlap, while it still runs one at a time. A loop's work is cut into pieces, each from one
// question of the changed vertices' threads to the next. Of threads that are added
// (`changes.added_threads`) as many pieces are under way as there are threads then; of threads that
// no longer wait at a lock
// (`changes.waits`, `changes.splits`) one for each of them. False if that is no difference.
// To be made after all other changes, as pieces are ranges of steps.
bool LetLoopsOverlap(const Changes& changes, const WaitsInLoops& loops,
                     std::span<const uint32_t> vertex_of_entity, Score& score);

// A loop for events of any kind (epoll) also wakes at timers. If nothing was handed on then, and it
// next waits for another thread, it would have gone on as soon as that one was ready: the tick is
// no time of its own. Its pause becomes a part of that wait. (A load generator that looks at its
// clock ten times a second else seems to sleep while its server collects garbage.)
void JoinIdleTicks(const WaitsInLoops& loops, std::span<const uint32_t> vertex_of_entity,
                   Score& score);

// By thread: whether requests of the vertices' threads go through it, over any number of
// hand-overs. Kernel threads only if they hand over to such a thread, or such a one to them.
std::vector<uint8_t> ThreadsTogether(const Score& score, const MoreAtOnce& more,
                                     std::span<const uint32_t> vertex_of_entity);

// Stretches of the recording that are played at the same time (more_at_once.cc). `order_free`:
// threads that stand in line for something scarce are alike, so a request of one stretch does not
// wait for the very thread that had it while others stand in line. How many there are is for
// MostOfSoManyThreads to tell.
Score PlayStretchesAtOnce(const Score& score, const MoreAtOnce& more, const WaitsInLoops& loops,
                          bool order_free, std::span<const uint32_t> vertex_of_entity);

// The upper bound of the gain, as the number of the vertices' threads stays. Threads that wait
// mostly for each other stand in line for something scarce: each has one request at a time.
// Infinite for all others.
double MostOfSoManyThreads(const Score& score, const MoreAtOnce& more,
                           std::span<const uint32_t> vertex_of_entity);

// The upper bound of the gain of more requests at a time, whatever replay tells it. What the
// threads behind them stand in line for (a lock of the server) is in use for a share of the time,
// and cannot be used for longer than always. Nor can back ends that work on one request at a time
// for a pool. What the change itself makes less scarce does not count. Infinite without any.
double MostOfWhatIsScarce(const Score& score, const MoreAtOnce& more,
                          std::span<const uint32_t> vertex_of_entity);

}  // namespace gordian
