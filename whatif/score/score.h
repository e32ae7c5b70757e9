// SPDX-License-Identifier: Apache-2.0
// A recording as programs that can be played again (docs/design-replay.md): the steps of each
// thread, without their times.
//
// Memory: 24 bytes for each step of a program, some three steps a wait, beside the timeline.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

enum class StepKind : uint8_t {
  kRun,        // on a CPU for duration_ns
  kPause,      // not on a CPU for duration_ns; number: the thread it waits for, or kNobody
  kAwait,      // until hand-over `number` happened
  kHandOver,   // hand-over `number` happens
  kRequest,    // request `number` goes to its disk
  kAwaitDisk,  // until that request is complete
  kMark,       // an event of the progress; number: its stream
  kOffCpu,   // ready to run, for duration_ns although a CPU was idle, and for `number` ns as other
             // programs had it
  kAcquire,  // until it has one of the ways of lock `number`
  kRelease,  // gives it back, if it has one
};

struct Step {
  uint64_t recorded_ns = 0;  // since the recording's start; of waits: their beginning
  uint64_t duration_ns = 0;
  uint32_t number = 0;
  StepKind kind = StepKind::kRun;
  bool by_timer = false;    // kPause: it is a sleep, as long as the thread asked for
  bool after_wait = false;  // kOffCpu: so only if the thread did wait just before
  // Of waits: the thread can do nothing else meanwhile, even if it does several things at a time.
  bool keeps_seat = false;
};
static_assert(sizeof(Step) == 24);

inline constexpr uint32_t kNoDisk = 0xffffffff;
inline constexpr uint32_t kNoHandOver = 0xffffffff;

// Waits of one thread for another that hand on work, and the wakes that end them.
struct HandOverPair {
  EntityId waker = kNobody;
  EntityId waiter = kNobody;
  uint32_t channel = 0;  // pairs of alike threads share one; births have one of their own
  uint32_t count = 0;    // 0: the waiter's birth
  uint32_t lead = 1;     // so many hand-overs one may be ahead of the other; not those under way
  // … if the waiter does not wait any more: then there is a queue between them.
  uint32_t queue = 1;
  bool carried = false;     // the waiter now does the waits of the waker
  EntityId link = kNobody;  // between nodes: it carries their messages
};

struct DiskRequest {
  uint64_t service_ns = 0;
  uint32_t disk = 0;
  bool unseen = false;  // no record tells of it: it lasts as long as the wait, and needs no slot
  bool stores = false;  // a write or a flush
  bool stays = false;   // whatever a variation drops (edit/disk_jobs.h)
  uint64_t run_ns = 0;  // CPU time of kernel threads that helpers spend for it (collapsed_relays.h)
};

struct ScoreDisk {
  EntityId entity = kNobody;
  uint32_t slots = 1;  // works on so many requests at a time
  uint32_t requests = 0;
};

// A lock that is modelled as such (edit/split_lock.h).
struct ScoreLock {
  uint32_t ways = 1;     // so many locks, each of which a thread needs by chance
  bool grouped = false;  // all waiters get it at once, and one of them does the work
};

// Threads of one kind that take pieces of work, in the recorded order, as they are free
// (edit/added_threads.h). Their own steps are those of the pieces.
struct Pool {
  struct Piece {
    size_t begin = 0;  // steps
    size_t end = 0;
    uint32_t asked = kNoHandOver;  // begins when a thread waits for that hand-over
  };
  std::vector<Piece> pieces;
  std::vector<EntityId> threads;
  bool behind = false;  // they are one thread that does several things at a time
};

// At the CPUs a thread of an earlier class comes first. kApart: it has CPUs of its own.
enum class CpuClass : uint8_t { kAtOnce, kPrompt, kOrdinary, kLeftOver, kApart };
inline constexpr size_t kCpuClasses = 4;

struct Score {
  std::vector<Step> steps;
  std::vector<size_t> first_step;  // by thread, and the end
  std::vector<HandOverPair> pairs;
  std::vector<uint32_t> pair_of_hand_over;
  // By hand-over: the disk it is the end of in truth, where a kernel thread only passes on that a
  // request is complete (a worker that ends requests, a journal).
  std::vector<uint32_t> relayed_disk;
  // By hand-over: so long it is under way from node to node. Empty if no pair has a link.
  std::vector<uint64_t> flight_ns;
  uint32_t channels = 0;
  std::vector<DiskRequest> requests;
  std::vector<ScoreDisk> disks;
  std::vector<ScoreLock> locks;
  std::vector<Pool> pools;
  uint32_t marks = 0;
  std::vector<uint32_t> cpus = {1};  // by node
  std::vector<uint32_t> node;        // by thread: on whose CPUs it runs
  std::vector<EntityId> like;        // by thread: its recorded thread; kNobody: it was not recorded
  std::vector<EntityId> seat;  // by thread: those with the same run one at a time; empty: all alone
  std::vector<CpuClass> cpu_class;
  std::vector<uint8_t> kernel_thread;
  // By thread, of recorded scores only: its process, and the connections (flows) on which it sent
  // something; 0 if that is not known.
  std::vector<uint64_t> process;
  std::vector<uint32_t> connections;
  std::vector<QuestionCount> questions;  // of recorded scores only: who asks whom
  std::vector<uint32_t> stretch;         // by thread: of the recording; empty: each has all of it
  bool others_apart = false;  // threads lose as much time to other programs as in the recording

  std::span<const Step> StepsOf(EntityId thread) const {
    return std::span(steps).subspan(first_step[thread],
                                    first_step[thread + 1] - first_step[thread]);
  }
  // No vertex at all for a thread that was added.
  uint32_t VertexOf(EntityId thread, std::span<const uint32_t> vertex_of_entity) const {
    return like[thread] == kNobody ? 0xffffffff : vertex_of_entity[like[thread]];
  }
  const HandOverPair& PairOf(uint32_t hand_over) const {
    return pairs[pair_of_hand_over[hand_over]];
  }
  EntityId threads() const { return static_cast<EntityId>(first_step.size() - 1); }
};

inline EntityId SeatOf(const Score& score, EntityId thread) {
  return score.seat.empty() ? thread : score.seat[thread];
}

// An event whose rate is the throughput: `thread` did it at that time. What clients get that do not
// wait for each other are streams, numbered from 0: one may gain while another goes on as before.
struct ProgressMark {
  EntityId thread = kNobody;
  uint64_t time_ns = 0;
  uint32_t stream = 0;
};

// `pollers` are vertices whose threads hand on work even if they sleep much; `is_other`, by thread:
// it is of another program.
Score BuildScore(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                 std::span<const ProgressMark> marks, std::span<const uint32_t> pollers,
                 std::span<const uint8_t> is_other);

// By thread: the connections on which it sent something.
std::vector<uint32_t> ConnectionsByThread(const Timeline& timeline);

// How far ahead each pair may get, from the number of its hand-overs.
void SettleLeads(Score& score);

// The default progress: the ends of all waits of these vertices' threads. If they rarely wait, or
// if mostly those that do least wait, a mark for each five-hundredth of the recording that they
// run.
std::vector<ProgressMark> CycleMarks(const Timeline& timeline,
                                     std::span<const uint32_t> vertex_of_entity,
                                     std::span<const uint32_t> vertices);
// What a target does for others: the ends of waits of other programs' threads that its threads
// ended (`is_target`, by thread). Only of processes that take turns with it, so that each wakes the
// other (who only reads what it writes is no client), and that wait for it for much of their time.
// Each process is a stream.
std::vector<ProgressMark> ClientMarks(const Timeline& timeline, std::span<const uint8_t> is_target);
// A stream with too few marks for a rate becomes a part of the one with most; the others are
// numbered without a gap.
void JoinSmallStreams(std::vector<ProgressMark>& marks);
// The ends of waits that threads ended, or their messages, of this vertex' threads.
std::vector<ProgressMark> WakeMarks(const Timeline& timeline,
                                    std::span<const uint32_t> vertex_of_entity, uint32_t vertex);
// Of a job, whose throughput is its end: the beginning, all equal shares of the work that its
// threads do together (by thread: `is_of_job`), and its end.
struct JobLife {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  EntityId root = kNobody;  // its end is the job's; kNobody: the job ends with its last work
};
std::vector<ProgressMark> JobMarks(const Timeline& timeline, std::span<const uint8_t> is_of_job,
                                   const JobLife& life);
// Requests to the disk (all disks for kNobody) by threads.
std::vector<ProgressMark> DiskMarks(const Timeline& timeline, EntityId disk);

}  // namespace gordian
