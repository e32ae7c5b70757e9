// SPDX-License-Identifier: Apache-2.0
#include "requests/requests.h"

#include <gtest/gtest.h>

#include <map>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kServerPort;
using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint16_t kFirst = 50001;
constexpr uint16_t kSecond = 50002;
constexpr uint16_t kThird = 50003;
constexpr uint16_t kDatabasePort = 5432;

// Thread 10 sleeps until its first request.
void AddSleeper(TestTalk& talk, int32_t tid, const std::string& name, uint16_t cpu) {
  talk.trace().Thread(tid, name);
  talk.At(cpu * 2_us, cpu).Run(tid);
  talk.At(cpu * 2_us + 1_us, cpu).Block();
}

TEST(Requests, BeginWithTheFirstDataAndAreAnsweredByTheFirstDataBack) {
  TestTalk talk;
  AddSleeper(talk, 10, "server", 0);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1100_us).Run(10);
  talk.At(3_ms);
  talk.Answer(kFirst, 10, 200);
  talk.At(3200_us);
  talk.Answer(kFirst, 10, 5000);
  talk.At(4_ms).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  const Request& request = found.requests[0];
  EXPECT_EQ(request.start_ns, TestTalk::Time(1_ms));
  EXPECT_EQ(request.received_ns, TestTalk::Time(1_ms));
  EXPECT_EQ(request.answer_ns, TestTalk::Time(3_ms));
  EXPECT_EQ(request.end_ns, TestTalk::Time(3200_us));
  EXPECT_EQ(request.request_bytes, 100u);
  EXPECT_EQ(request.answer_bytes, 5200u);
  EXPECT_EQ(request.thread, talk.Id("server"));
  EXPECT_EQ(found.connections[request.connection].to_server.destination_port, kServerPort);
  EXPECT_EQ(talk.Story(found, request), "1000-1100 runnable server | 1100-3000 run server");
}

TEST(Requests, GoOverToTheThreadThatWasWokenForThem) {
  TestTalk talk;
  AddSleeper(talk, 10, "reader", 0);
  AddSleeper(talk, 11, "worker", 1);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms).Wake(11);
  talk.At(2100_us).Block();
  talk.At(2200_us, 1).Run(11);
  talk.At(5_ms, 1);
  talk.Answer(kFirst, 11, 200);
  talk.At(6_ms, 1).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-2000 run reader | 2000-2200 runnable worker | 2200-5000 run worker");
}

TEST(Requests, TellWhatTheHolderOfALockDidMeanwhile) {
  TestTalk talk;
  AddSleeper(talk, 10, "server", 0);
  talk.trace().Thread(20, "compaction", 10);
  const uint32_t disk = talk.trace().Disk("vda");
  talk.At(10_us, 1).Run(20);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms);
  const uint32_t futex = talk.trace().AddWaitObject({.kind = WaitObjectKind::kFutex, .tgid = 10});
  talk.At(2_ms).Block();
  talk.trace().AddStackSample(10, StackMoment::kWait, 0, 0, futex);
  talk.At(3_ms, 1).Block(kDiskSleep);
  talk.At(7_ms, 1).WakeFromBlock(20, disk);
  talk.At(7_ms, 1).Run(20);
  talk.At(8_ms, 1).Wake(10);
  talk.At(8_ms).Run(10);
  talk.At(9_ms);
  talk.Answer(kFirst, 10, 200);
  talk.At(10_ms).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  EXPECT_EQ(
      talk.Story(found, found.requests[0]),
      "1000-2000 run server | 2000-3000 lock compaction (run compaction) | "
      "3000-7000 lock compaction (disk compaction) | 7000-8000 lock compaction (run compaction) | "
      "8000-9000 run server");
}

// Who gave the lock back had it for its own request. Who had it before is not known.
TEST(Requests, DoNotTellThatALockWasHeldBeforeItsHolderHadARequest) {
  TestTalk talk;
  AddSleeper(talk, 10, "server", 0);
  AddSleeper(talk, 20, "other", 1);
  const uint32_t futex = talk.trace().AddWaitObject({.kind = WaitObjectKind::kFutex, .tgid = 10});
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms).Block();
  talk.trace().AddStackSample(10, StackMoment::kWait, 0, 0, futex);
  talk.At(6_ms, 1);
  talk.Ask(kSecond, 100).trace().WakeFromNet(20, talk.eth());
  talk.At(6_ms, 1).Run(20);
  talk.At(8_ms, 1).Wake(10);
  talk.At(8_ms).Run(10);
  talk.At(9_ms);
  talk.Answer(kFirst, 10, 200);
  talk.At(10_ms, 1);
  talk.Answer(kSecond, 20, 200);
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 2u);
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-2000 run server | 2000-6000 lock other | 6000-8000 lock other (run other) | "
            "8000-9000 run server");
}

TEST(Requests, StandBehindThoseThatTheirThreadAnsweredBefore) {
  TestTalk talk;
  AddSleeper(talk, 10, "server", 0);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms, 1);
  talk.Ask(kSecond, 100);
  talk.At(4_ms);
  talk.Answer(kFirst, 10, 200);
  talk.At(7_ms);
  talk.Answer(kSecond, 10, 200);
  talk.At(8_ms).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 2u);
  EXPECT_EQ(talk.Story(found, found.requests[0]), "1000-4000 run server");
  EXPECT_EQ(talk.Story(found, found.requests[1]),
            "2000-4000 behind server (run server) | 4000-7000 run server");
}

TEST(Requests, WaitForTheServerThatTheirOwnServerAsked) {
  TestTalk talk;
  AddSleeper(talk, 10, "web", 0);
  AddSleeper(talk, 20, "database", 1);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).Ask(kSecond, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms);
  talk.Ask(kThird, 50, 10, kDatabasePort).trace().Wake(20);
  talk.At(2_ms, 1).Run(20);
  talk.At(3_ms).Block();
  talk.At(6_ms, 1);
  talk.Answer(kThird, 20, 80, kDatabasePort, true).trace().Wake(10);
  talk.At(6_ms).Run(10);
  talk.At(6500_us, 1).Block();
  talk.At(7_ms);
  talk.Answer(kFirst, 10, 200);
  talk.At(8_ms);
  talk.Answer(kSecond, 10, 200);
  talk.At(9_ms).Block();
  const FoundRequests found = talk.Find({.ports = {kServerPort}});
  ASSERT_EQ(found.requests.size(), 2u);
  ASSERT_EQ(found.others.size(), 1u);
  EXPECT_EQ(found.others[0].client, talk.Id("web"));
  EXPECT_EQ(found.others[0].thread, talk.Id("database"));
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-3000 run web | 3000-6000 peer database (run database) | 6000-7000 run web");
}

// An event loop that serves two clients at once: each waits for its own answer of the database.
TEST(Requests, OfAnEventLoopDoNotStandBehindOthersThatItSleptBetween) {
  TestTalk talk;
  AddSleeper(talk, 10, "web", 0);
  AddSleeper(talk, 20, "database", 1);
  const uint32_t epoll = talk.trace().AddWaitObject({.kind = WaitObjectKind::kEpoll, .tgid = 10});
  const auto sleeps = [&](uint64_t time_ns) {
    talk.At(time_ns).Block();
    talk.trace().AddStackSample(10, StackMoment::kWait, 0, 0, epoll);
  };
  constexpr uint16_t kOneLink = 60001;
  constexpr uint16_t kOtherLink = 60002;
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms);
  talk.Ask(kOneLink, 50, 10, kDatabasePort).trace().Wake(20);
  talk.At(2_ms, 1).Run(20);
  sleeps(3_ms);
  talk.At(4_ms);
  talk.Ask(kSecond, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(4_ms).Run(10);
  talk.At(5_ms);
  talk.Ask(kOtherLink, 50, 10, kDatabasePort);
  sleeps(6_ms);
  talk.At(7_ms, 1);
  talk.Answer(kOneLink, 20, 80, kDatabasePort, true).trace().Wake(10);
  talk.At(7_ms).Run(10);
  talk.At(8_ms);
  talk.Answer(kFirst, 10, 200);
  sleeps(9_ms);
  talk.At(12_ms, 1);
  talk.Answer(kOtherLink, 20, 80, kDatabasePort, true).trace().Wake(10);
  talk.At(12_ms).Run(10);
  talk.At(13_ms);
  talk.Answer(kSecond, 10, 200);
  sleeps(14_ms);
  const FoundRequests found = talk.Find({.ports = {kServerPort}});
  ASSERT_EQ(found.requests.size(), 2u);
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-3000 run web | 3000-7000 peer database (run database) | 7000-8000 run web");
  // The database stood at the first one's question until 7 ms.
  EXPECT_EQ(talk.Story(found, found.requests[1]),
            "4000-6000 run web | 6000-7000 peer database (behind database) | "
            "7000-12000 peer database (run database) | 12000-13000 run web");
}

TEST(Requests, OfAnEventLoopStillWaitForAHelperWhenOtherClientsWakeIt) {
  TestTalk talk;
  AddSleeper(talk, 10, "web", 0);
  talk.trace().Thread(20, "helper", 10).Thread(30, "client");
  talk.At(10_us, 1).Run(20);
  talk.At(11_us, 1).Block();
  talk.At(12_us, 2).Run(30);
  const uint32_t epoll = talk.trace().AddWaitObject({.kind = WaitObjectKind::kEpoll, .tgid = 10});
  const auto sleeps = [&](uint64_t time_ns) {
    talk.At(time_ns).Block();
    talk.trace().AddStackSample(10, StackMoment::kWait, 0, 0, epoll);
  };
  talk.At(1_ms, 2);
  talk.Ask(kFirst, 100, 30).trace().Wake(10);
  talk.At(1_ms).Run(10);
  talk.At(2_ms).Wake(20);
  talk.At(2_ms, 1).Run(20);
  sleeps(3_ms);
  talk.At(4_ms, 2);
  talk.Ask(kSecond, 100, 30).trace().Wake(10);
  talk.At(4_ms).Run(10);
  sleeps(5_ms);
  talk.At(8_ms, 1).Wake(10);
  talk.At(8_ms).Run(10);
  talk.At(9_ms);
  talk.Answer(kFirst, 10, 200, kServerPort, true);
  sleeps(10_ms);
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-3000 run web | 3000-4000 thread helper (run helper) | 4000-5000 run web | "
            "5000-8000 thread helper (run helper) | 8000-9000 run web");
}

// A loop delays two requests by a timer each, as a limit of their rate does. `listens`: other
// clients wake it meanwhile; else it sleeps, be it in the same call, until it has done with the
// first.
class LoopWithTimer : public ::testing::Test {
 protected:
  std::string StoryOfSecond(bool listens) {
    AddSleeper(talk_, 10, "web", 0);
    talk_.trace().Thread(30, "client");
    talk_.At(12_us, 2).Run(30);
    epoll_ = talk_.trace().AddWaitObject({.kind = WaitObjectKind::kEpoll, .tgid = 10});
    talk_.At(1_ms, 2);
    talk_.Ask(kFirst, 100, 30).trace().Wake(10);
    talk_.At(1_ms).Run(10);
    Sleep(2_ms);
    talk_.At(3_ms, 2);
    talk_.Ask(kSecond, 100, 30);
    if (listens) {
      talk_.trace().Wake(10);
      talk_.At(3_ms).Run(10);
      Sleep(4_ms);
      talk_.At(5_ms, 2);
      talk_.Ask(kThird, 100, 30).trace().Wake(10);
      talk_.At(5_ms).Run(10);
      Sleep(6_ms);
    }
    Answer(kFirst, 20_ms);
    Answer(kSecond, 40_ms);
    const FoundRequests found = talk_.Find();
    EXPECT_EQ(found.requests.size(), 2u);
    return talk_.Story(found, found.requests.at(1));
  }

 private:
  void Sleep(uint64_t time_ns) {
    talk_.At(time_ns).Block();
    talk_.trace().AddStackSample(10, StackMoment::kWait, 0, 0, epoll_);
  }
  // Its timer ends its sleep.
  void Answer(uint16_t client, uint64_t at_ns) {
    talk_.At(at_ns).WakeFromTimer(10);
    talk_.At(at_ns).Run(10);
    talk_.At(at_ns + 1_ms);
    talk_.Answer(client, 10, 200, kServerPort, true);
    Sleep(at_ns + 2_ms);
  }

  TestTalk talk_;
  uint32_t epoll_ = 0;
};

TEST_F(LoopWithTimer, IsWaitedForWhileOthersWakeIt) {
  EXPECT_EQ(StoryOfSecond(/*listens=*/true),
            "3000-4000 run web | 4000-40000 timer timer | 40000-41000 run web");
}

TEST_F(LoopWithTimer, IsStoodBehindIfNobodyCouldWakeIt) {
  EXPECT_EQ(StoryOfSecond(/*listens=*/false),
            "3000-20000 behind web (timer web) | 20000-21000 behind web (run web) | "
            "21000-22000 run web | 22000-40000 timer timer | 40000-41000 run web");
}

// A server that serves one at a time asks the database for the first one while the second waits.
TEST(Requests, DoNotWaitForWhatTheirServerAskedForOthers) {
  TestTalk talk;
  AddSleeper(talk, 10, "web", 0);
  AddSleeper(talk, 20, "database", 1);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(1500_us);
  talk.Ask(kSecond, 100);
  for (const uint64_t begin_ns : {2_ms, 12_ms}) {
    talk.At(begin_ns);
    talk.Ask(kThird, 50, 10, kDatabasePort).trace().Wake(20);
    talk.At(begin_ns, 1).Run(20);
    talk.At(begin_ns + 1_ms).Block();
    talk.At(begin_ns + 4_ms, 1);
    talk.Answer(kThird, 20, 80, kDatabasePort, true).trace().Wake(10);
    talk.At(begin_ns + 4_ms, 1).Block();
    talk.At(begin_ns + 4_ms).Run(10);
    talk.At(begin_ns + 5_ms);
    talk.Answer(begin_ns == 2_ms ? kFirst : kSecond, 10, 200);
  }
  const FoundRequests found = talk.Find({.ports = {kServerPort}});
  ASSERT_EQ(found.requests.size(), 2u);
  EXPECT_EQ(talk.Story(found, found.requests[1]),
            "1500-3000 behind web (run web) | 3000-6000 behind web (thread database) | "
            "6000-7000 behind web (run web) | 7000-13000 run web | "
            "13000-16000 peer database (run database) | 16000-17000 run web");
}

// Once it was seen that a reader hands work to a worker, it also did so where the worker was busy
// when the request came.
TEST(Requests, GoOverToAGiverThatIsKnown) {
  TestTalk talk;
  AddSleeper(talk, 10, "reader", 0);
  AddSleeper(talk, 11, "worker", 1);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms).Wake(11);
  talk.At(2_ms, 1).Run(11);
  talk.At(3_ms);
  talk.Ask(kSecond, 100);
  talk.At(5_ms, 1);
  talk.Answer(kFirst, 11, 200);
  talk.At(6_ms, 1).Block();
  talk.At(8_ms).Wake(11);
  talk.At(8_ms, 1).Run(11);
  talk.At(9_ms, 1);
  talk.Answer(kSecond, 11, 200);
  talk.At(10_ms, 1).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 2u);
  EXPECT_EQ(talk.Story(found, found.requests[1]), "3000-8000 run reader | 8000-9000 run worker");
}

TEST(Requests, WaitForTheirOwnRest) {
  TestTalk talk;
  AddSleeper(talk, 10, "server", 0);
  talk.At(1_ms);
  talk.Ask(kFirst, 100).trace().WakeFromNet(10, talk.eth());
  talk.At(1_ms).Run(10);
  talk.At(2_ms).Block();
  talk.At(5_ms);
  talk.Ask(kFirst, 900).trace().WakeFromNet(10, talk.eth());
  talk.At(5_ms).Run(10);
  talk.At(6_ms);
  talk.Answer(kFirst, 10, 200);
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  EXPECT_EQ(found.requests[0].received_ns, TestTalk::Time(5_ms));
  EXPECT_EQ(found.requests[0].request_bytes, 1000u);
  EXPECT_EQ(found.counts.in_several_parts, 1u);
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-2000 run server | 2000-5000 peer eth0 | 5000-6000 run server");
}

TEST(Requests, AreNotThoseThatAreAskedForElsewhere) {
  TestTalk talk;
  talk.trace().Thread(10, "server");
  talk.At(1_ms).Run(10);
  talk.At(2_ms);
  talk.Answer(kFirst, 10, 40);  // a greeting
  talk.At(3_ms);
  talk.Ask(kFirst, 100);
  talk.At(4_ms);
  talk.Answer(kFirst, 10, 200);
  talk.At(5_ms);
  talk.AnswerAgain(kFirst, 200);
  talk.At(6_ms);
  talk.Ask(kFirst, 100);  // never answered
  talk.At(7_ms).Block();
  FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  EXPECT_EQ(found.requests[0].end_ns, TestTalk::Time(4_ms));
  EXPECT_EQ(found.counts.without_request, 1u);
  EXPECT_EQ(found.counts.without_answer, 1u);
  EXPECT_TRUE(talk.Find({.ports = {81}}).requests.empty());
  EXPECT_TRUE(talk.Find({.to_ns = TestTalk::Time(3500_us)}).requests.empty());
  const std::vector<uint8_t> nobody(1);
  found = talk.Find({.is_target = nobody});
  EXPECT_TRUE(found.requests.empty());
  EXPECT_EQ(found.others.size(), 1u);
}

// Both ends have a high port: who talks to more others is the server.
TEST(Requests, GoToTheEndThatMoreOthersTalkTo) {
  constexpr uint16_t kHighPort = 59999;
  TestTalk talk;
  talk.trace().Thread(10, "server");
  talk.At(1_ms).Run(10);
  for (const uint16_t client : {kFirst, kSecond, kThird}) {
    talk.At((client - kFirst + 1) * 10_ms);
    talk.Ask(client, 100, 0, kHighPort);
    talk.At((client - kFirst + 1) * 10_ms + 1_ms);
    talk.Answer(client, 10, 200, kHighPort);
  }
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 3u);
  for (const Request& request : found.requests)
    EXPECT_EQ(found.connections[request.connection].to_server.destination_port, kHighPort);
}

TEST(Requests, OfManyPacketsAreLookedForInStretchesOfAllOfTheTime) {
  TestTalk talk;
  constexpr uint64_t kRequests = 8000;
  talk.trace().Thread(10, "server");
  talk.At(0).Run(10);
  for (uint64_t i = 0; i < kRequests; ++i) {
    talk.At(i * 100_us + 10_us);
    talk.Ask(kFirst, 100);
    talk.At(i * 100_us + 50_us);
    talk.Answer(kFirst, 10, 100);
  }
  talk.Load();
  const FoundRequests all = talk.Find();
  EXPECT_EQ(all.requests.size(), kRequests);
  EXPECT_TRUE(all.stretches.empty());
  EXPECT_EQ(all.share, 1);
  const FoundRequests some = talk.Find({.most_packets = 2000});
  ASSERT_EQ(some.stretches.size(), 8u);
  EXPECT_EQ(some.connections.size(), all.connections.size());
  EXPECT_NEAR(static_cast<double>(some.requests.size()), kRequests * some.share, 32);
  std::map<uint64_t, size_t> of_stretch;
  for (const Request& request : some.requests) {
    EXPECT_EQ(request.latency_ns(), 40_us);
    ++of_stretch[some.StretchOf(request.start_ns)];
  }
  ASSERT_EQ(of_stretch.size(), 8u);
  for (const auto& [from_ns, requests] : of_stretch)
    EXPECT_NEAR(static_cast<double>(requests), static_cast<double>(some.requests.size()) / 8, 4);
}

}  // namespace
}  // namespace gordian
