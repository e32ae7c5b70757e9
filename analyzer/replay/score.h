// A recording as programs that can be played again (docs/design-replay.md): what each thread did,
// without when it did it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model.h"
#include "analyzer/replay/cpu_queue.h"
#include "analyzer/replay/replay.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

enum class StepKind : uint8_t {
  kRun,        // on a CPU for duration_ns
  kPause,      // not on a CPU for duration_ns; number: whom it waits for, or kNobody
  kAwait,      // until hand-over `number` happened
  kHandOver,   // hand-over `number` happens
  kRequest,    // request `number` goes to its disk
  kAwaitDisk,  // until that request is complete
  kMark,       // an event of the progress
};

struct Step {
  uint64_t recorded_ns = 0;  // since the recording's start; of waits: their beginning
  uint64_t duration_ns = 0;
  uint32_t number = 0;
  StepKind kind = StepKind::kRun;
  bool by_timer = false;  // kPause: it is a sleep, as long as the thread asked for
};
static_assert(sizeof(Step) == 24);

inline constexpr uint32_t kNoDisk = 0xffffffff;

// Waits of one thread for another that hand on work, and the wakes that end them.
struct HandOverPair {
  EntityId waker = kNobody;
  EntityId waiter = kNobody;
  uint32_t channel = 0;  // pairs of alike threads share one; births have one of their own
  uint32_t count = 0;
  uint32_t lead = 1;  // so many hand-overs one may be ahead of the other
  // … if the waiter does not wait any more: then there is a queue between them.
  uint32_t queue = 1;
};

struct DiskRequest {
  uint64_t service_ns = 0;
  uint32_t disk = 0;
  bool unseen = false;  // no record tells of it: it lasts as long as the wait, and needs no slot
};

struct ScoreDisk {
  EntityId entity = kNobody;
  uint32_t slots = 1;  // works on so many requests at a time
  uint32_t requests = 0;
  uint32_t most_waiting = 1;  // requests that may stand in line before who asks has to wait
};

// What a thread lost while it was ready to run.
struct RecordedReadiness {
  uint64_t after_wake_ns = 0;  // on average
  double stretch = 1;          // of its runs, by being driven from its CPU
};

struct Score {
  std::vector<Step> steps;
  std::vector<size_t> first_step;  // by thread, and the end
  std::vector<HandOverPair> pairs;
  std::vector<uint32_t> pair_of_hand_over;
  // By hand-over: the disk it is the end of in truth, where a kernel thread only passes on that a
  // request is complete (a worker that ends requests, a journal).
  std::vector<uint32_t> relayed_disk;
  uint32_t channels = 0;
  std::vector<DiskRequest> requests;
  std::vector<ScoreDisk> disks;
  uint32_t marks = 0;
  uint32_t cpus = 1;
  std::vector<CpuClass> cpu_class;        // by thread
  std::vector<uint64_t> wake_latency_ns;  // by thread: until it runs although a CPU is free
  std::vector<double> stretch;  // by thread: of runs, by what is not replayed; empty: of none
  std::vector<RecordedReadiness> readiness;  // by thread

  std::span<const Step> StepsOf(EntityId thread) const {
    return std::span(steps).subspan(first_step[thread],
                                    first_step[thread + 1] - first_step[thread]);
  }
  EntityId threads() const { return static_cast<EntityId>(first_step.size() - 1); }
};

// `pollers` are vertices whose threads hand on work however much they sleep.
Score BuildScore(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                 std::span<const ProgressMark> marks, std::span<const uint32_t> pollers);

}  // namespace gordian
