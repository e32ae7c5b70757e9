// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/recorder_cpu.h"

#include <sys/resource.h>
#include <time.h>

#include <utility>

namespace gordian {
namespace {

uint64_t CpuClockNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

uint64_t SpanNs(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_usec) * 1'000;
}

}  // namespace

std::shared_ptr<RecorderCpu> RecorderCpu::Make(std::function<uint64_t()> total_ns) {
  return std::shared_ptr<RecorderCpu>(new RecorderCpu(std::move(total_ns)));
}

// What was taken while nobody recorded is nobody's.
std::unique_ptr<RecorderCpu::Share> RecorderCpu::Join() {
  const std::lock_guard lock(mutex_);
  if (shares_ == 0) {
    const uint64_t total_ns = total_ns_();
    shared_ns_ = total_ns > own_ns_ ? total_ns - own_ns_ : 0;
  }
  ShareOut();
  ++shares_;
  auto share = std::unique_ptr<Share>(new Share(shared_from_this()));
  share->paid_ = each_ns_;
  return share;
}

RecorderCpu::Share::~Share() {
  const std::lock_guard lock(all_->mutex_);
  all_->ShareOut();
  --all_->shares_;
}

// Another recording's threads may have run since it last told. Their time seems to be of the rest
// until then: some milliseconds, which the next calls make good.
void RecorderCpu::ShareOut() {
  const uint64_t total_ns = total_ns_();
  const uint64_t told_ns = own_ns_ + shared_ns_;
  if (shares_ == 0 || total_ns <= told_ns) return;
  const uint64_t part_ns = (total_ns - told_ns) / shares_;
  each_ns_ += part_ns;
  shared_ns_ += part_ns * shares_;
}

uint64_t RecorderCpu::Share::Take(uint64_t own_ns) {
  const std::lock_guard lock(all_->mutex_);
  all_->own_ns_ += own_ns;
  all_->ShareOut();
  const uint64_t part_ns = all_->each_ns_ - paid_;
  paid_ = all_->each_ns_;
  return own_ns + part_ns;
}

uint64_t ProcessCpuNs(bool children) {
  const uint64_t own_ns = CpuClockNs(CLOCK_PROCESS_CPUTIME_ID);
  if (!children) return own_ns;
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return own_ns + SpanNs(usage.ru_utime) + SpanNs(usage.ru_stime);
}

uint64_t ThreadCpuNs() { return CpuClockNs(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace gordian
