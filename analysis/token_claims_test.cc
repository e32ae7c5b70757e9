// SPDX-License-Identifier: Apache-2.0
// Whose a thread's time is, of made-up ways of requests.
#include "analysis/token_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "requests/test_talk.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::TestTalk;
using Kind = RequestStepKind;
using namespace testing;  // NOLINT: literals of time

class TokenClaims : public ::testing::Test {
 protected:
  TokenClaims() {
    talk_.trace().Thread(10, "worker").Thread(11, "loop").Thread(12, "client");
    talk_.At(0).Run(10);
    talk_.At(1_us, 1).Run(11);
    talk_.At(2_us, 1).Block(kSleep);
    talk_.At(3_us, 1).Run(12);
    talk_.At(10_us, 1).Wake(11);
    talk_.At(11_us, 1).Block(kSleep);
    talk_.At(12_us, 1).Run(11);
    talk_.At(20_us, 1).Block(kSleep);
    talk_.At(1_ms).Block(kSleep);
    timeline_ = &talk_.Load();
    worker_ = talk_.Id("worker");
    loop_ = talk_.Id("loop");
    client_ = talk_.Id("client");
  }

  RequestStep Step(uint64_t from_ns, uint64_t to_ns, Kind kind, EntityId thread) const {
    return {.from_ns = from_ns,
            .to_ns = to_ns,
            .kind = kind,
            .cause = kind,
            .thread = thread,
            .waits_for = kNobody,
            .cause_thread = thread,
            .for_events = kind == Kind::kTimer};
  }
  static RequestStep BehindRun(RequestStep step) {
    step.kind = Kind::kBehind;
    return step;
  }

  // Answered where their ways end.
  const std::vector<TokenTurn>& Keep(std::vector<std::vector<RequestStep>> ways) {
    requests_.assign(ways.size(), {});
    for (size_t i = 0; i < ways.size(); ++i) {
      requests_[i].answer_ns = ways[i].back().to_ns;
      turns_.turns.push_back({.request = &requests_[i], .way = std::move(ways[i])});
    }
    turns_.clients = {client_};
    std::vector<uint32_t> vertices(timeline_->entities().size());
    std::iota(vertices.begin(), vertices.end(), 0);
    KeepOneClaim(*timeline_, vertices, turns_);
    return turns_.turns;
  }

  TestTalk talk_;
  const Timeline* timeline_ = nullptr;
  EntityId worker_ = kNobody, loop_ = kNobody, client_ = kNobody;
  std::vector<Request> requests_;
  TokenTurns turns_;
};

std::vector<Kind> KindsOf(const TokenTurn& turn) {
  std::vector<Kind> kinds;
  for (const RequestStep& step : turn.way) kinds.push_back(step.kind);
  return kinds;
}

// Three requests lead back through all that the worker did before it answered them: each has its
// own sleep, and so the worker's time is told once. Its sleeps wait for events of any kind, but
// nobody came between.
TEST_F(TokenClaims, EachRunAndSleepOfAWorkerIsOfOneRequest) {
  std::vector<std::vector<RequestStep>> ways(3);
  for (uint64_t request = 0; request < 3; ++request) {
    for (uint64_t before = 0; before <= request; ++before) {
      ways[request].push_back(Step(before * 100, before * 100 + 80, Kind::kTimer, worker_));
      ways[request].push_back(Step(before * 100 + 80, before * 100 + 100, Kind::kRun, worker_));
    }
  }
  uint64_t told_ns = 0;
  for (const TokenTurn& turn : Keep(ways)) {
    for (const RequestStep& step : turn.way)
      told_ns += step.kind == Kind::kBehind ? 0 : step.to_ns - step.from_ns;
    // Steps still follow each other without gaps.
    EXPECT_EQ(turn.way.front().from_ns, 0u);
    EXPECT_EQ(turn.way.back().to_ns, turn.request->answer_ns);
    for (size_t i = 1; i < turn.way.size(); ++i)
      EXPECT_EQ(turn.way[i].from_ns, turn.way[i - 1].to_ns);
  }
  EXPECT_EQ(told_ns, 300u);
  EXPECT_EQ(KindsOf(turns_.turns[1]),
            (std::vector<Kind>{Kind::kBehind, Kind::kBehind, Kind::kTimer, Kind::kRun}));
}

// A part of a run that another one claims is cut off.
TEST_F(TokenClaims, AreSharedOutInParts) {
  Keep({{Step(0, 60, Kind::kRun, worker_)}, {Step(40, 90, Kind::kRun, worker_)}});
  EXPECT_EQ(KindsOf(turns_.turns[0]), std::vector<Kind>{Kind::kRun});
  EXPECT_EQ(KindsOf(turns_.turns[1]), (std::vector<Kind>{Kind::kBehind, Kind::kRun}));
  EXPECT_EQ(turns_.turns[1].way[1].from_ns, 60u);
}

// Two answers of another server came at once, and one run handled both: each question is still that
// of its request.
TEST_F(TokenClaims, QuestionsToOtherServersStayTheirOwn) {
  RequestStep question = Step(0, 50, Kind::kPeer, worker_);
  question.asked = 7;
  turns_.port_of_server[worker_] = 80;
  Keep({{question, Step(50, 60, Kind::kRun, worker_)},
        {question, Step(50, 60, Kind::kRun, worker_), Step(60, 62, Kind::kRun, worker_)}});
  EXPECT_EQ(KindsOf(turns_.turns[0]), (std::vector<Kind>{Kind::kPeer, Kind::kRun}));
  EXPECT_EQ(KindsOf(turns_.turns[1]), (std::vector<Kind>{Kind::kPeer, Kind::kBehind, Kind::kRun}));
}

// A thread that answers nobody asks for whoever comes to it: of two, the one that it worked for.
TEST_F(TokenClaims, QuestionsOfWhoAnswersNobodyGoWithItsWork) {
  RequestStep question = Step(0, 50, Kind::kPeer, worker_);
  question.asked = 7;
  Keep({{question, Step(50, 60, Kind::kRun, worker_)},
        {question, Step(50, 60, Kind::kRun, worker_), Step(60, 62, Kind::kRun, worker_)}});
  EXPECT_EQ(turns_.turns[1].way[0].kind, Kind::kBehind);
}

// What nobody else claims is of who stood there, though it was told as work for others.
TEST_F(TokenClaims, OfWhoStoodThereIfNobodyElseClaims) {
  Keep({{BehindRun(Step(0, 50, Kind::kRun, worker_)), Step(50, 60, Kind::kRun, worker_)}});
  EXPECT_EQ(KindsOf(turns_.turns[0]), (std::vector<Kind>{Kind::kRun, Kind::kRun}));
}

// A loop of events begins with one request, works for another, and goes back: while it sleeps, both
// sleep.
TEST_F(TokenClaims, LoopsSleepForAllTheirRequests) {
  Keep({{Step(0, 5, Kind::kRun, loop_), BehindRun(Step(5, 10, Kind::kRun, loop_)),
         Step(10, 50, Kind::kTimer, loop_), Step(50, 60, Kind::kRun, loop_)},
        {Step(5, 10, Kind::kRun, loop_), Step(10, 50, Kind::kTimer, loop_),
         BehindRun(Step(50, 60, Kind::kRun, loop_)), Step(60, 90, Kind::kTimer, loop_),
         Step(90, 100, Kind::kRun, loop_)}});
  EXPECT_EQ(turns_.turns[0].way[2].kind, Kind::kTimer);
  EXPECT_EQ(turns_.turns[1].way[1].kind, Kind::kTimer);
  EXPECT_EQ(turns_.turns[1].way[2].kind, Kind::kBehind);
}

// … and what a loop waits for another program's thread for, is with that.
TEST_F(TokenClaims, GoWithTheThreadThatALoopWaitsFor) {
  RequestStep wait = Step(10, 50, Kind::kThread, loop_);
  wait.cause = Kind::kTimer;
  wait.waits_for = wait.cause_thread = worker_;
  Keep({{Step(0, 5, Kind::kRun, loop_), BehindRun(Step(5, 10, Kind::kRun, loop_)), wait,
         Step(50, 60, Kind::kRun, loop_)},
        {Step(5, 10, Kind::kRun, loop_), Step(10, 50, Kind::kTimer, loop_),
         BehindRun(Step(50, 60, Kind::kRun, loop_)), Step(60, 90, Kind::kTimer, loop_),
         Step(90, 100, Kind::kRun, loop_)}});
  EXPECT_EQ(turns_.turns[0].way[2].kind, Kind::kTimer);
  EXPECT_EQ(turns_.turns[0].way[2].thread, worker_);
}

// A thread that a client wakes while it waits for another program's thread is a loop, though no two
// requests were seen to take turns there.
TEST_F(TokenClaims, WhoHearsOfOtherRequestsMeanwhileIsALoop) {
  const auto waits_for_worker = [&](EntityId thread) {
    RequestStep wait = Step(TestTalk::Time(2_us), TestTalk::Time(12_us), Kind::kThread, thread);
    wait.cause = Kind::kTimer;
    wait.waits_for = wait.cause_thread = worker_;
    return wait;
  };
  requests_.assign(1, {.thread = loop_,
                       .start_ns = TestTalk::Time(1_us),
                       .received_ns = TestTalk::Time(1_us),
                       .answer_ns = TestTalk::Time(20_us)});
  turns_.turns.push_back({.request = requests_.data(), .way = {waits_for_worker(loop_)}});
  std::vector<uint32_t> vertices(timeline_->entities().size());
  std::iota(vertices.begin(), vertices.end(), 0);
  const std::vector<RequestStep> recorded = turns_.turns[0].way;
  turns_.clients = {};
  KeepOneClaim(*timeline_, vertices, turns_);
  EXPECT_EQ(turns_.turns[0].way[0].thread, loop_);  // nobody who woke it asks
  turns_.turns[0].way = recorded;
  turns_.clients = {client_};
  KeepOneClaim(*timeline_, vertices, turns_);
  EXPECT_EQ(turns_.turns[0].way[0].thread, worker_);
}

}  // namespace
}  // namespace gordian
