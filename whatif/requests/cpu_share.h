// SPDX-License-Identifier: Apache-2.0
// The CPUs of a node, shared equally by all that run: the limit of round robin with short turns.
// Inner to the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

namespace gordian {

// Each job gets the same. So one clock of work done per job tells the end of each, and jobs end in
// the order of that clock, whoever comes or goes.
class CpuShare {
 public:
  explicit CpuShare(double cpus) : cpus_(cpus) {}

  void Begin(double now_ns, uint32_t job, double run_ns) {
    PassTo(now_ns);
    ends_.emplace(done_ns_ + run_ns, next_order_++, job);
  }
  double NextEnd() const {
    if (ends_.empty()) return std::numeric_limits<double>::infinity();
    return now_ns_ + std::max(0.0, std::get<0>(ends_.top()) - done_ns_) / Speed();
  }
  uint32_t End(double now_ns) {
    PassTo(now_ns);
    const uint32_t job = std::get<2>(ends_.top());
    done_ns_ = std::max(done_ns_, std::get<0>(ends_.top()));
    ends_.pop();
    return job;
  }
  double busy_ns() const { return busy_ns_; }  // CPU time given out

 private:
  double Speed() const { return std::min(1.0, cpus_ / static_cast<double>(ends_.size())); }
  void PassTo(double now_ns) {
    if (!ends_.empty()) {
      const double work_ns = (now_ns - now_ns_) * Speed();
      done_ns_ += work_ns;
      busy_ns_ += work_ns * static_cast<double>(ends_.size());
    }
    now_ns_ = now_ns;
  }

  // When its job ends by that clock, the order of coming, the job.
  using JobEnd = std::tuple<double, uint64_t, uint32_t>;
  double cpus_;
  double now_ns_ = 0;
  double done_ns_ = 0;
  double busy_ns_ = 0;
  uint64_t next_order_ = 0;
  std::priority_queue<JobEnd, std::vector<JobEnd>, std::greater<>> ends_;
};

}  // namespace gordian
