// SPDX-License-Identifier: Apache-2.0
#include "symbols/reading_pace.h"

#include <unistd.h>

#include <algorithm>

namespace gordian {
namespace {

constexpr int64_t kOneInSoManyOfTheCpus = 100;
// Spendings closer than this are one entry: there are at most a thousand.
constexpr int64_t kGrainNs = 1'000'000;

}  // namespace

ReadingPace& ReadingPace::OfThisProcess() {
  static ReadingPace pace(kWindowNs / kOneInSoManyOfTheCpus *
                          std::max<int64_t>(1, ::sysconf(_SC_NPROCESSORS_ONLN)));
  return pace;
}

// An entry leaves a window's length after its latest spending: never too early.
void ReadingPace::Forget(int64_t now_ns) {
  while (!spent_.empty() && spent_.front().time_ns + kWindowNs <= now_ns) {
    sum_ns_ -= spent_.front().cpu_ns;
    spent_.pop_front();
  }
}

void ReadingPace::Spend(int64_t cpu_ns, int64_t now_ns) {
  if (cpu_ns <= 0) return;
  const std::lock_guard lock(mutex_);
  Forget(now_ns);
  sum_ns_ += cpu_ns;
  if (spent_.size() > 1 && now_ns - spent_[spent_.size() - 2].time_ns < kGrainNs) {
    spent_.back().time_ns = std::max(spent_.back().time_ns, now_ns);
    spent_.back().cpu_ns += cpu_ns;
  } else {
    spent_.push_back({now_ns, cpu_ns});
  }
}

int64_t ReadingPace::LeftNs(int64_t now_ns, bool can_wait) {
  const std::lock_guard lock(mutex_);
  Forget(now_ns);
  return most_ns_ - sum_ns_ - (can_wait ? most_ns_ / 2 : 0);
}

int64_t ReadingPace::PauseNs(int64_t now_ns, bool can_wait) {
  const std::lock_guard lock(mutex_);
  Forget(now_ns);
  int64_t left_ns = most_ns_ - sum_ns_ - (can_wait ? most_ns_ / 2 : 0);
  for (const Spent& spent : spent_) {
    if (left_ns >= most_ns_ / 4) break;
    left_ns += spent.cpu_ns;
    if (left_ns >= most_ns_ / 4) return spent.time_ns + kWindowNs - now_ns;
  }
  return 0;
}

}  // namespace gordian
