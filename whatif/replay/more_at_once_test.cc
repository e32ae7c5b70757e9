// SPDX-License-Identifier: Apache-2.0
// More requests at a time, of programs whose answers can be calculated.
#include <gtest/gtest.h>

#include <vector>

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
