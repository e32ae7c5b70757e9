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

constexpr int32_t kBefore = 18, kBehind = 19;
constexpr int32_t kClient = 13, kLoop = 15, kWorkers[] = {16, 17};

// On four CPUs. Two clients work 1 ms and ask the only worker, which works 1 ms, asks the loop,
// which sleeps 4 ms and answers, and answers. An answer every 5 ms.
TraceBuilder WorkerBeforeALoopTrace(int answers) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(4);
  t.Thread(kWorker, "worker").Thread(kLoop, "loop");
  t.Thread(kClient, "client").Thread(kClient + 1, "client");
  t.At(0).Cpu(3).Run(kLoop).Block().Cpu(0).Run(kWorker);
  for (const int client : {0, 1})
    t.Cpu(static_cast<uint16_t>(1 + client)).Run(kClient + client).Block();
  for (int i = 0; i < answers; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 5_ms;
    const int client = i % 2;
    // The other client, answered before, has worked and waits.
    t.At(begin_ns + 1_ms).Cpu(0).Wake(kLoop).Block().Cpu(3).Run(kLoop).Block();
    if (i > 0) t.Cpu(static_cast<uint16_t>(2 - client)).Block();
    t.At(begin_ns + 5_ms).Cpu(3).WakeFromTimer(kLoop).Run(kLoop).Wake(kWorker).Block();
    t.Cpu(0).Run(kWorker).Wake(kClient + client);
    t.Cpu(static_cast<uint16_t>(1 + client)).Run(kClient + client);
  }
  return t;
}

// On four CPUs. A stage takes an item, for whose place the stage before it waits, works 1 ms,
// sleeps 3 ms, and hands it on to the stage behind. Both others work 0.5 ms an item. An item every
// 4 ms.
TraceBuilder StagesTrace(int items) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(4);
  t.Thread(kBefore, "before").Thread(kWorker, "worker").Thread(kBehind, "behind");
  t.At(0).Cpu(1).Run(kBefore).Block().Cpu(2).Run(kBehind).Block().Cpu(0).Run(kWorker);
  for (int i = 0; i < items; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 4_ms;
    if (i > 0) t.At(begin_ns + 5_us).Cpu(2).Block();
    t.At(begin_ns + 10_us).Cpu(0).Wake(kBefore).Cpu(1).Run(kBefore);
    t.At(begin_ns + 510_us).Cpu(1).Block();
    t.At(begin_ns + 1_ms).Cpu(0).Block();
    t.At(begin_ns + 4_ms).Cpu(0).WakeFromTimer(kWorker).Run(kWorker).Wake(kBehind);
    t.Cpu(2).Run(kBehind);
  }
  return t;
}

// An item is one piece of work, although two others wait for parts of it.
TEST_F(Replays, AddedThreadOfAStageTakesEveryOtherItem) {
  Load(StagesTrace(400));
  const ReplayResult result = Try("behind", {.added_threads = {{Vertex("worker"), 1}}});
  EXPECT_NEAR(result.wait_alone.gain, 2, 0.05);
  EXPECT_NEAR(result.with_path.gain, 2, 0.05);
}

// Two workers hold a lock in turn, in which each works 1 ms and waits 4 ms for the loop.
TraceBuilder LockBeforeALoopTrace(int holds) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(3);
  t.Thread(kLoop, "loop").Thread(kWorkers[0], "worker").Thread(kWorkers[1], "worker");
  t.At(0).Cpu(2).Run(kLoop).Block().Cpu(1).Run(kWorkers[1]).Block().Cpu(0).Run(kWorkers[0]);
  for (int i = 0; i < holds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * (5_ms + 10_us);
    const auto cpu = static_cast<uint16_t>(i % 2);
    t.At(begin_ns + 1_ms).Cpu(cpu).Wake(kLoop).Block().Cpu(2).Run(kLoop).Block();
    t.At(begin_ns + 5_ms).Cpu(2).WakeFromTimer(kLoop).Run(kLoop).Wake(kWorkers[cpu]).Block();
    t.Cpu(cpu).Run(kWorkers[cpu]).At(begin_ns + 5_ms + 10_us).Cpu(cpu);
    t.Wake(kWorkers[1 - cpu]).Block();
    t.Cpu(static_cast<uint16_t>(1 - cpu)).Run(kWorkers[1 - cpu]);
  }
  return t;
}

TEST_F(Replays, LoopBehindAddedThreadsWorksForAllOfThem) {
  Load(WorkerBeforeALoopTrace(400), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker"), loop = Vertex("loop");
  ReplayOptions options = {.changes = {.added_threads = {{worker, 1}}}};
  // The loop works on one question at a time: 4 ms each, and no longer 5 ms.
  EXPECT_NEAR(TryAll("client", options).wait_alone.gain, 5.0 / 4, 0.03);
  // Each client needs 1 ms for itself, 1 ms of a worker and 4 ms of the loop, and both at once.
  options.loops = {{loop, worker, 1}, {loop, Vertex("timer"), 1}};
  EXPECT_NEAR(TryAll("client", options).wait_alone.gain, 2 * 5.0 / 6, 0.03);
  EXPECT_NEAR(TryAll("client", options).with_path.gain, 2 * 5.0 / 6, 0.03);
}

// Who has one connection to each who asks is there once more for each thread that is added. What
// serves several is one, and so is a thread of the worker's own program.
TEST_F(Replays, AddedThreadsBringABackEndThatServesOneConnection) {
  const auto gain_with = [&](int connections, int32_t process) {
    TraceBuilder t = WorkerBeforeALoopTrace(400);
    t.Thread(kLoop, "loop", process);
    for (int i = 0; i < 2 * connections; ++i)
      t.NetSend({.flow_id = static_cast<uint32_t>(1 + i % connections), .tid = kLoop});
    Load(std::move(t), /*alike_by_name=*/true,
         std::to_string(connections) + "-" + std::to_string(process));
    const uint32_t worker = Vertex("worker");
    ReplayOptions options = {.changes = {.added_threads = {{worker, 1}}}};
    options.loops = {{Vertex("loop"), Vertex("timer"), 0}};
    return TryAll("client", options).wait_alone.gain;
  };
  EXPECT_NEAR(gain_with(1, kLoop), 2 * 5.0 / 6, 0.03);
  EXPECT_NEAR(gain_with(2, kLoop), 5.0 / 4, 0.03) << "one thread for several connections";
  EXPECT_NEAR(gain_with(1, kWorker), 5.0 / 4, 0.03) << "a thread of the worker's own program";
}

TEST_F(Replays, LoopBehindALockThatIsGoneWorksForAllWhoHadIt) {
  Load(LockBeforeALoopTrace(400), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker"), loop = Vertex("loop");
  ReplayOptions options = {.changes = {.waits = {{worker, worker, /*keeps_up=*/false}}}};
  EXPECT_NEAR(TryAll("worker", options).wait_alone.gain, 5.0 / 4, 0.03);
  options.loops = {{loop, worker, 1}, {loop, Vertex("timer"), 1}};
  EXPECT_NEAR(TryAll("worker", options).wait_alone.gain, 2, 0.05);
}

// Four clients work 0.1 ms and wait. The first to ask wakes batcher, which waits 5 ms for others,
// works 0.5 ms for all who have come, and answers them. `at_a_time`: it serves so many in a turn.
TraceBuilder BatchesTrace(int turns, int at_a_time) {
  constexpr int32_t kBatcher = 10, kClients = 11;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(8);
  t.Thread(kBatcher, "batcher");
  for (int32_t i = 0; i < 4; ++i) {
    t.Thread(kClients + i, "client");
    t.At(0).Cpu(static_cast<uint16_t>(1 + i)).Run(kClients + i);
    if (i >= at_a_time) t.Block();
  }
  t.At(0).Cpu(0).Run(kBatcher).Block();
  for (int turn = 0; turn < turns; ++turn) {
    const uint64_t begin_ns = static_cast<uint64_t>(turn) * (5_ms + 600_us);
    const auto served = [&](int of, int i) { return (of * at_a_time + i) % 4; };
    const auto cpu_of = [](int client) { return static_cast<uint16_t>(1 + client); };
    // Those that were answered last have worked, and ask.
    const int before = turn == 0 ? 0 : turn - 1;
    t.At(begin_ns + 100_us).Cpu(cpu_of(served(before, 0))).Wake(kBatcher).Block();
    t.Cpu(0).Run(kBatcher);
    for (int i = 1; i < at_a_time; ++i) t.Cpu(cpu_of(served(before, i))).Block();
    t.At(begin_ns + 110_us).Cpu(0).Block();
    t.At(begin_ns + 5_ms + 110_us).Cpu(0).WakeFromTimer(kBatcher).Run(kBatcher);
    t.At(begin_ns + 5_ms + 600_us).Cpu(0);
    for (int i = 0; i < at_a_time; ++i) t.Wake(kClients + served(turn, i));
    t.Block();
    for (int i = 0; i < at_a_time; ++i)
      t.Cpu(cpu_of(served(turn, i))).Run(kClients + served(turn, i));
  }
  return t;
}

TEST_F(Replays, AddedThreadsFindNothingLeftBehindABatch) {
  const auto gain_with = [&](int at_a_time) {
    Load(BatchesTrace(400, at_a_time), /*alike_by_name=*/true, std::to_string(at_a_time));
    return Try("client", {.added_threads = {{Vertex("batcher"), 1}}}).with_path.gain;
  };
  EXPECT_NEAR(gain_with(4), 1, 0.02);
  EXPECT_GT(gain_with(1), 1.5) << "three stand in line";
}

// It never waits, so that its turns are told by whom it answers.
TEST_F(Replays, AddedThreadsHelpOneThatIsAlwaysBusy) {
  constexpr int32_t kServer = 10, kClients = 11;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(8);
  t.Thread(kServer, "server");
  t.At(0).Cpu(0).Run(kServer);
  for (int32_t i = 0; i < 4; ++i) {
    t.Thread(kClients + i, "client");
    t.Cpu(static_cast<uint16_t>(1 + i)).Run(kClients + i).Block();
  }
  for (int i = 0; i < 800; ++i) {
    const auto cpu = static_cast<uint16_t>(1 + i % 4);
    t.At(static_cast<uint64_t>(i + 1) * 1_ms).Cpu(0).Wake(kClients + i % 4);
    t.Cpu(cpu).Run(kClients + i % 4);
    t.At(static_cast<uint64_t>(i + 1) * 1_ms + 100_us).Cpu(cpu).Block();
  }
  Load(std::move(t), /*alike_by_name=*/true);
  EXPECT_GT(Try("client", {.added_threads = {{Vertex("server"), 1}}}).with_path.gain, 1.8);
}

// boss works 10 ms; client waits for it in a loop, looks at its clock after 5 ms, and works 1 ms.
TraceBuilder TickingTrace(int rounds) {
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kBoss, "boss").Thread(kClient, "client");
  t.At(0).Cpu(1).Run(kClient).Block().Cpu(0).Run(kBoss);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 11_ms;
    t.At(begin_ns + 5_ms).Cpu(1).WakeFromTimer(kClient).Run(kClient);
    t.At(begin_ns + 5_ms + 1_us).Cpu(1).Block();
    t.At(begin_ns + 10_ms).Cpu(0).Wake(kClient).Block().Cpu(1).Run(kClient);
    t.At(begin_ns + 11_ms).Cpu(1).Wake(kBoss).Block().Cpu(0).Run(kBoss);
  }
  return t;
}

TEST_F(Replays, TickOfALoopThatFoundNothingIsNoSleep) {
  Load(TickingTrace(200));
  const uint32_t boss = Vertex("boss"), client = Vertex("client");
  ReplayOptions options = {.changes = {.runs = {{boss, 0.1}}}};
  EXPECT_NEAR(TryAll("boss", options).wait_alone.gain, 11.0 / 6, 0.03) << "it may be a sleep";
  options.tick_loops = {{client, boss, 1}, {client, Vertex("timer"), 1}};
  EXPECT_NEAR(TryAll("boss", options).wait_alone.gain, 11.0 / 2, 0.1);
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
  const MarkRange both = {.first = 0, .last = 1};
  const PlayOutcome outcome = Simulate(WaitsInACircle(), {.cpus = {2}}, {&both, 1});
  EXPECT_EQ(outcome.forced_steps, 0);
  EXPECT_EQ(outcome.end_ns, 5_ms) << "1 ms, and 2 ms of each second thing in turn";
}

}  // namespace
}  // namespace gordian::testing
