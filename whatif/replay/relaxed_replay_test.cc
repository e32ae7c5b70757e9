// SPDX-License-Identifier: Apache-2.0
// Changes that only give more: the order of the work then differs from that of the recording, and
// no limit of the replay's own may stop it.
#include <gtest/gtest.h>

#include <string>

#include "whatif/play/play.h"
#include "whatif/testing/replay_fixture.h"

namespace gordian::testing {
namespace {

constexpr int32_t kBoss = 11, kWorker = 12;

// On two CPUs: worker works 1 ms, or every tenth time sleeps for 20 ms in between, and wakes boss,
// which works 0.1 ms and waits for the next.
TraceBuilder UnevenTrace(int pieces) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kBoss, "boss").Thread(kWorker, "worker");
  t.At(0).Cpu(0).Run(kBoss).Block().Cpu(1).Run(kWorker);
  uint64_t now_ns = 0;
  for (int i = 0; i < pieces; ++i) {
    if (i % 10 == 0) {
      t.At(now_ns += 500_us).Cpu(1).Block();
      t.At(now_ns += 20_ms).Cpu(1).WakeFromTimer(kWorker).Run(kWorker);
      now_ns -= 500_us;
    }
    t.At(now_ns += 1_ms).Cpu(1).Wake(kBoss).Cpu(0).Run(kBoss);
    t.At(now_ns + 100_us).Cpu(0).Block();
  }
  return t;
}

TEST_F(Replays, AddedThreadsMayOvertakeALongPieceOfWork) {
  Load(UnevenTrace(1000));
  for (const uint32_t added : {1, 7}) {
    const ReplayResult result = Try("boss", {.added_threads = {{Vertex("worker"), added}}});
    EXPECT_GT(result.wait_alone.gain, 1) << added;
    EXPECT_GE(result.with_path.gain, result.wait_alone.gain - 0.02) << added;
  }
}

Step Await(uint32_t hand_over, bool keeps_seat) {
  return {.number = hand_over, .kind = StepKind::kAwait, .keeps_seat = keeps_seat};
}

// Two threads do two things at a time each. The first thing of each waits for the second one of the
// other, and would keep it from going on.
Score WaitsInACircle() {
  enum : EntityId { kA1, kB1, kA2, kB2 };
  const Step run = {.duration_ns = 1_ms};
  const Step hands_over_0 = {.number = 0, .kind = StepKind::kHandOver};
  const Step hands_over_1 = {.number = 1, .kind = StepKind::kHandOver};
  const Step mark = {.kind = StepKind::kMark};
  Score score;
  score.steps = {run, Await(0, true), mark, run, Await(1, true), mark, run,
                 run, hands_over_1,   run,  run, hands_over_0};
  score.first_step = {0, 3, 6, 9, 12};
  score.pairs = {{.waker = kB2, .waiter = kA1, .channel = 0, .count = 1},
                 {.waker = kA2, .waiter = kB1, .channel = 1, .count = 1}};
  score.pair_of_hand_over = {0, 1};
  score.relayed_disk = {kNoDisk, kNoDisk};
  score.channels = 2;
  score.marks = 2;
  score.cpus = {2};
  score.node = {0, 0, 0, 0};
  score.like = {0, 1, 0, 1};
  score.seat = {kA1, kB1, kA1, kB1};
  score.cpu_class.resize(4, CpuClass::kOrdinary);
  score.kernel_thread.resize(4);
  return score;
}

TEST(Seats, AreLeftByThoseWhoWaitForThemInACircle) {
  const PlayOutcome outcome = Simulate(WaitsInACircle(), {.cpus = {2}}, 0, 1);
  EXPECT_EQ(outcome.forced_steps, 0);
  EXPECT_EQ(outcome.end_ns, 5_ms) << "1 ms, and 2 ms of each second thing in turn";
}

}  // namespace
}  // namespace gordian::testing
