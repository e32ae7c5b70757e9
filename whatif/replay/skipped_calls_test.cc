// SPDX-License-Identifier: Apache-2.0
// Calls that are not made any more ask nobody.
#include <gtest/gtest.h>

#include "whatif/replay/replay.h"
#include "whatif/testing/replay_fixture.h"
#include "whatif/testing/test_traces.h"

namespace gordian {
namespace {

using testing::ServiceTrace;

class SkippedCalls : public testing::Replays {};

// It works 2 ms and waits 8 ms for the service.
TEST_F(SkippedCalls, AreNotHeldBackByWhoAnsweredThem) {
  Load(ServiceTrace(200));
  ExpectGain("asker", {.waits = {{Vertex("asker"), Vertex("service"), /*keeps_up=*/false}}},
             10.0 / 2);
}

TEST_F(SkippedCalls, ThatAreStillMadeWaitForWhoAnswersThem) {
  Load(ServiceTrace(200));
  ExpectGain("asker", {.waits = {{Vertex("asker"), Vertex("service"), /*keeps_up=*/true}}},
             10.0 / 8);
}

}  // namespace
}  // namespace gordian
