// SPDX-License-Identifier: Apache-2.0
#include "requests/sleep_of_requests.h"

#include <gtest/gtest.h>

#include "requests/test_talk.h"

namespace gordian {
namespace {

using testing::kServerPort;
using testing::TestTalk;

constexpr uint16_t kClientPort = 50001;
constexpr uint64_t kMsNs = 1'000'000;

// A request that takes 7 ms: the server runs for one, sleeps for five until a time of its own, and
// runs for one more.
class SleepsOfRequests : public ::testing::Test {
 protected:
  SleepsOfRequests() {
    talk_.trace().Thread(10, "server").At(0).Run(10).At(1000).Block();
    talk_.At(10 * kMsNs);
    talk_.Ask(kClientPort, 100).trace().WakeFromNet(10, talk_.eth());
    talk_.At(10 * kMsNs).Run(10);
    talk_.At(11 * kMsNs).Block();
    talk_.At(16 * kMsNs).WakeFromTimer(10);
    talk_.At(16 * kMsNs).Run(10);
    talk_.At(17 * kMsNs);
    talk_.Answer(kClientPort, 10, 200);
    talk_.At(18 * kMsNs).Block();
    timeline_ = &talk_.Load();
    found_ = talk_.Find();
  }
  SleepOfRequests Find(uint8_t is_target, uint64_t searched_ns = 14 * kMsNs) const {
    const std::vector<uint8_t> targets(1 + talk_.Id("server"), is_target);
    return FindSleepOfRequests(found_, RequestWalk(*timeline_, found_), targets, searched_ns);
  }

  TestTalk talk_;
  const Timeline* timeline_ = nullptr;
  FoundRequests found_;
};

TEST_F(SleepsOfRequests, AreTheSleepersWithTheirShare) {
  const SleepOfRequests sleep = Find(/*is_target=*/1);
  EXPECT_EQ(sleep.sleeper, talk_.Id("server"));
  EXPECT_NEAR(sleep.share, 5.0 / 7, 1e-9);
  EXPECT_FALSE(sleep.is_own_timer);  // not seen to listen meanwhile
  EXPECT_EQ(sleep.port, kServerPort);
  EXPECT_EQ(sleep.requests, 1u);
  EXPECT_NEAR(sleep.mean_s, 0.007, 1e-9);
  EXPECT_NEAR(sleep.open, 0.5, 1e-9);
}

TEST_F(SleepsOfRequests, OfServersThatAreNotTheTargetAreNone) {
  EXPECT_EQ(Find(/*is_target=*/0).sleeper, kNobody);
}

TEST_F(SleepsOfRequests, OfNoTimeAreNone) {
  EXPECT_EQ(Find(/*is_target=*/1, /*searched_ns=*/0).sleeper, kNobody);
}

}  // namespace
}  // namespace gordian
