// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_locks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/token_draft.h"
#include "analysis/token_holds.h"
#include "analysis/token_turns.h"
#include "analysis/token_ways.h"
#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kSleep;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint16_t kPairsPort = 50001;
constexpr int32_t kWorkerOfPairs = 11;

// All threads are alike.
TokenLocks LocksOfOneVertex(TestTalk& talk) {
  const Timeline& timeline = talk.Load();
  const FoundRequests found = talk.Find();
  const RequestWalk walk(timeline, found);
  const std::vector<uint32_t> vertices(timeline.entities().size(), 0);
  const TokenTurns turns = TurnsOfRoot(timeline, found, walk, vertices, {});
  return LocksOfTurns(timeline, turns, vertices, {});
}

// Pairs of workers hand a permit to each other: who has it works for 200 µs, gives it to the other
// one, which waits for it, and answers. Its next request comes at once, and it waits in turn.
TokenLocks LocksOfPairs(uint16_t pairs) {
  TestTalk talk;
  for (uint16_t worker = 0; worker < 2 * pairs; ++worker) {
    const int32_t tid = kWorkerOfPairs + worker;
    talk.trace().Thread(tid, "worker");
    talk.At(10_us * worker, worker).Run(tid);
    talk.Ask(kPairsPort + worker, 100);
    talk.At(10_us * worker + 5_us, worker);
    if (worker % 2 == 1) talk.At(10_us * worker + 6_us, worker).Block(kSleep);
  }
  for (size_t round = 0; round < 300; ++round) {
    for (uint16_t pair = 0; pair < pairs; ++pair) {
      const auto holder = static_cast<uint16_t>(2 * pair + round % 2);
      const auto other = static_cast<uint16_t>(2 * pair + 1 - round % 2);
      const uint64_t begin_ns = 200_us + round * 200_us + pair * 40_us;
      talk.At(begin_ns, holder).Wake(kWorkerOfPairs + other);
      talk.At(begin_ns + 1_us, other).Run(kWorkerOfPairs + other);
      talk.At(begin_ns + 5_us, holder);
      talk.Answer(kPairsPort + holder, kWorkerOfPairs + holder, 100);
      talk.At(begin_ns + 6_us, holder).Block(kSleep);
      talk.At(begin_ns + 20_us, holder);
      talk.Ask(kPairsPort + holder, 100).trace().WakeFromNet(kWorkerOfPairs + holder, talk.eth());
      talk.At(begin_ns + 21_us, holder).Run(kWorkerOfPairs + holder);
      talk.At(begin_ns + 30_us, holder).Block(kSleep);
    }
  }
  return LocksOfOneVertex(talk);
}

// Two workers take a lock in one request, and give it back in the next one: a transaction. Who has
// it is asked for the second time, works for 170 µs, and wakes the other one.
TokenLocks LocksOverTwoRequests() {
  TestTalk talk;
  for (uint16_t worker = 0; worker < 2; ++worker) {
    talk.trace().Thread(kWorkerOfPairs + worker, "worker");
    talk.At(10_us * worker, worker).Run(kWorkerOfPairs + worker);
    talk.Ask(kPairsPort + worker, 100);
  }
  talk.At(20_us, 1).Block(kSleep);
  for (size_t round = 0; round < 300; ++round) {
    const auto holder = static_cast<uint16_t>(round % 2);
    const auto other = static_cast<uint16_t>(1 - holder);
    const uint64_t begin_ns = 200_us + round * 200_us;
    talk.At(begin_ns, holder).Wake(kWorkerOfPairs + other);
    talk.At(begin_ns + 1_us, other).Run(kWorkerOfPairs + other);
    talk.At(begin_ns + 5_us, holder);
    talk.Answer(kPairsPort + holder, kWorkerOfPairs + holder, 100);
    talk.At(begin_ns + 6_us, holder).Block(kSleep);
    talk.At(begin_ns + 10_us, other);
    talk.Answer(kPairsPort + other, kWorkerOfPairs + other, 100);
    talk.At(begin_ns + 11_us, other).Block(kSleep);
    for (const uint16_t worker : {other, holder}) {
      const uint64_t asked_ns = begin_ns + (worker == other ? 30_us : 40_us);
      talk.At(asked_ns, worker);
      talk.Ask(kPairsPort + worker, 100).trace().WakeFromNet(kWorkerOfPairs + worker, talk.eth());
      talk.At(asked_ns + 1_us, worker).Run(kWorkerOfPairs + worker);
    }
    talk.At(begin_ns + 50_us, holder).Block(kSleep);
  }
  return LocksOfOneVertex(talk);
}

TEST(TokenLocks, OfATransactionOutliveTheRequestThatTookThem) {
  const TokenLocks locks = LocksOverTwoRequests();
  ASSERT_EQ(locks.locks.size(), 1u);
  EXPECT_TRUE(locks.locks[0].outlives_requests);
  EXPECT_FALSE(LocksOfPairs(1).locks[0].outlives_requests);
}

TEST(TokenLocks, HaveASeatForEachThatHoldsThemWhileOthersWait) {
  for (const uint16_t permits : {1, 2, 3}) {
    const TokenLocks locks = LocksOfPairs(permits);
    ASSERT_EQ(locks.locks.size(), 1u);
    EXPECT_EQ(locks.locks.front().seats, permits);
  }
}

// Two workers, each with a connection of its own to a database. Who has the row thinks for a while,
// commits, and answers; the commit wakes the other one's backend, whose update waited for the row.
TokenLocks LocksOfTransactions() {
  constexpr int32_t kWorker = 11, kBackend = 31;
  constexpr uint16_t kBackendPort = 9000, kToBackend = 51001;
  TestTalk talk;
  for (uint16_t i = 0; i < 2; ++i) {
    talk.trace().Thread(kWorker + i, "worker").Thread(kBackend + i, "backend");
    talk.At(1_us + 4_us * i, i).Run(kWorker + i);
    talk.At(2_us + 4_us * i, 2 + i).Run(kBackend + i);
    talk.At(3_us + 4_us * i, 2 + i).Block(kSleep);
  }
  const auto ask = [&](uint16_t i, uint64_t at_ns) {
    talk.At(at_ns, i);
    talk.Ask(kToBackend + i, 100, kWorker + i, kBackendPort).trace().Wake(kBackend + i);
    talk.At(at_ns + 1_us, i).Block(kSleep);
    talk.At(at_ns + 3_us, 2 + i).Run(kBackend + i);
  };
  const auto answer = [&](uint16_t i, uint64_t at_ns) {
    talk.At(at_ns, 2 + i);
    talk.Answer(kToBackend + i, kBackend + i, 100, kBackendPort, /*local=*/true);
    talk.At(at_ns, 2 + i).Wake(kWorker + i);
    talk.At(at_ns + 1_us, 2 + i).Block(kSleep);
    talk.At(at_ns + 3_us, i).Run(kWorker + i);
  };
  talk.At(10_us, 0);
  talk.Ask(kPairsPort, 100);
  talk.At(12_us, 1);
  talk.Ask(kPairsPort + 1, 100);
  ask(1, 14_us);
  talk.At(20_us, 3).Block(kSleep);
  for (size_t round = 0; round < 300; ++round) {
    const auto holder = static_cast<uint16_t>(round % 2);
    const auto other = static_cast<uint16_t>(1 - round % 2);
    const uint64_t begin_ns = 100_us + round * 400_us;
    ask(holder, begin_ns);  // to commit
    talk.At(begin_ns + 8_us, 2 + holder).Wake(kBackend + other);
    talk.At(begin_ns + 10_us, 2 + other).Run(kBackend + other);
    answer(holder, begin_ns + 12_us);
    talk.At(begin_ns + 25_us, holder);
    talk.Answer(kPairsPort + holder, kWorker + holder, 100);
    talk.At(begin_ns + 26_us, holder).Block(kSleep);
    answer(other, begin_ns + 30_us);  // its update is done, and it thinks
    talk.At(begin_ns + 50_us, holder);
    talk.Ask(kPairsPort + holder, 100).trace().WakeFromNet(kWorker + holder, talk.eth());
    talk.At(begin_ns + 52_us, holder).Run(kWorker + holder);
    ask(holder, begin_ns + 60_us);  // to update
    talk.At(begin_ns + 70_us, 2 + holder).Block(kSleep);
  }
  const Timeline& timeline = talk.Load();
  const FoundRequests found = talk.Find();
  const RequestWalk walk(timeline, found);
  std::vector<uint32_t> vertices;
  for (const Entity& entity : timeline.entities())
    vertices.push_back(entity.name == "worker" ? 0 : entity.name == "backend" ? 1 : 2);
  const TokenTurns turns = TurnsOfRoot(timeline, found, walk, vertices, {});
  return LocksOfTurns(timeline, turns, vertices, EventLoopsOf(timeline, turns, vertices));
}

TEST(TokenLocks, OfAnotherServerAreHeldFromOneQuestionToALaterOne) {
  const TokenLocks locks = LocksOfTransactions();
  ASSERT_EQ(locks.locks.size(), 1u);
  EXPECT_TRUE(locks.locks.front().is_nested);
  EXPECT_EQ(locks.locks.front().waiter, 1u);
  EXPECT_EQ(locks.locks.front().holder, 1u);
  EXPECT_EQ(locks.locks.front().seats, 1u);
  for (size_t turn = 10; turn < 280; ++turn) {
    ASSERT_EQ(locks.of_turn[turn].size(), 1u);
    const LockHold& hold = locks.of_turn[turn].front();
    EXPECT_NEAR(static_cast<double>(hold.give_ns - hold.take_ns), 400'000, 5'000);
  }
}

class TokenHoldsTest : public ::testing::Test {
 protected:
  // 100 µs of the server, 200 µs of another one that it asks, 100 µs of the server.
  static constexpr EntityId kServer = 0, kBack = 1;
  TokenHoldsTest() {
    turns_.port = 80;
    turns_.port_of_server = {{kServer, 80}, {kBack, 9000}};
    draft_.told().locks.push_back({.place = 7});
    const auto step = [](uint64_t from_ns, uint64_t to_ns, RequestStepKind kind) {
      return RequestStep{.from_ns = from_ns,
                         .to_ns = to_ns,
                         .kind = kind,
                         .thread = kServer,
                         .waits_for = kind == RequestStepKind::kPeer ? kBack : kNobody};
    };
    way_ = {step(0, 100, RequestStepKind::kRun), step(100, 300, RequestStepKind::kPeer),
            step(300, 400, RequestStepKind::kRun)};
  }
  // What is told before the question, and in all.
  std::vector<size_t> Told(LockHold hold, bool is_nested = false) {
    draft_.told().model.steps.clear();
    const std::vector<LockHold> holds = {hold};
    TokenHolds told(draft_);
    TokenLocks locks;
    locks.locks.push_back({.is_nested = is_nested});
    told.Begin(holds, locks, way_, turns_);
    told.TakeAndGiveUntil(100, /*is_at_holder=*/true);
    const size_t before = draft_.told().model.steps.size();
    told.TakeAndGiveUntil(299, /*is_at_holder=*/false);
    const size_t meanwhile = draft_.told().model.steps.size() - before;
    if (!is_nested) {
      EXPECT_EQ(meanwhile, 0u);
    }
    told.TakeAndGiveUntil(400, /*is_at_holder=*/true);
    return {before, draft_.told().model.steps.size()};
  }

  const Timeline timeline_;
  TokenTurns turns_;
  const std::vector<uint32_t> vertices_ = {0, 1};
  TokenDraft draft_{timeline_, turns_, vertices_};
  std::vector<RequestStep> way_;
};

TEST_F(TokenHoldsTest, LastAroundAQuestionIfTheyBeganBeforeAndEndBehindIt) {
  EXPECT_EQ(Told({.take_ns = 50, .give_ns = 350}), (std::vector<size_t>{1, 2}));
}

TEST_F(TokenHoldsTest, AreGivenBackBeforeTheQuestionOrTakenBehindTheAnswer) {
  EXPECT_EQ(Told({.take_ns = 50, .give_ns = 150}), (std::vector<size_t>{2, 2}));
  EXPECT_EQ(Told({.take_ns = 150, .give_ns = 350}), (std::vector<size_t>{0, 2}));
  EXPECT_EQ(Told({.take_ns = 150, .give_ns = 200}), (std::vector<size_t>{0, 0}));
}

TEST_F(TokenHoldsTest, OfTheOtherServerBeginInAQuestionToIt) {
  EXPECT_EQ(Told({.take_ns = 150, .give_ns = 350}, /*is_nested=*/true),
            (std::vector<size_t>{0, 2}));
  EXPECT_EQ(Told({.take_ns = 50, .give_ns = 150}, /*is_nested=*/true), (std::vector<size_t>{0, 2}));
  EXPECT_EQ(Told({.take_ns = 320, .give_ns = 350}, /*is_nested=*/true),
            (std::vector<size_t>{0, 0}));
}

TEST(LocksInBothOrders, AreLeftOutButForTheOneThatMoreRequestsTake) {
  TokenModel model;
  model.seats.assign(2, {.is_lock = true, .count = 1});
  const auto add = [&](TokenDeed deed, uint32_t place) {
    model.steps.push_back({.deed = deed, .place = place});
  };
  for (const bool is_first : {true, false, false}) {
    add(TokenDeed::kTake, is_first ? 1 : 0);
    if (model.requests() < 2) add(TokenDeed::kTake, is_first ? 0 : 1);
    if (model.requests() < 2) add(TokenDeed::kGive, is_first ? 0 : 1);
    add(TokenDeed::kGive, is_first ? 1 : 0);
    model.EndRequest();
  }
  LeaveOutLocksInBothOrders(model);
  std::array<size_t, 2> takes = {0, 0};
  for (const TokenStep& step : model.steps)
    if (step.deed == TokenDeed::kTake) ++takes[step.place];
  EXPECT_EQ(takes[0], 3u);
  EXPECT_EQ(takes[1], 0u);
}

}  // namespace
}  // namespace gordian
