// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/local_connections.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/flows/questions.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_channels.h"
#include "tests/support/trace_builder.h"

namespace gordian {
namespace {

using testing::PipeFlow;
using testing::ReadFrom;
using testing::SentTo;
using testing::SocketFlow;
using testing::TempDir;
using testing::TraceBuilder;

class LocalTalk {
 public:
  TraceBuilder& trace() { return trace_; }
  LocalTalk& Say(const LocalMessageEvent& message) {
    trace_.At(++now_ * 1000).LocalMessage(message);
    return *this;
  }
  const Timeline& Load() {
    if (!timeline_.entities().empty()) return timeline_;
    const std::string folder = dir_ / "trace";
    if (!trace_.WriteSession(folder).ok()) std::abort();
    auto session = SessionReader::Open(folder);
    if (!session.ok()) std::abort();
    auto timeline = Timeline::Load(**session, {.threads = 1, .keep_packet_wakes = true}, {});
    if (!timeline.ok()) std::abort();
    timeline_ = *std::move(timeline);
    return timeline_;
  }
  LocalConnections Find() {
    Load();
    return FindLocalConnections(timeline_.local_message_rows().front(), timeline_.flows(),
                                timeline_);
  }
  // "client asks server 2 times"
  std::string Questions() {
    Load();
    const FlowTable* const flows = &timeline_.flows();
    std::string all;
    for (const QuestionCount& question : FindQuestions(timeline_, {&flows, 1}))
      absl::StrAppend(&all, all.empty() ? "" : "; ", timeline_.entities()[question.asker].name,
                      " asks ", timeline_.entities()[question.answerer].name, " ", question.count,
                      " times");
    return all;
  }

 private:
  TraceBuilder trace_;
  TempDir dir_;
  Timeline timeline_;
  uint64_t now_ = 0;
};

void AddProcesses(LocalTalk& talk) {
  talk.trace().Thread(10, "client").Thread(20, "server").Thread(30, "other");
}

TEST(LocalConnections, OfASocketAreNamedByTheBoundPathAndServedByTheEndThatAccepted) {
  LocalTalk talk;
  AddProcesses(talk);
  // The server speaks first (a greeting), and yet is the server.
  talk.trace().Flow(SocketFlow(2, 201, 101, LocalServer::kSource, "/run/db"));
  talk.trace().Flow(SocketFlow(1, 101, 201, LocalServer::kDestination, "/run/db"));
  talk.Say(SentTo(2, 20, 5)).Say(SentTo(1, 10, 64)).Say(SentTo(2, 20, 9));
  const LocalConnections found = talk.Find();
  ASSERT_EQ(found.connections.size(), 1u);
  EXPECT_EQ(found.connections[0].service, "unix:/run/db");
  EXPECT_EQ(found.connections[0].client.number, 101u);
  EXPECT_EQ(found.connections[0].server.number, 201u);
  EXPECT_TRUE(found.place_of_flow.at(1).to_server);
  EXPECT_FALSE(found.place_of_flow.at(2).to_server);
  EXPECT_EQ(talk.Questions(), "client asks server 1 times");
}

TEST(LocalConnections, OfASocketPairAreServedByTheEndThatGetsTheFirstData) {
  LocalTalk talk;
  AddProcesses(talk);
  talk.trace().Flow(SocketFlow(1, 101, 201)).Flow(SocketFlow(2, 201, 101));
  talk.Say(SentTo(1, 10, 64)).Say(ReadFrom(1, 20, 64)).Say(SentTo(2, 20, 9));
  const LocalConnections found = talk.Find();
  ASSERT_EQ(found.connections.size(), 1u);
  EXPECT_EQ(found.connections[0].service, "unix socket of server");
  EXPECT_TRUE(found.place_of_flow.at(1).to_server);
}

TEST(LocalConnections, ArePairsOfPipesBetweenTwoProcesses) {
  LocalTalk talk;
  AddProcesses(talk);
  talk.trace().Flow(PipeFlow(1)).Flow(PipeFlow(2)).Flow(PipeFlow(3));
  talk.Say(SentTo(1, 10, 64)).Say(ReadFrom(1, 20, 64));
  talk.Say(SentTo(2, 20, 9)).Say(ReadFrom(2, 10, 9));
  talk.Say(SentTo(3, 20, 9)).Say(ReadFrom(3, 10, 9));  // errors, say
  const LocalConnections found = talk.Find();
  ASSERT_EQ(found.connections.size(), 1u);
  EXPECT_EQ(found.connections[0].service, "pipe of client → server");
  EXPECT_TRUE(found.place_of_flow.at(1).to_server);
  EXPECT_FALSE(found.place_of_flow.at(2).to_server);
  EXPECT_FALSE(found.place_of_flow.at(3).to_server);
  EXPECT_EQ(found.pipes_left_out, 0u);
  EXPECT_EQ(talk.Questions(), "client asks server 1 times");
}

// The recording began between a question and its answer.
TEST(LocalConnections, OfPipesAreServedByTheLaterProcessIfBothLivedBefore) {
  LocalTalk talk;
  AddProcesses(talk);
  talk.trace().Flow(PipeFlow(1)).Flow(PipeFlow(2));
  talk.Say(SentTo(2, 20, 9)).Say(ReadFrom(2, 10, 9));
  talk.Say(SentTo(1, 10, 64)).Say(ReadFrom(1, 20, 64));
  talk.Say(SentTo(2, 20, 9)).Say(ReadFrom(2, 10, 9));
  const LocalConnections found = talk.Find();
  ASSERT_EQ(found.connections.size(), 1u);
  EXPECT_EQ(found.connections[0].service, "pipe of client → server");
  EXPECT_TRUE(found.place_of_flow.at(1).to_server);
}

TEST(LocalConnections, OfPipesAreServedByWhoGotTheFirstDataIfOneBeganMeanwhile) {
  LocalTalk talk;
  talk.trace().Thread(30, "helper").New(30, 40, "client", 40);
  talk.trace().Flow(PipeFlow(1)).Flow(PipeFlow(2));
  talk.Say(SentTo(1, 40, 64)).Say(ReadFrom(1, 30, 64));
  talk.Say(SentTo(2, 30, 9)).Say(ReadFrom(2, 40, 9));
  const LocalConnections found = talk.Find();
  ASSERT_EQ(found.connections.size(), 1u);
  EXPECT_EQ(found.connections[0].service, "pipe of client → helper");
}

TEST(LocalConnections, AreNotPipesThatGoOneWayOrThatSeveralShare) {
  LocalTalk talk;
  AddProcesses(talk);
  talk.trace().Flow(PipeFlow(1)).Flow(PipeFlow(2)).Flow(PipeFlow(3));
  talk.Say(SentTo(1, 10, 64)).Say(ReadFrom(1, 20, 64));                        // a | b
  talk.Say(SentTo(2, 20, 9)).Say(ReadFrom(2, 10, 9)).Say(ReadFrom(2, 30, 9));  // shared
  talk.Say(SentTo(3, 10, 1)).Say(ReadFrom(3, 10, 1));                          // its own
  const LocalConnections found = talk.Find();
  EXPECT_TRUE(found.connections.empty());
  EXPECT_EQ(found.pipes_left_out, 3u);
  EXPECT_EQ(talk.Questions(), "");
}

TEST(LocalConnections, OrderDataByWhenItCouldBeReadNotByWhenTheCallEnded) {
  LocalTalk talk;
  AddProcesses(talk);
  talk.trace().Flow(SocketFlow(1, 101, 201, LocalServer::kDestination, "/run/db"));
  talk.trace().Flow(SocketFlow(2, 201, 101, LocalServer::kSource, "/run/db"));
  // The server takes the CPU within the client's call, and answers before that has ended.
  talk.Say(SentTo(2, 20, 9)).Say(SentTo(1, 10, 64, 1500));
  EXPECT_EQ(talk.Questions(), "client asks server 1 times");
}

TEST(LocalConnections, OfAnyIdsAndEndsKeepEachMessageInOnePlace) {
  std::mt19937 random(23);
  for (int round = 0; round < 50; ++round) {
    LocalTalk talk;
    AddProcesses(talk);
    const auto few = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
    for (uint32_t id = 0; id < 8; ++id) {
      FlowRecord flow = SocketFlow(id, few(4), few(4), static_cast<LocalServer>(few(3)));
      if (few(2) == 0) flow.local = LocalChannel::kPipe;
      if (few(4) != 0) talk.trace().Flow(flow);  // others are never described
    }
    for (int i = 0; i < 40; ++i) {
      const auto tid = static_cast<int32_t>(few(4) * 10);
      const bool far = few(5) == 0;
      talk.Say(few(2) == 0 ? SentTo(few(9), tid, few(2), far ? UINT64_MAX : few(5000))
                           : ReadFrom(few(9), tid, UINT32_MAX));
    }
    const LocalConnections found = talk.Find();
    const Timeline& timeline = talk.Load();
    for (const auto& [id, place] : found.place_of_flow)
      ASSERT_LT(place.connection, found.connections.size());
    const auto data = LocalDataOf(timeline.local_message_rows().front(), found);
    size_t sent = 0;
    for (const LocalMessage& message : timeline.local_message_rows().front())
      sent += message.sent && found.place_of_flow.contains(message.flow_id) ? 1 : 0;
    EXPECT_EQ(data.size(), sent);
    for (size_t i = 1; i < data.size(); ++i) {
      if (data[i].place.connection == data[i - 1].place.connection) {
        EXPECT_LE(data[i - 1].time_ns, data[i].time_ns);
      }
    }
    talk.Questions();
  }
}

}  // namespace
}  // namespace gordian
