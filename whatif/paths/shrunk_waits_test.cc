// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/paths.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

class ShrunkWaitsOfATrace : public Replays {
 protected:
  // The share of hand-overs between threads that are not met, if what `from` waits for at vda is
  // not asked for any more.
  double ShareNotMet(const std::string& from, double gain, std::vector<Path> paths = {}) {
    const Score score =
        BuildScore(*timeline_, vertices_, {}, {}, std::vector<uint8_t>(timeline_->thread_count()));
    const Changes changes = {.waits = {{Vertex(from), Vertex("vda"), /*keeps_up=*/false}}};
    const ShrunkWaits shrunk(score, VariationOf(score, changes, vertices_), paths, vertices_);
    const std::vector<uint8_t> not_met = shrunk.NotMet(gain);
    EXPECT_EQ(shrunk.any(), std::count(not_met.begin(), not_met.end(), 1) > 0 || gain > 1);
    return static_cast<double>(std::count(not_met.begin(), not_met.end(), 1)) /
           static_cast<double>(not_met.size());
  }
};

// Each waits for 2 ms while another holds the lock: it works for 0.5 ms, and syncs for the rest.
TEST_F(ShrunkWaitsOfATrace, AreMetAsSeldomAsTheHoldIsShort) {
  Load(LockTrace(100, 500'000), /*alike_by_name=*/true);
  EXPECT_NEAR(ShareNotMet("worker", 1), 0.75, 0.02);
}

TEST_F(ShrunkWaitsOfATrace, AreMetMoreOftenAsTheRestGetsFaster) {
  Load(LockTrace(100, 500'000), /*alike_by_name=*/true);
  EXPECT_NEAR(ShareNotMet("worker", 2), 0.5, 0.02);
  // As in the recording, if all is as much shorter as the hold.
  EXPECT_EQ(ShareNotMet("worker", 4), 0);
}

TEST_F(ShrunkWaitsOfATrace, AreShorterByThePathToo) {
  Load(LockTrace(100, 500'000), /*alike_by_name=*/true);
  EXPECT_NEAR(ShareNotMet("worker", 1, {{.vertex = Vertex("worker"), .run_share = 0.6}}),
              1 - 0.25 * 0.4, 0.02);
}

// A waits for B's work, not for a lock that B has: it needs it each time.
TEST_F(ShrunkWaitsOfATrace, AreOfAlikeThreadsOnly) {
  Load(Figure1Trace(100));
  EXPECT_EQ(ShareNotMet("B", 1), 0);
}

}  // namespace
}  // namespace gordian::testing
