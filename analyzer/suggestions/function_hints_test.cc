// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/suggestions/suggestions.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

TEST(FunctionHints, KnowWhoSaysThatItSpins) {
  for (const char* name : {"pthread_spin_lock", "SpinLock::Lock", "s_lock_spin_wait", "sched_yield",
                           "cpu_relax", "do_spin", "spin", "base::internal::spin"})
    EXPECT_TRUE(SaysItSpins(name)) << name;
  for (const char* name : {"", "Spinner::Draw", "spine", "TurnSpindle", "Lock", "main"})
    EXPECT_FALSE(SaysItSpins(name)) << name;
}

bool LocksIn(const std::string& function, size_t functions_within = 0) {
  TraceBuilder t;
  std::vector<BuiltFrame> frames(functions_within, {.function = "Poll"});
  frames.push_back({.function = function});
  frames.push_back({.function = "Serve"});
  const uint32_t stack = t.AddStack({"futex_wait"}, frames);
  const Code code(t.symbols());
  return WaitsForLock(code.PathOf(stack, StackSide::kWaiter), code);
}

TEST(FunctionHints, KnowLocksFromConditions) {
  for (const char* name : {"__lll_lock_wait", "pthread_mutex_lock", "std::mutex::lock",
                           "__pthread_rwlock_wrlock", "absl::Mutex::LockSlow"})
    EXPECT_TRUE(LocksIn(name)) << name;
  for (const char* name : {"pthread_cond_wait", "__futex_abstimed_wait_common64", "sem_wait",
                           "std::condition_variable::wait", "Clock::Read"})
    EXPECT_FALSE(LocksIn(name)) << name;
}

TEST(FunctionHints, TakeNoLockFromANameFarOut) {
  EXPECT_TRUE(LocksIn("pthread_mutex_lock", 3));
  EXPECT_FALSE(LocksIn("pthread_mutex_lock", 6)) << "it was taken long before";
}

}  // namespace
}  // namespace gordian::testing
