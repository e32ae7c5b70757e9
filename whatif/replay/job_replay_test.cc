// SPDX-License-Identifier: Apache-2.0
// Programs that end: the gain is the recorded time over the replayed one.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

constexpr int32_t kBoss = 10, kFirstKid = 100;

// On two CPUs: boss begins one kid after the other. Each works `work_ns`, sleeps, and works 1 ms.
TraceBuilder KidsTrace(int kids, uint64_t work_ns, uint64_t sleep_ns) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kBoss, "boss").At(0).Cpu(0).Run(kBoss);
  uint64_t at_ns = 0;
  for (int i = 0; i < kids; ++i) {
    const int32_t kid = kFirstKid + i;
    at_ns += 100_us;
    t.At(at_ns).Cpu(0).New(kBoss, kid, "kid").Block().Cpu(1).Run(kid);
    at_ns += work_ns;
    if (sleep_ns > 0) {
      t.At(at_ns).Cpu(1).Block();
      at_ns += sleep_ns;
      t.At(at_ns).WakeFromTimer(kid).Run(kid);
    }
    at_ns += 1_ms;
    t.At(at_ns).Cpu(1).Wake(kBoss).Exit(kid).Block(kDead).Cpu(0).Run(kBoss);
  }
  t.At(at_ns).Cpu(0).Exit(kBoss).Block(kDead);
  return t;
}

class JobReplays : public Replays {
 protected:
  ReplayResult Ask(const Changes& changes) {
    const std::vector<uint8_t> all(timeline_->thread_count(), 1);
    const ReplayOptions options = {
        .changes = changes,
        .marks = JobMarks(*timeline_, all,
                          {.from_ns = timeline_->start_ns(),
                           .to_ns = timeline_->end_ns(),
                           .root = timeline_->thread_count() == 0 ? kNobody : Vertex("boss")}),
        .is_job = true};
    const auto result = ReplayTimeline(*timeline_, vertices_, options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_LT(result->self_check(), 0.02);
    return *result;
  }
  static Changes AtATime(uint32_t vertex, uint32_t times) {
    return {.more_at_once = {{.vertex = vertex, .times = times, .of_job = true}}};
  }
};

TEST_F(JobReplays, WhoBeginsSeveralProcessesAtATimeWaitsForThemTogether) {
  Load(KidsTrace(40, 1_ms, 8_ms), /*alike_by_name=*/true);
  EXPECT_NEAR(Ask(AtATime(Vertex("boss"), 4)).expected, 4, 0.2);
  EXPECT_NEAR(Ask(AtATime(Vertex("kid"), 4)).expected, 4, 0.2);
}

TEST_F(JobReplays, MoreProcessesAtATimeNeedCpus) {
  Load(KidsTrace(40, 9_ms, 0), /*alike_by_name=*/true);
  EXPECT_NEAR(Ask(AtATime(Vertex("boss"), 8)).expected, 2, 0.1);
}

TEST_F(JobReplays, MoreAtATimeThanAskedForIsNeverTold) {
  Load(KidsTrace(40, 1_ms, 8_ms), /*alike_by_name=*/true);
  Changes changes = AtATime(Vertex("kid"), 4);
  changes.more_at_once.front().most = 3.5;
  EXPECT_NEAR(Ask(changes).expected, 3.5, 0.01);
}

// Without their work two CPUs would do it in half of the time at best.
TEST_F(JobReplays, ProcessesThatAreNotStartedDoNothing) {
  Load(KidsTrace(40, 9_ms, 0), /*alike_by_name=*/true);
  WaitChange skip = {.from = Vertex("boss"), .to = Vertex("kid"), .keeps_up = false};
  EXPECT_LT(Ask({.waits = {skip}}).expected, 5) << "a lock between them does not start them";
  skip.starts_none = true;
  EXPECT_GT(Ask({.waits = {skip}}).expected, 20);
}

// Boss works alone for 90 of 100 ms.
TraceBuilder LoneTrace() {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kBoss, "boss").At(0).Cpu(0).Run(kBoss);
  t.At(90_ms).New(kBoss, kFirstKid, "kid").Block().Cpu(1).Run(kFirstKid);
  t.At(100_ms).Wake(kBoss).Exit(kFirstKid).Block(kDead).Cpu(0).Run(kBoss).Exit(kBoss).Block(kDead);
  return t;
}

TEST_F(JobReplays, WorkOfOneThatWorksByItselfIsDivided) {
  Load(LoneTrace());
  const ReplayResult one = Ask({.added_threads = {{Vertex("boss"), 1}}});
  EXPECT_TRUE(one.divides_work);
  EXPECT_NEAR(one.wait_alone.gain, 1, 0.01);
  EXPECT_NEAR(one.with_path.gain, 100.0 / 55, 0.05);
  // There are two CPUs.
  EXPECT_NEAR(Ask({.added_threads = {{Vertex("boss"), 7}}}).with_path.gain, 100.0 / 55, 0.05);
}

// A runtime's other thread gets ready when it is born, is told to stop at the end, and does
// nothing between.
TraceBuilder RuntimeTrace() {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kBoss, "boss").At(0).Cpu(0).Run(kBoss);
  t.At(10_us).New(kBoss, kFirstKid, "idle").Cpu(1).Run(kFirstKid).At(20_us).Block();
  t.At(1_ms).Cpu(0).Wake(kFirstKid).At(1_ms + 10_us).Cpu(1).Run(kFirstKid);
  t.At(1_ms + 20_us).Block();
  t.At(99_ms).Cpu(0).Wake(kFirstKid).At(99_ms + 10_us).Cpu(1).Run(kFirstKid);
  t.At(99_ms + 20_us).Exit(kFirstKid).Block(kDead);
  t.At(100_ms).Cpu(0).Exit(kBoss).Block(kDead);
  return t;
}

TEST_F(JobReplays, WorkOfOneThatWakesARuntimesThreadsAtItsEndsIsDivided) {
  Load(RuntimeTrace());
  const ReplayResult one = Ask({.added_threads = {{Vertex("boss"), 1}}});
  EXPECT_TRUE(one.divides_work);
  EXPECT_NEAR(one.with_path.gain, 2, 0.1);
}

TEST_F(JobReplays, WorkOfOneThatIsAskedForItIsNotDivided) {
  Load(ServiceTrace(100));
  const std::vector<uint32_t> asker = {Vertex("asker")};
  const auto result = ReplayTimeline(*timeline_, vertices_,
                                     {.changes = {.added_threads = {{Vertex("service"), 3}}},
                                      .marks = CycleMarks(*timeline_, vertices_, asker)});
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->divides_work);
  EXPECT_NEAR(result->expected, 1, 0.02);
}

TEST_F(JobReplays, TheEndOfTheJobCounts) {
  Load(KidsTrace(10, 1_ms, 8_ms), /*alike_by_name=*/true);
  const std::vector<uint8_t> all(timeline_->thread_count(), 1);
  const std::vector<ProgressMark> marks = JobMarks(
      *timeline_, all,
      {.from_ns = timeline_->start_ns(), .to_ns = timeline_->end_ns(), .root = Vertex("boss")});
  ASSERT_GT(marks.size(), 400);
  EXPECT_EQ(marks.front().time_ns, timeline_->start_ns());
  EXPECT_EQ(marks.back().time_ns, timeline_->end_ns());
  EXPECT_EQ(marks.back().thread, Vertex("boss"));
  // Nobody's work is no progress.
  const std::vector<uint8_t> none(timeline_->thread_count());
  EXPECT_TRUE(JobMarks(*timeline_, none, {.to_ns = timeline_->end_ns()}).empty());
}

}  // namespace
}  // namespace gordian::testing
