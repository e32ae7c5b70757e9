// SPDX-License-Identifier: Apache-2.0
// For any recording: suggestions change nothing, and joined waits still make a true life.
#include <gtest/gtest.h>

#include <random>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/suggestions/suggestions.h"
#include "analyzer/suggestions/test_herds.h"

namespace gordian::testing {
namespace {

// Threads that run, sleep and wake each other by chance, with stacks of a few places, locks and
// programs that spin among them. Parts are left out, as in a damaged recording.
TraceBuilder RandomTrace(uint32_t seed) {
  std::mt19937 random(seed);
  const auto chance = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
  TraceBuilder t;
  t.Unchecked();
  t.session().mutable_options()->set_sample_hz(99);
  constexpr int kThreads = 5;
  for (int32_t tid = 1; tid <= kThreads; ++tid) t.Thread(tid, "t" + std::to_string(tid), 1);
  std::vector<uint32_t> stacks = {77};  // not defined
  for (const char* function : {"Serve", "pthread_mutex_lock", "Poll", ""})
    stacks.push_back(t.AddStack({"futex_wait"}, {{.function = function}}, 1));
  t.symbols().mutable_stacks(0)->set_spins(true);
  uint64_t time_ns = 1000;
  std::vector<bool> runs(kThreads + 1);
  for (int step = 0; step < 2000; ++step) {
    time_ns += 50 + random() % 800;
    const auto tid = static_cast<int32_t>(1 + random() % kThreads);
    const uint32_t stack = stacks[chance(80) ? 1 : random() % stacks.size()];
    t.At(time_ns).Cpu(static_cast<uint16_t>(tid));
    if (!runs[tid]) {
      if (chance(5)) continue;
      t.Switch(0, tid, 0);
      runs[tid] = true;
    } else if (chance(40)) {
      t.Switch(tid, 0, chance(90) ? kSleep : 0);
      runs[tid] = false;
      if (chance(90)) t.AddStackSample(tid, StackMoment::kWait, stack, chance(10) ? 2 : 0);
    } else if (chance(70)) {
      for (int32_t other = 1; other <= kThreads; ++other) {
        if (other != tid && !runs[other] && chance(70)) t.Wake(other);
      }
    } else if (chance(50)) {
      t.AddStackSample(tid, StackMoment::kCpu, stack);
    } else {
      t.Probe(tid, static_cast<ProbeKind>(1 + random() % 6), "", 7);
    }
  }
  return t;
}

TEST(Suggestions, ChangeNothingUnlessTheyAreJoined) {
  uint64_t joined = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    TraceBuilder built = RandomTrace(seed);
    LoadedTrace trace(built, 1 + seed * 7);
    const std::string before = trace.Segments();
    const Suggestions found = trace.Find();
    EXPECT_TRUE(trace.Segments() == before);
    EXPECT_TRUE(std::is_sorted(found.after_false_wakeups.begin(), found.after_false_wakeups.end()));
    EXPECT_EQ(trace.timeline().JoinWaits({}), 0u);
    EXPECT_TRUE(trace.Segments() == before);

    std::vector<uint64_t> lengths_ns;
    for (const Entity& entity : trace.timeline().entities())
      lengths_ns.push_back(entity.end_ns - entity.begin_ns);
    joined += trace.timeline().JoinWaits(found.after_false_wakeups);
    // Each thread's time still adds up, and no thread waits for itself.
    for (EntityId id = 0; id < trace.timeline().thread_count(); ++id) {
      const Entity& entity = trace.timeline().entities()[id];
      EXPECT_EQ(
          entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns + entity.unknown_ns,
          lengths_ns[id]);
    }
    EXPECT_TRUE(found.after_false_wakeups.empty() || joined > 0);
    for (const Edge& edge : BuildWaitForGraph(trace.timeline()).edges)
      EXPECT_NE(edge.from, edge.to);
  }
  EXPECT_GT(joined, 100u) << "there was nothing to join";
}

TEST(JoinWaits, PassesOverWhatIsNoSleepOrHasNoneBefore) {
  TraceBuilder built = BuildHerd({});
  LoadedTrace trace(built);
  const std::string before = trace.Segments();
  const EntityId idle = trace.Id("idle");
  const std::vector<SleepStart> nonsense = {
      {idle, trace.timeline().start_ns() + 11'000},  // its first sleep
      {idle, trace.timeline().start_ns() + 12'345},
      {trace.timeline().thread_count() + 5, trace.timeline().start_ns()}};
  EXPECT_EQ(trace.timeline().JoinWaits(nonsense), 0u);
  EXPECT_TRUE(trace.Segments() == before);
}

}  // namespace
}  // namespace gordian::testing
