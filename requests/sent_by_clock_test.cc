// SPDX-License-Identifier: Apache-2.0
#include "requests/sent_by_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "requests/test_talk.h"

namespace gordian {
namespace {

using testing::TestTalk;

constexpr uint16_t kAskerPort = 50001;
constexpr uint64_t kTurnNs = 1'000'000;

// A client asks three times; what ends its wait before is a timer, or the answer before.
SentByClock AskThreeTimes(bool by_timer) {
  TestTalk talk;
  talk.trace().Thread(10, "client").Thread(20, "server");
  talk.At(0).Run(10);
  talk.At(1000).Block();
  talk.At(1000, 1).Run(20);
  talk.At(2000, 1).Block();
  for (uint64_t i = 1; i <= 3; ++i) {
    const uint64_t at_ns = i * 10 * kTurnNs;
    if (by_timer) {
      talk.At(at_ns).WakeFromTimer(10);
    } else {
      talk.At(at_ns - 500, 1).WakeFromTimer(20).Run(20);
      talk.At(at_ns, 1).Wake(10);
      talk.At(at_ns + 500, 1).Block();
    }
    talk.At(at_ns + 1000).Run(10);
    talk.At(at_ns + 2000);
    talk.Ask(kAskerPort, 100, 10);
    talk.At(at_ns + 3000).Block();
    talk.At(at_ns + kTurnNs, 1).WakeFromTimer(20).Run(20);
    talk.At(at_ns + kTurnNs + 1000, 1);
    talk.Answer(kAskerPort, 20, 200);
    talk.At(at_ns + kTurnNs + 2000, 1).Block();
  }
  const Timeline& timeline = talk.Load();
  const FoundRequests found = talk.Find();
  std::vector<uint8_t> is_target(timeline.thread_count());
  is_target[talk.Id("client")] = 1;
  const std::vector<SentByClock> sent = FindSentByClock(timeline, found, is_target);
  EXPECT_EQ(sent.size(), 1u);
  if (sent.empty()) return {};
  EXPECT_EQ(sent[0].asker, talk.Id("client"));
  EXPECT_THAT(sent[0].servers, ::testing::ElementsAre(talk.Id("server")));
  EXPECT_EQ(sent[0].requests, 3u);
  return sent[0];
}

TEST(SentByClock, AreRequestsAfterATimer) { EXPECT_EQ(AskThreeTimes(true).by_clock, 3u); }

TEST(SentByClock, AreNoRequestsAfterAThreadsWake) { EXPECT_EQ(AskThreeTimes(false).by_clock, 0u); }

}  // namespace
}  // namespace gordian
