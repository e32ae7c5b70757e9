// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analyzer/suggestions/suggestions.h"
#include "analyzer/suggestions/test_herds.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

// Two threads of one process, each on its CPU, sampled every 10 ms at the stacks that are added.
class Spinners {
 public:
  Spinners() {
    t_.session().mutable_options()->set_sample_hz(100);
    t_.Thread(1, "one").Thread(2, "two", 1).Cpu(0).Run(1).Cpu(1).Run(2);
  }
  uint32_t Stack(const std::vector<BuiltFrame>& user, bool spins,
                 const std::vector<std::string>& kernel = {}) {
    const uint32_t id = t_.AddStack(kernel, user, 1);
    t_.symbols().mutable_stacks(t_.symbols().stacks_size() - 1)->set_spins(spins);
    return id;
  }
  Spinners& Sample(int32_t tid, uint32_t stack, int times) {
    for (int i = 0; i < times; ++i) {
      time_ns_ += 10_ms;
      t_.At(time_ns_).Cpu(static_cast<uint16_t>(tid - 1));
      t_.AddStackSample(tid, StackMoment::kCpu, stack);
    }
    return *this;
  }
  TraceBuilder& trace() { return t_; }
  uint64_t time_ns() const { return time_ns_; }
  Suggestions Find() { return LoadedTrace(End()).Find(); }
  TraceBuilder& End() {
    t_.At(time_ns_ + 10_ms).Cpu(0).Block().Cpu(1).Block();
    return t_;
  }

 private:
  TraceBuilder t_;
  uint64_t time_ns_ = 0;
};

const BuiltFrame kLock = {.function = "Lock::Take", .file = "lock.cc", .line = 7};

TEST(Spins, TellOtherWorkOfTheirFunctionAndOfWhatItCalls) {
  Spinners spinners;
  const uint32_t spins = spinners.Stack({kLock, {.function = "A"}}, true);
  const uint32_t works = spinners.Stack({{.function = "Sort"}, kLock, {.function = "A"}}, false);
  const uint32_t elsewhere = spinners.Stack({{.function = "Sort"}, {.function = "A"}}, false);
  spinners.Sample(1, spins, 6).Sample(2, spins, 6).Sample(2, works, 3).Sample(1, elsewhere, 5);
  LoadedTrace trace(spinners.End());
  const Suggestions found = trace.Find();
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].samples, 12u);
  EXPECT_EQ(found.all[0].other_samples, 3u);
}

TEST(Spins, AreSummedUpByFunctionWithTheirTimeAndThreads) {
  Spinners spinners;
  const uint32_t first = spinners.Stack({kLock, {.function = "A"}}, true);
  const uint32_t second = spinners.Stack({kLock, {.function = "B"}}, true);
  spinners.Sample(1, first, 4).Sample(2, second, 6);
  LoadedTrace trace(spinners.End());
  const Suggestions found = trace.Find();
  ASSERT_EQ(found.all.size(), 1u);
  const Suggestion& spin = found.all[0];
  EXPECT_EQ(spin.kind, SuggestionKind::kSpin);
  EXPECT_TRUE(spin.likely);
  EXPECT_EQ(spin.threads, 2u);
  EXPECT_EQ(spin.samples, 10u);
  EXPECT_DOUBLE_EQ(spin.time_ns, 100e6);
  EXPECT_EQ(spin.thread, trace.Id("two"));
  EXPECT_EQ(FrameNameAndLine(*ProgramFrame(spin.path, trace.code())), "Lock::Take (lock.cc:7)");
  EXPECT_TRUE(found.after_false_wakeups.empty());
}

TEST(Spins, OfASingleThreadAreOnlyPossible) {
  Spinners spinners;
  const Suggestions found = spinners.Sample(1, spinners.Stack({kLock}, true), 10).Find();
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_FALSE(found.all[0].likely);
}

TEST(Spins, AreToldByTheCodeOrByNamesAndNotByBeingInOnePlace) {
  Spinners computing;
  const uint32_t loop =
      computing.Stack({{.function = "Multiply", .file = "m.cc", .line = 3}}, false);
  EXPECT_TRUE(computing.Sample(1, loop, 50).Sample(2, loop, 50).Find().all.empty());

  Spinners named;
  const uint32_t spin =
      named.Stack({{.function = "pthread_spin_lock", .module = "/lib/libc.so.6"}, kLock}, false);
  ASSERT_EQ(named.Sample(1, spin, 10).Find().all.size(), 1u);

  // The caller of a function with "spin" in its name is not in the loop.
  Spinners called;
  const uint32_t work =
      called.Stack({{.function = "Work"}, {.function = "spin_until_done"}}, false);
  EXPECT_TRUE(called.Sample(1, work, 10).Find().all.empty());
}

TEST(Spins, AreLoopsAroundYieldsTooButNoOtherSystemCalls) {
  Spinners yielding;
  const uint32_t yield =
      yielding.Stack({{.function = "sched_yield", .module = "/lib/libc.so.6"}, kLock}, false,
                     {"do_sched_yield", "__x64_sys_sched_yield", "do_syscall_64"});
  EXPECT_EQ(yielding.Sample(1, yield, 10).Find().all.size(), 1u);

  Spinners writing;
  const uint32_t write = writing.Stack({kLock}, true, {"ksys_write", "__x64_sys_write"});
  EXPECT_TRUE(writing.Sample(1, write, 10).Find().all.empty());
}

TEST(Spins, ThatProbesToldOfAreNotSuggested) {
  Spinners spinners;
  const uint32_t stack = spinners.Stack({kLock}, true);
  spinners.trace().At(1_ms).Cpu(0).Probe(1, ProbeKind::kSpinBegin, "", 7);
  spinners.Sample(1, stack, 10);
  spinners.trace().At(spinners.time_ns() + 1_ms).Cpu(0).Probe(1, ProbeKind::kSpinEnd, "", 7);
  EXPECT_TRUE(spinners.Find().all.empty());
}

TEST(Spins, ThatProbesTellOfMostlyAreNotSuggestedForTheRest) {
  const auto found = [](int declared, int rest) {
    Spinners spinners;
    const uint32_t stack = spinners.Stack({kLock}, true);
    spinners.Sample(1, stack, rest);
    spinners.trace().At(spinners.time_ns() + 1_ms).Cpu(0).Probe(1, ProbeKind::kSpinBegin, "", 7);
    spinners.Sample(1, stack, declared);
    spinners.trace().At(spinners.time_ns() + 1_ms).Cpu(0).Probe(1, ProbeKind::kSpinEnd, "", 7);
    return spinners.Find().all.size();
  };
  EXPECT_EQ(found(61, 60), 0u);
  EXPECT_EQ(found(60, 60), 1u);
}

TEST(Spins, TakeMoreThanAFewSamples) {
  Spinners spinners;
  const uint32_t stack = spinners.Stack({kLock}, true);
  EXPECT_TRUE(spinners.Sample(1, stack, 4).Find().all.empty());
}

TEST(Spins, AreNotLookedForWhereNobodySaysHowOftenWasSampledOrTheCodeIsNotKnown) {
  Spinners spinners;
  spinners.Sample(1, spinners.Stack({kLock}, true), 10);
  LoadedTrace trace(spinners.End());
  EXPECT_TRUE(FindSpins(trace.timeline(), Code(), {}).empty());

  Spinners unknown;
  unknown.trace().session().mutable_options()->set_sample_hz(0);
  EXPECT_TRUE(unknown.Sample(1, unknown.Stack({kLock}, true), 10).Find().all.empty());
}

}  // namespace
}  // namespace gordian::testing
