// SPDX-License-Identifier: Apache-2.0
#include "nodes/held_back.h"

#include <gtest/gtest.h>

#include "nodes/test_cluster.h"

namespace gordian {
namespace {

using testing::kDb;
using testing::kWeb;
using testing::StoryOf;
using testing::TestCluster;
using testing::operator""_ms;
using testing::operator""_us;

constexpr uint32_t kBack = 9000;  // sequence numbers of answers

// The server got a part of a question, and waits. Its own packets tell how long headers are.
class Question {
 public:
  Question() {
    cluster_.Node("db1");
    cluster_.Flow(kWeb, kDb);
    cluster_.Flow(kDb, kWeb);
    cluster_.At("db1", 0).Thread(20, "back");
    cluster_.At("db1", 1_ms);
    cluster_.Receive("db1", kWeb, kDb, 1000, 10);
  }
  // The server's kernel, or thread, sends.
  void Answers(uint64_t at_ns, uint32_t payload, int32_t tid) {
    cluster_.At("db1", at_ns);
    cluster_.Send("db1", kDb, kWeb, kBack, payload, tid);
  }
  void RestComes(uint64_t at_ns) {
    cluster_.At("db1", at_ns);
    cluster_.Deliver("db1", kWeb, kDb, 1010, 100, 20);
    cluster_.At("db1", at_ns + 10_us).Run(20);
  }
  std::string Story() {
    cluster_.Measure(900_ms);
    return StoryOf(cluster_.Load().timeline, "db1", "back");
  }

 private:
  TestCluster cluster_;
};

constexpr char kHeld[] = "0 wait db1/held-back data of a peer | 41500 runnable | 41510 run";
constexpr char kNotHeld[] = "0 wait db1/eth0 | 41500 runnable | 41510 run";

TEST(HeldBack, IsWhatComesSoonAfterADelayedAcknowledgement) {
  Question question;
  question.Answers(41_ms, 0, 0);
  question.RestComes(41500_us);
  EXPECT_EQ(question.Story(), kHeld);
}

TEST(HeldBack, IsNothingThatComesMuchLater) {
  Question question;
  question.Answers(35_ms, 0, 0);
  question.RestComes(41500_us);
  EXPECT_EQ(question.Story(), kNotHeld);
}

TEST(HeldBack, IsNothingAfterAnAcknowledgementAtOnce) {
  Question question;
  question.Answers(2_ms, 0, 0);
  question.RestComes(41500_us);
  EXPECT_EQ(question.Story(), kNotHeld);
}

TEST(HeldBack, IsNothingThatFollowsAnAnswer) {
  Question question;
  question.Answers(1100_us, 0, 0);
  question.Answers(41_ms, 50, 20);  // a thread's
  question.RestComes(41500_us);
  EXPECT_EQ(question.Story(), kNotHeld);
}

TEST(HeldBack, IsNothingThatTheKernelSendsAgain) {
  Question question;
  question.Answers(1100_us, 0, 0);
  question.Answers(41_ms, 50, 0);
  question.RestComes(41500_us);
  EXPECT_EQ(question.Story(), kNotHeld);
}

TEST(HeldBack, IsHandedOnByABridge) {
  Question question;
  question.Answers(41_ms, 0, 0);
  question.Answers(41_ms + 5_us, 0, 0);
  question.RestComes(41500_us);
  EXPECT_EQ(question.Story(), kHeld);
}

// Client and server on one machine: then the sending is in the recording.
class OwnQuestion {
 public:
  explicit OwnQuestion(int32_t sender) {
    cluster_.Node("db1");
    cluster_.Flow(kWeb, kDb);
    cluster_.Flow(kDb, kWeb);
    cluster_.At("db1", 0).Thread(20, "back");
    cluster_.At("db1", 0, 1).Thread(10, "front").Run(10);
    cluster_.At("db1", 1_ms, 1);
    cluster_.Send("db1", kWeb, kDb, 1000, 10, 10);
    cluster_.At("db1", 1_ms + 5_us, 1);
    cluster_.Receive("db1", kWeb, kDb, 1000, 10);
    cluster_.At("db1", 41_ms);
    cluster_.Send("db1", kDb, kWeb, kBack, 0, 0);
    cluster_.At("db1", 41_ms + 5_us);
    cluster_.Receive("db1", kDb, kWeb, kBack, 0);
    cluster_.At("db1", 41_ms + 10_us);
    cluster_.Send("db1", kWeb, kDb, 1010, 100, sender);
    cluster_.At("db1", 41_ms + 15_us);
    cluster_.Deliver("db1", kWeb, kDb, 1010, 100, 20);
    cluster_.At("db1", 41_ms + 25_us).Run(20);
    cluster_.Measure(900_ms);
  }
  std::string Story() { return StoryOf(cluster_.Load().timeline, "db1", "back"); }

 private:
  TestCluster cluster_;
};

TEST(HeldBack, IsNamedByWhoWroteIt) {
  EXPECT_EQ(OwnQuestion(0).Story(),
            "0 wait db1/held-back data of front | 41015 runnable | 41025 run");
}

TEST(HeldBack, IsNothingThatAThreadSends) {
  EXPECT_EQ(OwnQuestion(10).Story(),
            "0 wait db1/front | 41010 wait link db1→db1 | 41015 runnable | 41025 run");
}

// The client is on another node, whose clock is off.
std::string StoryOfTwo(int32_t sender) {
  TestCluster t;
  t.Node("db1");
  t.Node("web1", {.skew_ns = 700'000'000});
  t.Flow(kWeb, kDb);
  t.Flow(kDb, kWeb);
  t.At("db1", 0).Thread(20, "back");
  t.At("web1", 0).Thread(10, "front").Run(10);
  t.At("web1", 900_us);
  t.Send("web1", kWeb, kDb, 1000, 10, 10);
  t.At("db1", 1_ms);
  t.Receive("db1", kWeb, kDb, 1000, 10);
  t.At("db1", 41_ms);
  t.Send("db1", kDb, kWeb, kBack, 0, 0);
  t.At("web1", 41100_us);
  t.Receive("web1", kDb, kWeb, kBack, 0);
  t.At("web1", 41200_us);
  t.Send("web1", kWeb, kDb, 1010, 100, sender);
  t.At("db1", 41500_us);
  t.Deliver("db1", kWeb, kDb, 1010, 100, 20);
  t.At("db1", 41510_us).Run(20);
  t.Measure(900_ms);
  return StoryOf(t.Load().timeline, "db1", "back");
}

TEST(HeldBack, IsNamedByWhoWroteItOnAnotherNode) {
  EXPECT_EQ(StoryOfTwo(0), "0 wait db1/held-back data of front | 41500 runnable | 41510 run");
}

TEST(HeldBack, IsNothingThatAThreadSendsOnAnotherNode) {
  EXPECT_EQ(StoryOfTwo(10),
            "0 wait web1/front | 41200 wait link web1→db1 | 41500 runnable | 41510 run");
}

}  // namespace
}  // namespace gordian
