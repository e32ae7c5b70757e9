// SPDX-License-Identifier: Apache-2.0
// Requests on unix sockets and pipes.
#include <gtest/gtest.h>

#include "requests/test_talk.h"
#include "tests/support/test_channels.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::PipeFlow;
using testing::ReadFrom;
using testing::SentTo;
using testing::SocketFlow;
using testing::TestTalk;
using namespace testing;  // NOLINT: literals of time

constexpr uint32_t kToServer = 501;
constexpr uint32_t kToClient = 502;
constexpr char kPath[] = "/run/db";

// A client on CPU 0, and a server that sleeps on CPU 1.
void AddBoth(TestTalk& talk) {
  talk.trace().Thread(10, "client").Thread(20, "server");
  talk.At(0).Run(10);
  talk.At(0, 1).Run(20);
  talk.At(1_us, 1).Block();
}

void AddSocket(TestTalk& talk) {
  talk.At(2_us).Flow(SocketFlow(kToServer, 101, 201, LocalServer::kDestination, kPath));
  talk.At(3_us).Flow(SocketFlow(kToClient, 201, 101, LocalServer::kSource, kPath));
}

// The client asks at 1 ms, waits, and gets its answer at 3 ms.
void AddOneRequest(TestTalk& talk) {
  talk.At(1_ms).Wake(20);
  talk.At(1100_us).LocalMessage(SentTo(kToServer, 10, 64, 100'000));
  talk.At(1200_us, 1).Run(20);
  talk.At(1250_us, 1).LocalMessage(ReadFrom(kToServer, 20, 64));
  talk.At(1300_us).Block();
  talk.At(3_ms, 1).Wake(10);
  talk.At(3010_us, 1).LocalMessage(SentTo(kToClient, 20, 48, 10'000));
  talk.At(3020_us, 1).Block();
  talk.At(3050_us).Run(10);
  talk.At(3060_us).LocalMessage(ReadFrom(kToClient, 10, 48));
}

TEST(LocalRequests, BeginWhenTheirDataCanBeReadAndEndWithTheAnswer) {
  TestTalk talk;
  AddBoth(talk);
  AddSocket(talk);
  AddOneRequest(talk);
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  const Request& request = found.requests[0];
  EXPECT_EQ(request.start_ns, TestTalk::Time(1_ms));
  EXPECT_EQ(request.answer_ns, TestTalk::Time(3_ms));
  EXPECT_EQ(request.request_bytes, 64u);
  EXPECT_EQ(request.answer_bytes, 48u);
  EXPECT_EQ(request.client, talk.Id("client"));
  EXPECT_EQ(request.thread, talk.Id("server"));
  const RequestConnection& connection = found.connections[request.connection];
  EXPECT_EQ(found.local_services.at(connection.to_server.destination_port), "unix:/run/db");
  EXPECT_EQ(talk.Story(found, request), "1000-1200 runnable server | 1200-3000 run server");
}

TEST(LocalRequests, OfPairsOfPipesAreFoundLikewise) {
  TestTalk talk;
  AddBoth(talk);
  talk.At(2_us).Flow(PipeFlow(kToServer)).Flow(PipeFlow(kToClient));
  AddOneRequest(talk);
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 1u);
  ASSERT_EQ(found.local_services.size(), 1u);
  EXPECT_EQ(found.local_services.begin()->second, "pipe of client → server");
  EXPECT_EQ(talk.Story(found, found.requests[0]),
            "1000-1200 runnable server | 1200-3000 run server");
}

TEST(LocalRequests, HaveNumbersThatNoTcpServerHas) {
  TestTalk talk;
  AddBoth(talk);
  AddSocket(talk);
  AddOneRequest(talk);
  constexpr uint16_t kHighest = 65535;
  talk.At(4_ms);
  talk.Ask(40001, 100, 0, kHighest);
  talk.At(5_ms);
  talk.Answer(40001, 20, 200, kHighest);
  talk.At(6_ms);
  talk.Ask(40001, 100, 0, kHighest);
  const FoundRequests found = talk.Find({.ports = {kHighest}});
  ASSERT_EQ(found.local_services.size(), 1u);
  EXPECT_NE(found.local_services.begin()->first, kHighest);
  for (const Request& request : found.requests)
    EXPECT_EQ(found.connections[request.connection].to_server.destination_port, kHighest);
}

TEST(LocalRequests, OfAServerThatAsksAnotherByASocketWaitForThatOne) {
  TestTalk talk;
  talk.trace().Thread(10, "client").Thread(20, "front").Thread(30, "database");
  talk.At(0).Run(10);
  talk.At(0, 1).Run(20);
  talk.At(1_us, 1).Block();
  talk.At(2_us, 2).Run(30);
  talk.At(3_us, 2).Block();
  talk.At(4_us).Flow(SocketFlow(1, 101, 201, LocalServer::kDestination, "/run/front"));
  talk.At(5_us).Flow(SocketFlow(2, 201, 101, LocalServer::kSource, "/run/front"));
  talk.At(6_us).Flow(SocketFlow(3, 301, 401, LocalServer::kDestination, "/run/db"));
  talk.At(7_us).Flow(SocketFlow(4, 401, 301, LocalServer::kSource, "/run/db"));
  talk.At(1_ms).Wake(20).LocalMessage(SentTo(1, 10, 64));
  talk.At(1_ms + 1, 1).Run(20);
  talk.At(1100_us).Block();
  talk.At(2_ms, 1).Wake(30).LocalMessage(SentTo(3, 20, 64));
  talk.At(2_ms + 1, 2).Run(30);
  talk.At(2100_us, 1).Block();
  talk.At(5_ms, 2).Wake(20).LocalMessage(SentTo(4, 30, 64));
  talk.At(5_ms + 1, 1).Run(20);
  talk.At(5100_us, 2).Block();
  talk.At(6_ms, 1).Wake(10).LocalMessage(SentTo(2, 20, 64));
  talk.At(6_ms + 1).Run(10);
  talk.At(6100_us, 1).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 2u);
  EXPECT_EQ(talk.Story(found, found.requests[1]),
            "1000-1000 runnable front | 1000-2100 run front | 2100-5000 peer database (run "
            "database) | 5000-5000 runnable front | 5000-6000 run front");
}

// A reader of a unix socket wakes who sleeps at its other end: there is room again.
TEST(LocalRequests, AreNotWithAServerThatReadsTheQuestionOfAnother) {
  TestTalk talk;
  talk.trace().Thread(10, "client").Thread(11, "other").Thread(20, "front").Thread(30, "database");
  talk.At(0).Run(10);
  talk.At(0, 1).Run(20);
  talk.At(1_us, 1).Block();
  talk.At(2_us, 2).Run(30);
  talk.At(3_us, 2).Block();
  talk.At(4_us, 3).Run(11);
  talk.At(4_us).Flow(SocketFlow(1, 101, 201, LocalServer::kDestination, "/run/front"));
  talk.At(5_us).Flow(SocketFlow(2, 201, 101, LocalServer::kSource, "/run/front"));
  talk.At(6_us).Flow(SocketFlow(3, 301, 401, LocalServer::kDestination, "/run/db"));
  talk.At(7_us).Flow(SocketFlow(4, 401, 301, LocalServer::kSource, "/run/db"));
  talk.At(8_us).Flow(SocketFlow(5, 102, 202, LocalServer::kDestination, "/run/front"));
  talk.At(9_us).Flow(SocketFlow(6, 202, 102, LocalServer::kSource, "/run/front"));
  talk.At(1_ms).Wake(20).LocalMessage(SentTo(1, 10, 64));
  talk.At(1_ms + 1, 1).Run(20);
  talk.At(2_ms, 1).Wake(30).LocalMessage(SentTo(3, 20, 64));
  talk.At(2_ms + 1, 2).Run(30);
  talk.At(2010_us, 1).Block();
  talk.At(2020_us, 3).LocalMessage(SentTo(5, 11, 64));
  talk.At(2030_us, 2).Wake(20).LocalMessage(ReadFrom(3, 30, 64));
  talk.At(2040_us, 1).Run(20);
  talk.At(2050_us, 1).Block();
  talk.At(5_ms, 2).Wake(20).LocalMessage(SentTo(4, 30, 64));
  talk.At(5_ms + 1, 1).Run(20);
  talk.At(5100_us, 2).Block();
  talk.At(5500_us, 1).LocalMessage(SentTo(2, 20, 64));
  talk.At(6_ms, 1).LocalMessage(SentTo(6, 20, 64));
  talk.At(6100_us, 1).Block();
  const FoundRequests found = talk.Find();
  ASSERT_EQ(found.requests.size(), 3u);
  EXPECT_EQ(talk.Story(found, found.requests[2]),
            "2020-2030 behind front (thread database) | 2030-2040 behind front (runnable front) | "
            "2040-2050 behind front (run front) | 2050-5000 behind front (thread database) | "
            "5000-5000 behind front (runnable front) | 5000-5500 behind front (run front) | "
            "5500-6000 run front");
}

TEST(LocalRequests, OfTooManyServersAreToldTogether) {
  TestTalk talk;
  talk.trace().Thread(10, "client").Thread(20, "server");
  talk.At(0).Run(10);
  for (uint32_t i = 0; i < 1200; ++i) {
    talk.At(1_ms + i * 1000)
        .Flow(SocketFlow(2 * i, 2 * i, 2 * i + 1, LocalServer::kDestination,
                         "/run/" + std::to_string(i)))
        .LocalMessage(SentTo(2 * i, 10, 64));
  }
  const FoundRequests found = talk.Find();
  EXPECT_EQ(found.connections.size(), 1200u);
  EXPECT_EQ(found.local_services.size(), 1001u);
  EXPECT_EQ(found.counts.without_answer, 1200u);
}

}  // namespace
}  // namespace gordian
