// SPDX-License-Identifier: Apache-2.0
#include "jobs/phases/phase_time.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

// Figure 3 of wPerf: A runs to 10, waits for B to 30, runs to 40.
class TimeOfPhase : public testing::Test {
 protected:
  TimeOfPhase() {
    const Scenario scenario = ReadScenario(GORDIAN_SCENARIOS "/figure3.txt");
    WriteScenario(scenario, directory_ / "session", 1000);
    auto session = SessionReader::Open(directory_ / "session");
    timeline_ = std::make_unique<Timeline>(*LoadTimeline(**session));
  }
  static Phase From(uint64_t start_ns, uint64_t end_ns, int32_t pid, int32_t tid) {
    Phase phase;
    phase.start_ns = kScenarioStartNs + start_ns;
    phase.end_ns = kScenarioStartNs + end_ns;
    phase.pid = pid;
    phase.tid = tid;
    return phase;
  }
  std::string NameOf(EntityId id) const { return timeline_->entities()[id].name; }

  const TemporaryDirectory directory_;
  std::unique_ptr<Timeline> timeline_;
};

TEST_F(TimeOfPhase, TellsWhatItsThreadDidAndForWhomItWaited) {
  const PhaseTime time = TimeOf(From(0, 40, 1, 1), *timeline_);
  EXPECT_EQ(time.threads, 1u);
  EXPECT_EQ(time.run_ns, 20u);
  EXPECT_EQ(time.wait_ns, 20u);
  ASSERT_EQ(time.waits.size(), 1u);
  EXPECT_EQ(NameOf(time.waits[0].waker), "B");
  EXPECT_EQ(time.waits[0].wait_ns, 20u);
  EXPECT_EQ(time.waits[0].count, 1u);
  EXPECT_EQ(time.all_ns(), 40u);
}

TEST_F(TimeOfPhase, CountsOnlyWhatLiesWithinThePhase) {
  const PhaseTime time = TimeOf(From(5, 25, 1, 1), *timeline_);
  EXPECT_EQ(time.run_ns, 5u);
  EXPECT_EQ(time.wait_ns, 15u);
  EXPECT_EQ(time.waits[0].wait_ns, 15u);
}

TEST_F(TimeOfPhase, OfAProcessSumsItsThreads) {
  // Each thread of the scenario is a process of its own.
  EXPECT_EQ(TimeOf(From(0, 40, 2, 0), *timeline_).run_ns, 30u);
}

TEST_F(TimeOfPhase, IsNothingWhereTheRecordingKnowsNoSuchThread) {
  for (const Phase& phase : {From(0, 40, 0, 0), From(0, 40, 1, 99), From(50, 60, 1, 1)}) {
    const PhaseTime time = TimeOf(phase, *timeline_);
    EXPECT_EQ(time.threads, 0u);
    EXPECT_EQ(time.all_ns(), 0u);
  }
}

}  // namespace
}  // namespace gordian
