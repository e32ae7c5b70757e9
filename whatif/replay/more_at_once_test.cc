// SPDX-License-Identifier: Apache-2.0
// More requests at a time, of programs whose answers can be calculated.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "whatif/edit/waits_in_line.h"
#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

class MoreAtOnceReplays : public Replays {
 protected:
  void LoadService() {
    Load(ServiceTrace(640));
    asker_ = Vertex("asker");
    service_ = Vertex("service");
    timer_ = Vertex("timer");
  }
  ReplayOptions InFlight(uint32_t times) const {
    return {.changes = {.more_at_once = {{.vertex = asker_, .times = times}}},
            .loops = {{service_, timer_, 1}}};
  }
  ReplayResult Ask(const ReplayOptions& options) { return TryAll("asker", options); }

  uint32_t asker_ = 0, service_ = 0, timer_ = 0;
};

TEST_F(MoreAtOnceReplays, SleepsOfALoopOverlap) {
  LoadService();
  const ReplayResult result = Ask(InFlight(4));
  EXPECT_NEAR(result.wait_alone.gain, 4, 0.1);
  EXPECT_NEAR(result.with_path.gain, 4, 0.1);
  EXPECT_NEAR(result.expected, 4, 0.1);
}

TEST_F(MoreAtOnceReplays, AreLimitedByTheThreadThatBringsThem) {
  LoadService();
  const ReplayResult result = Ask(InFlight(16));
  EXPECT_NEAR(result.wait_alone.gain, 5, 0.1);
  EXPECT_NEAR(result.with_path.gain, 5, 0.1);
  EXPECT_EQ(result.with_path.next.kind, NextLimit::kThread);
  EXPECT_EQ(result.with_path.next.entity, asker_);
}

TEST_F(MoreAtOnceReplays, MoreClientsAreLimitedByTheCpusAndTheServer) {
  LoadService();
  ReplayOptions options = InFlight(32);
  options.changes.more_at_once.front().more_threads = true;
  // 2.5 ms for each request on two CPUs, 0.5 ms in the service.
  EXPECT_NEAR(Ask(options).wait_alone.gain, 8, 0.3);
  options.changes.cpus = {{.count = 32}};
  EXPECT_NEAR(Ask(options).wait_alone.gain, 20, 0.5);
}

TEST_F(MoreAtOnceReplays, SleepsOfAThreadThatDoesNothingElseStayInARow) {
  LoadService();
  ReplayOptions options = InFlight(16);
  options.loops = {{service_, timer_, 0}};
  EXPECT_NEAR(Ask(options).wait_alone.gain, 10.0 / 8, 0.02);
  EXPECT_NEAR(Ask(options).with_path.gain, 10.0 / 8, 0.02);
}

// The asker has one connection to it: with a pool of four there are four of it.
TEST_F(MoreAtOnceReplays, MultiplyABackEndBehindOneConnection) {
  const auto gain_with = [&](int connections, int32_t process) {
    TraceBuilder t = ServiceTrace(640);
    t.Thread(12, "service", process);
    for (int i = 0; i < 2 * connections; ++i)
      t.NetSend({.flow_id = static_cast<uint32_t>(1 + i % connections), .tid = 12});
    Load(std::move(t), false, std::to_string(connections) + "-" + std::to_string(process));
    ReplayOptions options = InFlight(4);
    asker_ = Vertex("asker");
    service_ = Vertex("service");
    options.changes.more_at_once.front().vertex = asker_;
    options.loops = {{service_, Vertex("timer"), 0}};
    return Ask(options).wait_alone.gain;
  };
  EXPECT_NEAR(gain_with(1, 12), 4, 0.1);
  EXPECT_NEAR(gain_with(2, 12), 10.0 / 8, 0.02) << "one thread for several connections";
  EXPECT_NEAR(gain_with(1, 11), 10.0 / 8, 0.02) << "a thread of the asker's own program";
}

// client works 1 ms and asks pool, which at once asks server; that works 0.5 ms, sleeps 8 ms in a
// loop for events, works 0.5 ms and answers. The pool has so many clients' connections.
TraceBuilder TraceOfAPool(int requests, uint32_t connections) {
  constexpr int32_t kClient = 11, kPool = 12, kServer = 13;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(4);
  t.Thread(kClient, "client").Thread(kPool, "pool").Thread(kServer, "server");
  t.At(0).Cpu(2).Run(kServer).Block().Cpu(1).Run(kPool).Block().Cpu(0).Run(kClient);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * (10_ms + 20_us);
    t.At(begin_ns + 1_ms).Cpu(0).Wake(kPool).Block().Cpu(1).Run(kPool);
    t.NetSend({.flow_id = 1 + static_cast<uint32_t>(i) % connections, .tid = kPool});
    t.At(begin_ns + 1_ms + 10_us).Cpu(1).Wake(kServer).Block().Cpu(2).Run(kServer);
    t.At(begin_ns + 1_ms + 510_us).Cpu(2).Block();
    t.At(begin_ns + 9_ms + 510_us).Cpu(2).WakeFromTimer(kServer).Run(kServer);
    t.At(begin_ns + 10_ms + 10_us).Cpu(2).Wake(kPool).Block().Cpu(1).Run(kPool);
    t.At(begin_ns + 10_ms + 20_us).Cpu(1).Wake(kClient).Block().Cpu(0).Run(kClient);
  }
  return t;
}

// It holds requests back, and asks each server for one thing at a time: so that one has no others.
TEST_F(MoreAtOnceReplays, OfClientsWaitForAPoolThatIsFull) {
  const auto gain_with = [&](uint32_t connections) {
    Load(TraceOfAPool(640, connections), false, std::to_string(connections));
    const uint32_t client = Vertex("client"), pool = Vertex("pool"), server = Vertex("server");
    return TryAll("client", {.changes = {.more_at_once = {{.vertex = client, .times = 2}}},
                             .loops = {{pool, server, 1}, {server, Vertex("timer"), 1}}})
        .wait_alone.gain;
  };
  EXPECT_NEAR(gain_with(16), 10.0 / 9, 0.02);
  EXPECT_NEAR(gain_with(1), 2, 0.05) << "it had no others to ask for";
}

// Each client works 1 ms and asks its own server thread. That one stands in line for a lock, which
// four of them hold in turn, each for 2 ms; then it answers.
TraceBuilder TraceOfALockBehind(int holds) {
  constexpr int32_t kClient = 11, kServer = 21;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(16);
  for (int32_t i = 0; i < 4; ++i) {
    const auto its_cpu = static_cast<uint16_t>(i);
    t.Thread(kClient + i, "client", kClient).Thread(kServer + i, "server", kServer);
    t.At(0).Cpu(its_cpu).Run(kServer + i);
    if (i > 0) t.Block();
    t.Cpu(static_cast<uint16_t>(4 + i)).Run(kClient + i).Block();
  }
  for (int turn = 0; turn < holds; ++turn) {
    const int32_t holder = turn % 4, next = (turn + 1) % 4;
    const auto cpu = static_cast<uint16_t>(holder);
    const auto client_cpu = static_cast<uint16_t>(4 + holder);
    const uint64_t begin_ns = static_cast<uint64_t>(turn) * 2_ms;
    // Who held it before has answered: its client asks anew.
    const int32_t before = (turn + 3) % 4;
    if (turn > 0) {
      t.At(begin_ns + 1_ms).Cpu(static_cast<uint16_t>(4 + before)).Wake(kServer + before).Block();
      t.Cpu(static_cast<uint16_t>(before)).Run(kServer + before);
      t.At(begin_ns + 1_ms + 10_us).Cpu(static_cast<uint16_t>(before)).Block();
    }
    t.At(begin_ns + 2_ms).Cpu(cpu).Wake(kServer + next).Wake(kClient + holder).Block();
    t.Cpu(static_cast<uint16_t>(next)).Run(kServer + next);
    t.Cpu(client_cpu).Run(kClient + holder);
  }
  return t;
}

TEST_F(MoreAtOnceReplays, OfClientsStandInLineForTheSameLock) {
  Load(TraceOfALockBehind(800), /*alike_by_name=*/true);
  const ReplayResult result = TryAll(
      "client", {.changes = {.more_at_once = {
                                 {.vertex = Vertex("client"), .times = 2, .more_threads = true}}}});
  EXPECT_NEAR(result.wait_alone.gain, 1, 0.03);
  EXPECT_NEAR(result.with_path.gain, 1, 0.03);
}

// Three threads of a scheduler: one polls and works, and wakes the next one for that. Meanwhile the
// others have nothing to do, and wait for each other.
TEST_F(MoreAtOnceReplays, IdleThreadsOfASchedulerStandInNoLine) {
  constexpr int32_t kClient = 11, kWorkers = 21;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(4);
  t.Thread(kClient, "client");
  for (int32_t i = 0; i < 3; ++i) {
    t.Thread(kWorkers + i, "m", kWorkers);
    t.At(0).Cpu(static_cast<uint16_t>(1 + i)).Run(kWorkers + i).Block();
  }
  t.Cpu(0).Run(kClient);
  for (int i = 0; i < 400; ++i) {
    const int32_t polls = i % 3, next = (i + 1) % 3;
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 3_ms;
    const auto cpu = static_cast<uint16_t>(1 + polls), next_cpu = static_cast<uint16_t>(1 + next);
    t.At(begin_ns + 1_ms).Cpu(0).Wake(kWorkers + polls).Block().Cpu(cpu).Run(kWorkers + polls);
    t.At(begin_ns + 3_ms - 20_us).Cpu(cpu).Wake(kWorkers + next).Cpu(next_cpu).Run(kWorkers + next);
    t.At(begin_ns + 3_ms - 10_us).Cpu(next_cpu).Block();
    t.At(begin_ns + 3_ms).Cpu(cpu).Wake(kClient).Block().Cpu(0).Run(kClient);
  }
  Load(std::move(t), /*alike_by_name=*/true);
  const std::vector<uint32_t> client = {Vertex("client")};
  const std::vector<uint8_t> is_other(timeline_->thread_count());
  Score score = BuildScore(*timeline_, vertices_, CycleMarks(*timeline_, vertices_, client),
                           /*pollers=*/{}, is_other);
  const auto in_line_ns = [&] {
    double sum_ns = 0;
    for (const auto& waits : WaitsInLine(score, Vertex("m"), vertices_))
      for (const WaitInLine& wait : waits)
        sum_ns += static_cast<double>(wait.end_ns - wait.begin_ns);
    return sum_ns;
  };
  EXPECT_LT(in_line_ns(), 0.01 * 3e6 * 400);
  EXPECT_GT(MostOfSoManyThreads(score, {.vertex = Vertex("m"), .times = 8}, vertices_), 8);
  // A back end waits for their next question: nobody waits for an answer of theirs, and they stand
  // in line for its connection.
  for (EntityId thread = 0; thread < timeline_->thread_count(); ++thread)
    if (vertices_[thread] == Vertex("m"))
      score.questions.push_back({.asker = thread, .answerer = Vertex("client"), .count = 100});
  EXPECT_GT(in_line_ns(), 0.5 * 3e6 * 400);
}

TEST_F(MoreAtOnceReplays, WhoComesBeforeInARingIsNotAsked) {
  Load(RingTrace(200));
  // Their way of waiting is not known, but no thread waits for an answer.
  const ReplayResult result =
      TryAll("stage 0", {.changes = {.more_at_once = {{Vertex("stage 0"), 4}}}});
  EXPECT_NEAR(result.wait_alone.gain, 4, 0.1);
  EXPECT_NEAR(result.with_path.gain, 4, 0.1);
}

TEST_F(MoreAtOnceReplays, WidenTheIntervalWhereSleepsAreNotKnown) {
  LoadService();
  ReplayOptions options = InFlight(4);
  options.loops.clear();
  EXPECT_NEAR(Ask(options).wait_alone.gain, 10.0 / 8, 0.02);
  EXPECT_NEAR(Ask(options).with_path.gain, 4, 0.1);
}

TEST_F(MoreAtOnceReplays, WhoIsAlwaysBusySavesToSleep) {
  LoadService();
  ReplayOptions options = InFlight(32);
  options.sleep_costs = {{.vertex = asker_, .switch_share = 0.5, .call_share = 0.6}};
  EXPECT_NEAR(Ask(options).wait_alone.gain, 10, 0.4);
  EXPECT_NEAR(Ask(options).with_path.gain, 12.5, 0.6);
}

TEST_F(MoreAtOnceReplays, ThreadsInLineForEachOtherRemainAsMany) {
  // 6 ms of 8 they do something else than to wait for the lock.
  Load(LockTrace(400, 500'000), /*alike_by_name=*/true);
  const uint32_t worker = Vertex("worker");
  const ReplayResult result = TryAll("worker", {.changes = {.more_at_once = {{worker, 8}}},
                                                .loops = {{worker, Vertex("vda"), 1}}});
  EXPECT_NEAR(result.wait_alone.gain, 8.0 / 6, 0.03);
  EXPECT_NEAR(result.with_path.gain, 8.0 / 6, 0.03);
}

TEST_F(MoreAtOnceReplays, NeedEnoughProgressInEachStretch) {
  Load(ServiceTrace(100));
  const std::vector<uint32_t> asker = {Vertex("asker")};
  const auto result = ReplayTimeline(*timeline_, vertices_,
                                     {.changes = {.more_at_once = {{asker.front(), 16}}},
                                      .marks = CycleMarks(*timeline_, vertices_, asker)});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace gordian::testing
