// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/paths.h"

#include <gtest/gtest.h>

#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

class PolledWaitsOfATrace : public Replays {
 protected:
  Changes NoSyncs() const {
    return {.waits = {{Vertex("worker"), Vertex("vda"), /*keeps_up=*/false}}};
  }

  // The factor of a worker's sleeps if its waits for vda are gone.
  double SleepFactor(double gain, const std::vector<Path>& paths = {}) {
    const Score score =
        BuildScore(*timeline_, vertices_, {}, {}, std::vector<uint8_t>(timeline_->thread_count()));
    const PolledWaits polled(score, VariationOf(score, NoSyncs(), vertices_), paths, vertices_);
    const double factor = polled.SleepFactors(gain).front();
    EXPECT_EQ(polled.any(), factor < 1);
    return factor;
  }
};

// Each holds the lock for 5 ms, and works for 1 ms of these.
TEST_F(PolledWaitsOfATrace, AreAsShortAsTheHold) {
  Load(PolledLockTrace({}), /*alike_by_name=*/true);
  EXPECT_NEAR(SleepFactor(5), 0.2, 0.005);
}

TEST_F(PolledWaitsOfATrace, AreMetLessOftenIfTheRestStaysAsLong) {
  Load(PolledLockTrace({}), /*alike_by_name=*/true);
  EXPECT_NEAR(SleepFactor(1), 0.04, 0.002);
}

TEST_F(PolledWaitsOfATrace, AreShorterByThePathToo) {
  Load(PolledLockTrace({}), /*alike_by_name=*/true);
  EXPECT_NEAR(SleepFactor(10, {{.vertex = Vertex("worker"), .run_share = 0.5}}), 0.1, 0.005);
}

// Nothing says that it sleeps for a lock: perhaps it only has nothing to do.
TEST_F(PolledWaitsOfATrace, AreNoSleepsWithoutALookBetween) {
  Load(PolledLockTrace({.looks = false}), /*alike_by_name=*/true);
  EXPECT_EQ(SleepFactor(5), 1);
}

TEST_F(PolledWaitsOfATrace, AreNoSleepsOfThreadsThatSyncAtOnce) {
  Load(PolledLockTrace({.takes_turns = false}), /*alike_by_name=*/true);
  EXPECT_EQ(SleepFactor(5), 1);
}

// Workers that look for jobs by the clock, and write under a lock when there are some.
TEST_F(PolledWaitsOfATrace, AreNoSleepsWhileNobodyHasTheLock) {
  Load(PolledLockTrace({.idle_ns = 2_ms}), /*alike_by_name=*/true);
  EXPECT_EQ(SleepFactor(5), 1);
}

// A few syncs may be one after the other by chance.
TEST_F(PolledWaitsOfATrace, AreNotToldOfAFewOperations) {
  Load(PolledLockTrace({.turns = 20}), /*alike_by_name=*/true);
  EXPECT_EQ(SleepFactor(5), 1);
}

TEST_F(PolledWaitsOfATrace, GoWithTheSyncsThatMadeThem) {
  Load(PolledLockTrace({}), /*alike_by_name=*/true);
  EXPECT_NEAR(Try("worker", NoSyncs()).with_path.gain, 4.8, 0.3);
}

TEST_F(PolledWaitsOfATrace, StayIfOnlyTheyAreShort) {
  Load(PolledLockTrace({.looks = false}), /*alike_by_name=*/true);
  EXPECT_LT(Try("worker", NoSyncs()).with_path.gain, 2);
}

}  // namespace
}  // namespace gordian::testing
