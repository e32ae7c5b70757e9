// SPDX-License-Identifier: Apache-2.0
// How busy each CPU was.
//
// Taken from the idle and iowait columns of /proc/stat: busy is the time that passed less the time
// idled. With tickless idle (every kernel we meet) the kernel keeps those two to the microsecond,
// up to the moment of reading, and only shows them in steps of a clock tick (10 ms); rounding does
// not add up over samples (see TimeShareMeter). The busy columns would be worse: they count ticks
// that happened to find the CPU busy. Steal time counts as busy: the CPU was not to be had.
//
// Other sources, and why they do not serve: /proc/schedstat (nanoseconds, but a thread's time is
// added only when it leaves the CPU, so one that computes for a second shows nothing and then ten
// intervals at once; absent without CONFIG_SCHEDSTATS); /proc/uptime (all CPUs in one sum, the same
// 10 ms); /sys/…/cpuidle/state*/time (added when idling ends, the same trouble upside down; absent
// in many virtual machines); /proc/timer_list (nanoseconds, but lists every timer of the machine
// and is no interface). The switch events tell a CPU's use to the nanosecond.
#pragma once

#include <cstdint>
#include <vector>

#include "recorder/sources/file_text.h"
#include "recorder/sources/resource_sink.h"
#include "recorder/sources/system_paths.h"

namespace gordian {

class CpuUsage {
 public:
  explicit CpuUsage(const SystemPaths& paths);
  void Sample(ResourceSink& sink, uint64_t& missed);

 private:
  struct Cpu {
    SampledResource resource;
    TimeShareMeter idle;
    bool present = false;  // in the reading before
  };
  Cpu& CpuAt(uint32_t number);

  RereadFile stat_;
  uint64_t tick_ns_;
  std::vector<Cpu> cpus_;  // by number
};

}  // namespace gordian
