// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analyzer/suggestions/suggestions.h"
#include "analyzer/suggestions/test_herds.h"
#include "analyzer/suggestions/thresholds.h"

namespace gordian::testing {
namespace {

Suggestions FoundIn(const Herd& herd) {
  TraceBuilder built = BuildHerd(herd);
  return LoadedTrace(built).Find();
}
bool AnyIn(const Herd& herd) {
  const Suggestions found = FoundIn(herd);
  EXPECT_EQ(found.all.empty(), found.after_false_wakeups.empty());
  return !found.all.empty();
}

TEST(FalseWakeups, AreTheOnesThatLeadBackToSleepWhileAnotherFindsWork) {
  TraceBuilder built = BuildHerd({});
  LoadedTrace trace(built);
  const Suggestions found = trace.Find();
  ASSERT_EQ(found.all.size(), 1u);
  const Suggestion& suggestion = found.all[0];
  EXPECT_EQ(suggestion.kind, SuggestionKind::kFalseWakeup);
  EXPECT_EQ(suggestion.thread, trace.Id("idle"));
  EXPECT_EQ(suggestion.threads, 1u);
  EXPECT_EQ(suggestion.samples, 20u);
  EXPECT_DOUBLE_EQ(suggestion.count, 20);
  // From the sleep before each of them: the first is 11 us after the beginning, the last sleep 6 us
  // after 20 ms.
  EXPECT_DOUBLE_EQ(suggestion.time_ns, 20e6 + 6'000 - 11'000);
  EXPECT_EQ(FrameNameAndLine(*ProgramFrame(suggestion.path, trace.code())), "Serve (serve.cc:42)");
  ASSERT_EQ(found.after_false_wakeups.size(), 20u);
  EXPECT_EQ(found.after_false_wakeups[0].thread, trace.Id("idle"));
}

TEST(FalseWakeups, MayQueueForTheConditionsLockOnTheWay) {
  EXPECT_TRUE(AnyIn({.queues_for_lock = true}));
  EXPECT_TRUE(AnyIn({.hands_on_lock = true}));
}

TEST(FalseWakeups, AreNoneThatDidSomething) {
  EXPECT_FALSE(AnyIn({.idle_runs_ns = kMostRunNs + 5'000})) << "worked";
  EXPECT_FALSE(AnyIn({.wakes_other = true}));
  EXPECT_FALSE(AnyIn({.wakes_other_early = true}));
  EXPECT_FALSE(AnyIn({.asks_disk = true}));
  EXPECT_FALSE(AnyIn({.sends = true}));
}

TEST(FalseWakeups, AreNoneWhereNobodyElseWasWokenForTheSame) {
  EXPECT_FALSE(AnyIn({.between_wakes_ns = 2 * kAtOnceNs})) << "one after the other";
  EXPECT_FALSE(AnyIn({.busy_process = 2})) << "another process";
  EXPECT_FALSE(AnyIn({.by_timer = true}));
}

TEST(FalseWakeups, AreNoneWhereNobodyEverFindsWorkThatIsSeen) {
  EXPECT_FALSE(AnyIn({.busy_runs_ns = 9'000}));
  EXPECT_FALSE(AnyIn({.busy_runs_ns = kLeastWorkNs - 1'000})) << "may be the machine";
}

TEST(FalseWakeups, LeadBackToTheSamePlace) { EXPECT_FALSE(AnyIn({.idle_sleeps_elsewhere = true})); }

TEST(FalseWakeups, AreToldOnceWhereStacksWereCutShortAtFirst) {
  TraceBuilder built = BuildHerd({.rounds = 50, .cut_rounds = 20});
  LoadedTrace trace(built);
  const Suggestions found = trace.Find();
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(FrameNameAndLine(*ProgramFrame(found.all[0].path, trace.code())),
            "Serve (serve.cc:42)");
  EXPECT_EQ(found.all[0].samples, 49u) << "all but the one that leads from the one to the other";
  EXPECT_EQ(found.after_false_wakeups.size(), 49u);
}

TEST(FalseWakeups, TakeMoreThanAFew) { EXPECT_FALSE(AnyIn({.rounds = 9})); }

TEST(FalseWakeups, AreNotLookedForInWaitsThatTheKernelEndsForAReason) {
  EXPECT_TRUE(AnyIn({.reason = "ep_poll"}));
  for (const char* function : {"pipe_read", "unix_stream_read", "vfs_fsync_range", "do_nanosleep"})
    EXPECT_FALSE(AnyIn({.reason = function})) << function;
}

TEST(FalseWakeups, AreNoneAtABarrier) {
  EXPECT_TRUE(AnyIn({.call = "sem_wait"}));
  for (const char* call : {"pthread_barrier_wait", "gomp_team_barrier_wait_end"})
    EXPECT_FALSE(AnyIn({.call = call})) << call;
}

TEST(FalseWakeups, CountByTheChanceTheirStacksHad) {
  const Suggestions found = FoundIn({.weight_log2 = 3});
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].samples, 20u);
  // Of both threads' 40 times 8 wakeups half, but for one: what followed the last is not known.
  EXPECT_NEAR(found.all[0].count, 160, 8);
}

TEST(FalseWakeups, AreNotLookedForWithoutStacksOrTheirCode) {
  EXPECT_FALSE(AnyIn({.with_stacks = false}));
  TraceBuilder built = BuildHerd({});
  LoadedTrace trace(built);
  EXPECT_TRUE(FindFalseWakeups(trace.timeline(), Code(), {}).all.empty());
}

TEST(FalseWakeups, AreLookedForInTheRangeOnly) {
  TraceBuilder built = BuildHerd({});
  LoadedTrace trace(built);
  const Suggestions found = FindFalseWakeups(trace.timeline(), trace.code(),
                                             {.from_ns = trace.timeline().start_ns() + 3'500'000,
                                              .to_ns = trace.timeline().start_ns() + 15'500'000});
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].samples, 11u) << "the first visit's wait began before";
}

TEST(FalseWakeups, JoinTheSameWaitsAsThoseThatWereDeclared) {
  for (const bool queues : {false, true}) {
    TraceBuilder declared_built = BuildHerd({.declares = true, .queues_for_lock = queues});
    TraceBuilder built = BuildHerd({.queues_for_lock = queues});
    LoadedTrace declared(declared_built);
    LoadedTrace assumed(built);
    EXPECT_TRUE(assumed.Segments() != declared.Segments());
    const Suggestions found = assumed.Find();
    EXPECT_EQ(assumed.timeline().JoinWaits(found.after_false_wakeups), 20u);
    EXPECT_TRUE(assumed.Segments() == declared.Segments());
    EXPECT_TRUE(declared.Find().all.empty()) << "they are declared";
  }
}

}  // namespace
}  // namespace gordian::testing
