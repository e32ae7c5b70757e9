// SPDX-License-Identifier: Apache-2.0
// How wide a job is: what its threads and the CPUs did at each moment. Inner to the library.
//
// A sweep over the starts and ends of segments in order of time. The recording is cut into the
// parts that the timeline names; each part's starts and ends are sorted by themselves, in linear
// time. So memory is bounded by a part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/waits/time_order.h"
#include "path/job.h"

namespace gordian {

// Nothing changed in between.
struct JobLoad {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  uint32_t running = 0;          // of the job: on a CPU …
  uint32_t ready = 0;            // … ready for one
  uint32_t disk = 0;             // … waiting for a disk
  std::vector<EntityId> others;  // not of the job, on a CPU

  uint32_t width() const { return running + ready + disk; }
  // How many CPUs the job could use.
  uint32_t wanted(uint32_t cpus) const { return std::min(running + ready, cpus); }
  // The part of the work it could do that others' use of the CPUs takes away.
  double TakenByOthers(uint32_t cpus) const {
    if (running >= wanted(cpus) || running + others.size() < cpus) return 0;
    return static_cast<double>(wanted(cpus) - running) / wanted(cpus);
  }
};

class WidthSweep {
 public:
  WidthSweep(const Timeline& timeline, const JobProcesses& processes, const PathJob& job)
      : timeline_(timeline), processes_(processes), job_(job) {}

  // Calls use(load) for each stretch of [from_ns, to_ns), in order of time.
  template <typename Use>
  void Run(uint64_t from_ns, uint64_t to_ns, Use use) {
    uint64_t begin_ns = from_ns;
    for (const uint64_t border_ns : timeline_.borders()) {
      const uint64_t end_ns = std::min(border_ns, to_ns);
      if (end_ns <= begin_ns) continue;
      RunPart(begin_ns, end_ns, use);
      begin_ns = end_ns;
    }
    if (begin_ns < to_ns) RunPart(begin_ns, to_ns, use);
  }

 private:
  enum class What : uint8_t { kRunning, kReady, kDisk, kOther };
  struct Stay {
    EntityId thread = kNobody;
    What what = What::kRunning;
  };

  void CollectStays(uint64_t from_ns, uint64_t to_ns);
  static void Apply(const Stay& stay, bool begins, JobLoad& load);

  // At one moment ends come first: no CPU has two threads at once.
  template <typename Use>
  void RunPart(uint64_t from_ns, uint64_t to_ns, Use& use) {
    CollectStays(from_ns, to_ns);
    JobLoad load{.from_ns = from_ns};
    size_t next_begin = 0;
    for (size_t next_end = 0; next_end < ends_.size();) {
      const bool begins =
          next_begin < begins_.size() && begins_[next_begin].time_ns < ends_[next_end].time_ns;
      const TimedIndex& change = begins ? begins_[next_begin++] : ends_[next_end++];
      if (change.time_ns > load.from_ns) {
        load.to_ns = change.time_ns;
        use(load);
        load.from_ns = change.time_ns;
      }
      Apply(stays_[change.index], begins, load);
    }
    load.to_ns = to_ns;
    if (load.from_ns < to_ns) use(load);
  }

  const Timeline& timeline_;
  const JobProcesses& processes_;
  const PathJob& job_;
  // Of a part. Each stay has a begin and a later end.
  std::vector<Stay> stays_;
  std::vector<TimedIndex> begins_;
  std::vector<TimedIndex> ends_;
  std::vector<TimedIndex> scratch_;
};

}  // namespace gordian
