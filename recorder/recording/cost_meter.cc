// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/cost_meter.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

constexpr uint64_t kAccountNs = 100'000'000;
constexpr uint64_t kAccountEveryNs = 1'000'000'000;
constexpr uint64_t kNsOfARecord = 100;

}  // namespace

CostMeter::CostMeter(KernelPrograms& programs, std::unique_ptr<RecorderCpu::Share> cpu,
                     uint64_t own_ns, uint64_t start_ns)
    : programs_(programs), cpu_(std::move(cpu)), own_ns_(own_ns), charged_until_ns_(start_ns) {
  BeginAccount(start_ns);
}

uint64_t CostMeter::Records() const {
  uint64_t records = 0;
  for (int cpu = 0; cpu < programs_.cpus(); ++cpu)
    for (const uint64_t produced : programs_.cpu(cpu).produced) records += produced;
  return records;
}

void CostMeter::BeginAccount(uint64_t now_ns) {
  account_ = FileDescriptor(bpf_enable_stats(BPF_STATS_RUN_TIME));
  programs_.BeginAccount();
  records_before_ = Records();
  accounts_ = true;
  account_since_ns_ = now_ns;
}

void CostMeter::EndAccount(uint64_t now_ns) {
  uint64_t run_ns = 0;
  if (!programs_.EndAccount(run_ns)) run_ns = (Records() - records_before_) * kNsOfARecord;
  run_ns_per_ns_ = static_cast<double>(run_ns) / static_cast<double>(now_ns - account_since_ns_);
  is_known_ = true;
  account_ = {};
  accounts_ = false;
}

uint64_t CostMeter::Take(uint64_t now_ns) {
  const uint64_t thread_ns = ThreadCpuNs();
  uint64_t cost_ns = cpu_->Take(thread_ns - thread_ns_ + std::exchange(own_ns_, 0));
  thread_ns_ = thread_ns;
  if (paused_) {
    const auto passed_ns = static_cast<double>(now_ns - charged_until_ns_);
    charged_until_ns_ = now_ns;
    return cost_ns +
           static_cast<uint64_t>(run_ns_per_ns_ * programs_.share_in_pauses() * passed_ns);
  }
  const uint64_t since_ns = now_ns - account_since_ns_;
  if (accounts_ && since_ns >= kAccountNs) EndAccount(now_ns);
  if (!accounts_ && since_ns >= kAccountEveryNs) BeginAccount(now_ns);
  if (!is_known_) return cost_ns;  // told with the first that is
  cost_ns +=
      static_cast<uint64_t>(run_ns_per_ns_ * static_cast<double>(now_ns - charged_until_ns_));
  charged_until_ns_ = now_ns;
  return cost_ns;
}

void CostMeter::Pause(uint64_t now_ns) {
  charged_until_ns_ = now_ns;
  account_ = {};
  accounts_ = false;
  paused_ = true;
}

void CostMeter::Resume(uint64_t now_ns) {
  paused_ = false;
  is_known_ = false;
  charged_until_ns_ = now_ns;
  BeginAccount(now_ns);
}

}  // namespace gordian
