// SPDX-License-Identifier: Apache-2.0
// The CPUs of a node. Inner to the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace gordian {

// CPUs shared equally by all that run: the limit of round robin with short turns. Each job gets the
// same. So one clock of work done per job tells the end of each, and jobs end in
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

// The CPUs of a node, taken in order of arrival, for a turn at a time. Most runs of requests are
// shorter than a turn. If all that run shared the CPUs equally, those that meet once would end
// together, and so meet again at every later place.
class CpuTurns {
 public:
  CpuTurns(double cpus, double turn_ns)
      : running_(cpus), most_(std::max(1.0, std::ceil(cpus))), turn_ns_(turn_ns) {}

  void Begin(double now_ns, uint32_t job, double run_ns) {
    if (count_ < most_) {
      BeginTurn(now_ns, {job, run_ns});
    } else {
      waiting_.push_back({job, run_ns});
    }
  }
  double NextEnd() const { return running_.NextEnd(); }
  // The job whose turn ends then, if that was its last one.
  std::optional<uint32_t> End(double now_ns) {
    const uint32_t place = running_.End(now_ns);
    const Job job = turns_[place];
    free_.push_back(place);
    --count_;
    if (job.run_ns > 0) waiting_.push_back(job);
    if (!waiting_.empty()) {
      const Job next = waiting_.front();
      waiting_.pop_front();
      BeginTurn(now_ns, next);
    }
    return job.run_ns > 0 ? std::nullopt : std::optional(job.number);
  }
  double busy_ns() const { return running_.busy_ns(); }

 private:
  struct Job {
    uint32_t number = 0;
    double run_ns = 0;  // … that is left behind its turn, once that began
  };
  void BeginTurn(double now_ns, Job job) {
    const double now_run_ns = std::min(job.run_ns, turn_ns_);
    job.run_ns -= now_run_ns;
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(turns_.size()));
      turns_.emplace_back();
    }
    const uint32_t place = free_.back();
    free_.pop_back();
    turns_[place] = job;
    running_.Begin(now_ns, place, now_run_ns);
    ++count_;
  }

  CpuShare running_;  // at most one more than there are whole CPUs
  double most_;
  double turn_ns_;
  double count_ = 0;
  std::vector<Job> turns_;      // by place
  std::vector<uint32_t> free_;  // places
  std::deque<Job> waiting_;
};

}  // namespace gordian
