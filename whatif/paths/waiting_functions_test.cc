// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/waiting_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "analyzer/stacks/test_trace.h"
#include "tests/support/time_literals.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

constexpr int32_t kOne = 11, kTwo = 12, kThree = 13;
constexpr StackMoment kWait = StackMoment::kWait, kWake = StackMoment::kWake;

// Group commit, every 10 ms: one syncs in Flush for 4 ms, while two waits for that, in Flush or
// elsewhere; one wakes it in Flush, or an interrupt does meanwhile. Then, for 1 ms, one waits for a
// request of two, elsewhere.
struct Case {
  bool two_joins = true;
  bool interrupt = false;
  uint64_t third_waits_ns = 0;  // a third one, elsewhere, until one wakes it in Flush, too
  bool all_runs_in_flush = false;
};

class GroupCommit : public ::testing::Test {
 protected:
  void Make(const Case& made) {
    const std::vector<BuiltFrame> flush = {{.function = "Flush"}, {.function = "Serve"}};
    const std::vector<BuiltFrame> serve = {{.function = "Read"}, {.function = "Serve"}};
    const uint32_t sync = t_.AddStack({"io_schedule", "__x64_sys_fsync"}, flush);
    const std::vector<BuiltFrame> joining = {
        {.function = "Join"}, {.function = "Flush"}, {.function = "Serve"}};
    const uint32_t join =
        t_.AddStack({"futex_wait", "__x64_sys_futex"}, made.two_joins ? joining : serve);
    const uint32_t elsewhere = t_.AddStack({"futex_wait", "__x64_sys_futex"}, serve);
    const uint32_t done = t_.AddStack(
        {"try_to_wake_up", made.interrupt ? "asm_sysvec_reschedule_ipi" : "__x64_sys_futex"},
        flush);
    const uint32_t read = t_.AddStack({"ep_poll", "__x64_sys_epoll_wait"}, serve);
    const uint32_t send = t_.AddStack({"try_to_wake_up", "__x64_sys_sendto"}, serve);
    const uint32_t runs = t_.AddStack({}, made.all_runs_in_flush ? flush : serve);
    const uint32_t wakes = t_.AddStack({"ttwu_queue", "__x64_sys_futex"}, flush);
    t_.session().mutable_options()->set_sample_hz(99);
    t_.Thread(kOne, "one").Thread(kTwo, "two");
    const uint32_t vda = t_.Disk("vda");
    t_.At(0).Cpu(0).Run(kOne).Cpu(1).Run(kTwo);
    if (made.third_waits_ns > 0) t_.Thread(kThree, "three").Cpu(2).Run(kThree);
    for (uint64_t i = 0; i < 10; ++i) {
      const uint64_t begin_ns = i * 10_ms;
      t_.At(begin_ns + 1_ms).Cpu(1).Block().At(begin_ns + 1_ms + 100);
      t_.AddStackSample(kTwo, kWait, join);
      t_.At(begin_ns + 2_ms)
          .Cpu(0)
          .AddStackSample(kOne, StackMoment::kCpu, i % 5 == 0 ? wakes : runs)
          .Block();
      t_.At(begin_ns + 2_ms + 100).AddStackSample(kOne, kWait, sync);
      t_.At(begin_ns + 6_ms).WakeFromBlock(kOne, vda).Run(kOne);
      if (made.third_waits_ns > 0) {
        t_.At(begin_ns + 7_ms - made.third_waits_ns + 300).Cpu(2).Block();
        t_.At(begin_ns + 7_ms - made.third_waits_ns + 400).AddStackSample(kThree, kWait, elsewhere);
        t_.At(begin_ns + 7_ms - 300).Cpu(0).Wake(kThree).At(begin_ns + 7_ms - 200);
        t_.AddStackSample(kOne, kWake, done).Cpu(2).Run(kThree).Cpu(0);
      }
      t_.At(begin_ns + 7_ms).Wake(kTwo).At(begin_ns + 7_ms + 100);
      t_.AddStackSample(kOne, kWake, done).Cpu(1).Run(kTwo);
      t_.At(begin_ns + 8_ms).Cpu(0).Block().At(begin_ns + 8_ms + 100);
      t_.AddStackSample(kOne, kWait, read);
      t_.At(begin_ns + 9_ms).Cpu(1).Wake(kOne).At(begin_ns + 9_ms + 100);
      t_.AddStackSample(kTwo, kWake, send).Cpu(0).Run(kOne);
    }
  }

  std::set<std::string> Functions() { return All().whole; }
  WaitingFunctions All(bool alike = false) {
    Loaded loaded(t_);
    if (alike) loaded.MakeAlike(loaded.Id("one"), loaded.Id("two"));
    const RemovedEdge removed[] = {{loaded.Id("one"), loaded.Id("vda", EntityKind::kDisk)}};
    return FunctionsOfWaits(loaded.Sums(), Code(t_.symbols()), loaded.Id("one"), removed, {});
  }

  TraceBuilder t_;
};

TEST_F(GroupCommit, FunctionInWhichOthersJoinIsThereForTheWait) {
  Make({});
  EXPECT_THAT(Functions(), Contains("Flush"));
}

TEST_F(GroupCommit, FunctionThatAlsoWaitsForOtherThingsIsNot) {
  Make({});
  EXPECT_THAT(Functions(), Not(Contains("Serve")));
  EXPECT_THAT(Functions(), Not(Contains("Read")));
}

TEST_F(GroupCommit, FunctionThatWakesThoseWhoWaitElsewhereHandsOnWork) {
  Make({.two_joins = false});
  EXPECT_THAT(Functions(), Not(Contains("Flush")));
}

TEST_F(GroupCommit, FunctionThatHardlyEverWakesThoseWhoWaitElsewhereIsThereForTheWait) {
  Make({.third_waits_ns = 1_ms});
  EXPECT_THAT(Functions(), Contains("Flush"));
}

TEST_F(GroupCommit, WhereOthersWaitForTheWaitIsOnItsWayEvenIfAllIsAround) {
  Make({.all_runs_in_flush = true});
  const WaitingFunctions functions = All(/*alike=*/true);
  EXPECT_THAT(functions.whole, Not(Contains("Flush")));
  EXPECT_THAT(functions.joined, Contains("Join"));
  EXPECT_THAT(functions.joined, Not(Contains("Read")));
}

TEST_F(GroupCommit, WhatItTakesToWakeIsTheTimeInTheCallsThatDo) {
  Make({});
  const Loaded loaded(t_);
  const std::vector<Path> paths = WakePaths(loaded.Sums(), Code(t_.symbols()), loaded.Id("two"));
  ASSERT_EQ(paths.size(), 1);
  EXPECT_EQ(paths[0].vertex, loaded.Id("one"));
  EXPECT_NEAR(paths[0].run_share, 0.2, 1e-9);
  EXPECT_GT(paths[0].most_share, 0.2);
  // The other has no samples of its running.
  EXPECT_TRUE(WakePaths(loaded.Sums(), Code(t_.symbols()), loaded.Id("one")).empty());
}

TEST_F(GroupCommit, WhatAnInterruptWakesIsNotTheFunctionsWake) {
  Make({.two_joins = false, .interrupt = true});
  EXPECT_THAT(Functions(), Contains("Flush"));
}

// No sample tells of wakes by packets: one's work is half in waking, half its own.
TEST(WakesByPackets, TakeTheSendersTimeInWaking) {
  TraceBuilder t;
  t.session().mutable_options()->set_sample_hz(99);
  const uint32_t wakes = t.AddStack({"sock_def_readable", "tcp_v4_rcv", "__x64_sys_connect"},
                                    {{.function = "connect"}});
  const uint32_t works = t.AddStack({}, {{.function = "Work"}});
  t.Thread(kOne, "one").Thread(kTwo, "two");
  t.At(0).Cpu(0).Run(kOne);
  for (uint64_t i = 1; i <= 20; ++i)
    t.At(i * 10_ms).AddStackSample(kOne, StackMoment::kCpu, i % 2 == 0 ? wakes : works);
  const Loaded loaded(t);
  const std::vector<Path> paths = WakePaths(loaded.Sums(), Code(t.symbols()), loaded.Id("two"));
  ASSERT_EQ(paths.size(), 1);
  EXPECT_EQ(paths[0].vertex, loaded.Id("one"));
  EXPECT_NEAR(paths[0].run_share, 0.5, 1e-9);
  EXPECT_TRUE(paths[0].of_all_wakes);
}

// One waits in Lock, which Use calls, for two, and then works in Use as long.
TEST(WaitsForThreads, AreNotOnTheWayOfTheWorkThatTheyAreFor) {
  TraceBuilder t;
  t.session().mutable_options()->set_sample_hz(99);
  const uint32_t waits =
      t.AddStack({"futex_wait", "__x64_sys_futex"}, {{.function = "Lock"}, {.function = "Use"}});
  const uint32_t works = t.AddStack({}, {{.function = "Use"}});
  const uint32_t other = t.AddStack({}, {{.function = "Other"}});
  t.Thread(kOne, "one").Thread(kTwo, "two");
  t.At(0).Cpu(0).Run(kOne).Cpu(1).Run(kTwo);
  for (uint64_t i = 0; i < 10; ++i) {
    const uint64_t begin_ns = i * 30_ms;
    t.At(begin_ns + 1_ms).Cpu(0).AddStackSample(kOne, StackMoment::kCpu, works);
    t.At(begin_ns + 2_ms).AddStackSample(kOne, StackMoment::kCpu, other);
    t.At(begin_ns + 10_ms).Block().At(begin_ns + 10_ms + 100).AddStackSample(kOne, kWait, waits);
    t.At(begin_ns + 15_ms).Cpu(1).AddStackSample(kTwo, StackMoment::kCpu, other);
    t.At(begin_ns + 20_ms).Wake(kOne).Cpu(0).Run(kOne);
  }
  const Loaded loaded(t);
  const RemovedEdge removed[] = {{loaded.Id("one"), loaded.Id("two")}};
  const std::set<std::string> functions =
      FunctionsOfWaits(loaded.Sums(), Code(t.symbols()), loaded.Id("one"), removed, {}).whole;
  EXPECT_THAT(functions, Contains("Lock"));
  EXPECT_THAT(functions, Not(Contains("Use")));
}

}  // namespace
}  // namespace gordian::testing
