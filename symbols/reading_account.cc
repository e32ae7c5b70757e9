// SPDX-License-Identifier: Apache-2.0
#include "symbols/reading_account.h"

#include <chrono>

namespace gordian {
namespace {

int64_t SteadyNowNs() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void ReadingAccount::Spend(int64_t cpu_ns) {
  spent_ns_.fetch_add(cpu_ns, std::memory_order_relaxed);
  ReadingPace* const pace = pace_.load(std::memory_order_relaxed);
  if (pace != nullptr) pace->Spend(cpu_ns, SteadyNowNs());
}

int64_t ReadingAccount::LeftNs() const {
  ReadingPace* const pace = pace_.load(std::memory_order_relaxed);
  return pace == nullptr ? INT64_MAX : pace->LeftNs(SteadyNowNs(), can_wait_);
}

int64_t ReadingAccount::PauseNs() const {
  ReadingPace* const pace = pace_.load(std::memory_order_relaxed);
  return pace == nullptr ? 0 : pace->PauseNs(SteadyNowNs(), can_wait_);
}

}  // namespace gordian
