// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_request.h"

#include <time.h>

#include <atomic>
#include <cstdint>

namespace gordian {
namespace {

constexpr int64_t kNsInASecond = 1'000'000'000;
constexpr int64_t kRepeatedAfterNs = kNsInASecond;

// A handler can reach nothing else. 0: no signal came.
std::atomic<int64_t> first_signal_ns{0};
static_assert(std::atomic<int64_t>::is_always_lock_free);

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsInASecond + now.tv_nsec;
}

// Calls only what a signal may interrupt.
void TakeSignal(int signal, siginfo_t* info, void* /*context*/) {
  const int64_t now_ns = MonotonicNs();
  int64_t first_ns = 0;
  if (first_signal_ns.compare_exchange_strong(first_ns, now_ns)) return;
  const bool from_terminal = info->si_code == SI_KERNEL;
  if (!from_terminal && now_ns - first_ns < kRepeatedAfterNs) return;
  struct sigaction ends {};
  ends.sa_handler = SIG_DFL;
  sigaction(signal, &ends, nullptr);
  raise(signal);  // it is delivered when this function returns
}

}  // namespace

StopRequest::StopRequest(Signals signals) {
  before_.push_back({.signal = SIGINT});
  if (signals == Signals::kBoth) before_.push_back({.signal = SIGTERM});
  first_signal_ns = 0;
  for (Before& before : before_) {
    sigaction(before.signal, nullptr, &before.action);
    if (before.action.sa_handler == SIG_IGN) continue;
    struct sigaction taken {};
    taken.sa_sigaction = TakeSignal;
    taken.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(before.signal, &taken, nullptr);
  }
}

StopRequest::~StopRequest() {
  for (const Before& before : before_) sigaction(before.signal, &before.action, nullptr);
}

void StopRequest::Forget() { first_signal_ns = 0; }

bool StopRequest::asked() const { return first_signal_ns != 0; }

}  // namespace gordian
