// SPDX-License-Identifier: Apache-2.0
// Which threads are loops of events.
#include "analysis/token_ways.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint32_t kBackConnection = 7;

// `web` has one request after the other under way at a database: it sends each on in the turn in
// which it answers the one before.
class AskersOfOneAtATime : public ::testing::Test {
 protected:
  bool IsLoop(WaitObjectKind sleeps_in, const std::vector<uint64_t>& came_ns) {
    talk_.trace().Thread(10, "web").Thread(20, "database");
    const uint32_t object = talk_.trace().AddWaitObject({.kind = sleeps_in, .tgid = 10});
    talk_.At(0, 0).Run(10);
    talk_.At(0, 1).Run(20);
    for (size_t turn = 0; turn < came_ns.size(); ++turn) {
      const uint64_t begin_ns = 1_ms + turn * 5_ms;
      talk_.At(begin_ns, 0).Block(kSleep);
      talk_.trace().AddStackSample(10, StackMoment::kWait, 0, 0, object);
      talk_.At(begin_ns + 4_ms, 1).Wake(10);
      talk_.At(begin_ns + 4_ms, 0).Run(10);
    }
    const Timeline& timeline = talk_.Load();
    const EntityId web = talk_.Id("web");
    requests_.reserve(came_ns.size());
    for (size_t turn = 0; turn < came_ns.size(); ++turn) {
      const uint64_t begin_ns = TestTalk::Time(1_ms + turn * 5_ms);
      requests_.push_back({.thread = web,
                           .received_ns = TestTalk::Time(came_ns[turn]),
                           .answer_ns = begin_ns + 4_ms});
      turns_.turns.push_back({.request = &requests_.back(),
                              .way = {{.from_ns = begin_ns,
                                       .to_ns = begin_ns + 4_ms,
                                       .kind = RequestStepKind::kPeer,
                                       .cause = RequestStepKind::kPeer,
                                       .thread = web,
                                       .waits_for = talk_.Id("database"),
                                       .asked = kBackConnection}}});
    }
    std::vector<uint32_t> vertices(timeline.entities().size());
    std::iota(vertices.begin(), vertices.end(), 0);
    return EventLoopsOf(timeline, turns_, vertices).contains(web);
  }

  TestTalk talk_;
  std::vector<Request> requests_;
  TokenTurns turns_;
};

TEST_F(AskersOfOneAtATime, AreLoopsIfTheySleepForAnyEventWithOthersAtHand) {
  EXPECT_TRUE(IsLoop(WaitObjectKind::kEpoll, {500_us, 600_us, 700_us}));
}

TEST_F(AskersOfOneAtATime, AreNoneIfTheySleepForThatAnswerAlone) {
  EXPECT_FALSE(IsLoop(WaitObjectKind::kSocket, {500_us, 600_us, 700_us}));
}

TEST_F(AskersOfOneAtATime, AreNoneWithOneRequestAtHand) {
  EXPECT_FALSE(IsLoop(WaitObjectKind::kEpoll, {900_us, 5900_us, 10900_us}));
}

TEST_F(AskersOfOneAtATime, AreNoneIfTheySleepOnWhenOthersCome) {
  EXPECT_FALSE(IsLoop(WaitObjectKind::kEpoll, {500_us, 2_ms, 3_ms}));
}

}  // namespace
}  // namespace gordian
