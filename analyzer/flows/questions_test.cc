// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/questions.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/kept/kept_timeline.h"
#include "nodes/own_messages.h"
#include "nodes/test_cluster.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

using testing::kDb;
using testing::kWeb;
using testing::TempDir;
using testing::TestCluster;
using testing::operator""_ms;

// "front asks back 3 times; …"
std::string AllOf(const Timeline& timeline) {
  std::string all;
  for (const QuestionCount& question : timeline.questions())
    absl::StrAppend(&all, all.empty() ? "" : "; ", timeline.entities()[question.asker].name,
                    " asks ", timeline.entities()[question.answerer].name, " ", question.count,
                    " times");
  return all;
}

// A connection between two ports that both ends talk on, each packet a millisecond after the last.
class Conversation {
 public:
  explicit Conversation(TestCluster& t) : t_(t) {}

  Conversation& Send(const std::string& node, uint16_t from, uint16_t to, uint32_t bytes,
                     int32_t tid) {
    t_.At(node, Next());
    t_.Send(node, from, to, At(from, to, bytes), bytes, tid);
    return *this;
  }
  Conversation& Receive(const std::string& node, uint16_t from, uint16_t to, uint32_t bytes) {
    t_.At(node, Next());
    t_.Receive(node, from, to, At(from, to, bytes), bytes);
    return *this;
  }
  Conversation& Wait(uint64_t time_ns) {
    now_ns_ += time_ns;
    return *this;
  }
  void End() { t_.Measure(Next()); }

 private:
  uint64_t Next() { return now_ns_ += 1_ms; }
  uint32_t At(uint16_t from, uint16_t to, uint32_t bytes) {
    uint32_t& next = next_[{from, to}];
    return std::exchange(next, next + bytes);
  }
  TestCluster& t_;
  uint64_t now_ns_ = 0;
  std::map<std::pair<uint16_t, uint16_t>, uint32_t> next_;
};

class Questions : public ::testing::Test {
 protected:
  void AddNode(const std::string& name) {
    cluster_.Node(name);
    cluster_.Flow(kWeb, kDb);
    cluster_.Flow(kDb, kWeb);
    cluster_.At(name, 0).Thread(10, "front").Thread(11, "second front").Thread(20, "back");
  }
  Conversation Talk() { return Conversation(cluster_); }
  std::string Found() { return AllOf(cluster_.Load().timeline); }

  TestCluster cluster_;
};

TEST_F(Questions, AreOfWhoSentLastTowardsTheServer) {
  AddNode("host");
  Conversation talk = Talk();
  for (int i = 0; i < 4; ++i) {
    talk.Send("host", kWeb, kDb, 100, i % 2 == 0 ? 10 : 11).Send("host", kDb, kWeb, 200, 20);
  }
  talk.End();
  // Nothing tells whether the last packet of each direction carried data.
  EXPECT_EQ(Found(), "front asks back 2 times; second front asks back 1 times");
}

TEST_F(Questions, AreNoAcknowledgements) {
  AddNode("host");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i) {
    talk.Send("host", kWeb, kDb, 100, 10)
        .Send("host", kDb, kWeb, 0, 11)  // as the reader's thread sends one
        .Send("host", kDb, kWeb, 200, 20)
        .Send("host", kWeb, kDb, 0, 11);
  }
  talk.End();
  EXPECT_EQ(Found(), "front asks back 2 times");
}

TEST_F(Questions, AreNoNewsThatNobodyAskedFor) {
  AddNode("host");
  Conversation talk = Talk();
  for (int i = 0; i < 4; ++i) talk.Send("host", kDb, kWeb, 200, 20);
  talk.Send("host", kWeb, kDb, 0, 10).End();
  EXPECT_EQ(Found(), "");
}

TEST_F(Questions, InSeveralPartsAreOne) {
  AddNode("host");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i) {
    talk.Send("host", kWeb, kDb, 100, 10)
        .Send("host", kWeb, kDb, 100, 10)
        .Send("host", kDb, kWeb, 200, 20)
        .Send("host", kDb, kWeb, 200, 20);
  }
  talk.End();
  EXPECT_EQ(Found(), "front asks back 3 times");
}

TEST_F(Questions, GoFromNodeToNode) {
  AddNode("web1");
  AddNode("db1");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i) talk.Send("web1", kWeb, kDb, 100, 10).Send("db1", kDb, kWeb, 200, 20);
  talk.End();
  EXPECT_EQ(Found(), "front asks back 2 times");
}

// Packets are put in order some ten thousand at a time.
TEST_F(Questions, AreFoundInManyPacketsOfWhichMostAreNearTheEnd) {
  constexpr int kQuestions = 40'000;
  AddNode("web1");
  AddNode("db1");
  Conversation talk = Talk();
  talk.Send("web1", kWeb, kDb, 100, 11).Wait(1'000'000_ms);
  for (int i = 0; i < kQuestions; ++i)
    talk.Send("web1", kWeb, kDb, 100, 10).Send("db1", kDb, kWeb, 200, 20);
  talk.End();
  EXPECT_EQ(Found(), absl::StrCat("front asks back ", kQuestions - 1, " times"));
}

TEST_F(Questions, ToAnEndThatWasNotRecordedGoToItsInterface) {
  AddNode("web1");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i) talk.Send("web1", kWeb, kDb, 100, 10).Receive("web1", kDb, kWeb, 200);
  talk.End();
  EXPECT_EQ(Found(), "front asks eth0 2 times");
}

TEST_F(Questions, OfAnEndThatWasNotRecordedComeFromItsInterface) {
  AddNode("db1");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i) talk.Receive("db1", kWeb, kDb, 100).Send("db1", kDb, kWeb, 200, 20);
  talk.End();
  EXPECT_EQ(Found(), "eth0 asks back 2 times");
}

TEST_F(Questions, AreTheSameOfOneNodeAlone) {
  AddNode("host");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i)
    talk.Send("host", kWeb, kDb, 100, 10).Send("host", kDb, kWeb, 200, 20);
  talk.End();
  TempDir dir;
  cluster_.Write(dir / "nodes");
  auto session = SessionReader::Open(dir / "nodes/host");
  ASSERT_TRUE(session.ok()) << session.status();
  auto timeline = Timeline::Load(**session, {.threads = 1, .keep_packet_wakes = true}, {});
  ASSERT_TRUE(timeline.ok());
  EXPECT_EQ(AllOf(*timeline), "");
  MatchOwnMessages(*timeline, 1);
  EXPECT_EQ(AllOf(*timeline), "front asks back 2 times");
  EXPECT_EQ(AllOf(timeline->Excerpt(timeline->start_ns(), timeline->start_ns() + 1_ms)),
            "front asks back 2 times");
}

TEST_F(Questions, AreKeptInTheStore) {
  AddNode("web1");
  AddNode("db1");
  Conversation talk = Talk();
  for (int i = 0; i < 3; ++i) talk.Send("web1", kWeb, kDb, 100, 10).Send("db1", kDb, kWeb, 200, 20);
  talk.End();
  TempDir dir;
  const auto store = Store::Open({.folder = dir / "store", .keep_free_bytes = 0});
  ASSERT_TRUE(store.ok());
  const StoreKey key{.recording = "01", .stage = "timeline", .format = 1, .options = ""};
  const JoinedNodes joined = cluster_.Load();
  auto writer = store->Begin(key, "/recording");
  ASSERT_TRUE(writer.ok());
  KeepTimeline(joined.timeline, *writer);
  ASSERT_TRUE(writer->Commit().ok());
  const auto kept = KeptTimelineOf(*store->Find(key), {});
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(AllOf(*kept), "front asks back 2 times");
}

}  // namespace
}  // namespace gordian
