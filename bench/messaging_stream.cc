// SPDX-License-Identifier: Apache-2.0
#include "bench/messaging_stream.h"

#include <algorithm>
#include <array>
#include <deque>
#include <random>

namespace gordian {
namespace {

constexpr int kGroups = 10;
constexpr int kThreadsPerGroup = 40;  // the first half of them send
constexpr int kThreads = kGroups * kThreadsPerGroup;
constexpr int32_t kFirstTid = 48213;
constexpr double kMeanStepNs = 1000;

class MessagingCpu {
 public:
  explicit MessagingCpu(uint32_t seed) : random_(seed) {
    for (int thread = 0; thread < kThreads; ++thread) runnable_.push_back(thread);
    std::shuffle(runnable_.begin(), runnable_.end(), random_);
    is_asleep_.fill(false);
  }

  EventBlock Run(size_t events) {
    while (block_.events.size() < events) {
      const bool is_sender = current_ % kThreadsPerGroup < kThreadsPerGroup / 2;
      const int messages = 1 + static_cast<int>(random_() % (is_sender ? 6 : 2));
      for (int i = 0; i < messages; ++i) WakePeer(is_sender);
      const bool is_preempted = random_() % 8 == 0;
      SwitchAway(is_preempted);
    }
    block_.events.resize(events, TraceEvent{});
    return block_;
  }

 private:
  uint64_t NextTime() {
    time_ns_ += 150 + static_cast<uint64_t>(step_ns_(random_));
    return time_ns_;
  }

  void WakePeer(bool is_sender) {
    const int group = current_ / kThreadsPerGroup;
    const int half = kThreadsPerGroup / 2;
    const int peer = group * kThreadsPerGroup + (is_sender ? half : 0) +
                     static_cast<int>(random_() % static_cast<uint32_t>(half));
    if (!is_asleep_[static_cast<size_t>(peer)]) return;
    TraceEvent event{.time_ns = NextTime(), .kind = EventKind::kWake};
    event.wake = {.wakee_tid = kFirstTid + peer, .waker_tid = kFirstTid + current_};
    block_.events.push_back(event);
    is_asleep_[static_cast<size_t>(peer)] = false;
    runnable_.push_back(peer);
  }

  void SwitchAway(bool is_preempted) {
    if (is_preempted || runnable_.empty()) {
      runnable_.push_back(current_);
      is_preempted = true;
    } else {
      is_asleep_[static_cast<size_t>(current_)] = true;
    }
    // The scheduler is fair, not first in first out.
    const size_t pick = std::min<size_t>(random_() % 8, runnable_.size() - 1);
    const int next = runnable_[pick];
    runnable_.erase(runnable_.begin() + static_cast<ptrdiff_t>(pick));
    TraceEvent event{.time_ns = NextTime(), .kind = EventKind::kSwitch};
    event.sched_switch = {.prev_tid = kFirstTid + current_,
                          .next_tid = kFirstTid + next,
                          .prev_state = is_preempted ? kStateRunning : kStateInterruptible,
                          .preempted = is_preempted};
    block_.events.push_back(event);
    current_ = next;
  }

  std::mt19937 random_;
  std::exponential_distribution<double> step_ns_{1 / kMeanStepNs};
  std::deque<int> runnable_;
  std::array<bool, kThreads> is_asleep_{};
  int current_ = 0;
  uint64_t time_ns_ = 1'000'000'000'000;
  EventBlock block_;
};

}  // namespace

EventBlock MessagingBlock(size_t events, uint32_t seed) { return MessagingCpu(seed).Run(events); }

}  // namespace gordian
