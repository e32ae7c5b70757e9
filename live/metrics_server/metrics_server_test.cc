// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/metrics_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/testing/test_client.h"

namespace gordian {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestClient;

constexpr std::string_view kGet = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

MetricsPage PageOf(const std::string& text) {
  const auto body = std::make_shared<const std::string>(text);
  return {.open_metrics = body, .text = body, .healthy_until = {}};
}

std::unique_ptr<MetricsServer> Serve(const std::string& text = "page") {
  auto server = MetricsServer::Listen({});
  EXPECT_TRUE(server.ok()) << server.status();
  (*server)->Publish(PageOf(text));
  return *std::move(server);
}

std::string Ask(const MetricsServer& server) {
  TestClient client(server.address().port);
  client.Send(kGet);
  return client.Receive();
}

TEST(MetricsServer, TellsThePortThatItGotAndAnswersThere) {
  const auto server = Serve();
  EXPECT_NE(server->address().port, 0);
  EXPECT_THAT(Ask(*server), EndsWith("page"));
}

TEST(MetricsServer, AnswersBeforeThereIsAPage) {
  const auto server = MetricsServer::Listen({});
  ASSERT_TRUE(server.ok());
  EXPECT_THAT(Ask(**server), HasSubstr("Content-Length: 0"));
}

TEST(MetricsServer, AnswersWithTheLastPage) {
  const auto server = Serve("first");
  EXPECT_THAT(Ask(*server), EndsWith("first"));
  server->Publish(PageOf("second"));
  EXPECT_THAT(Ask(*server), EndsWith("second"));
}

TEST(MetricsServer, ReadsARequestThatComesByteByByte) {
  const auto server = Serve();
  TestClient client(server->address().port);
  for (const char byte : kGet) client.Send(std::string_view(&byte, 1));
  EXPECT_THAT(client.Receive(), EndsWith("page"));
}

TEST(MetricsServer, AnswersWithAPageThatIsLargerThanASocketHolds) {
  const auto server = Serve(std::string(8 << 20, 'x'));
  EXPECT_GT(Ask(*server).size(), 8u << 20);
}

TEST(MetricsServer, RefusesAHeadThatDoesNotEnd) {
  const auto server = Serve();
  TestClient client(server->address().port);
  client.Send("GET /metrics HTTP/1.1\r\nX: " + std::string(kMostMetricsHeadBytes, 'x'));
  EXPECT_THAT(client.Receive(), StartsWith("HTTP/1.1 431 "));
}

TEST(MetricsServer, AnswersWhileManyHoldTheirConnectionsOpen) {
  const auto server = Serve();
  std::vector<std::unique_ptr<TestClient>> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(std::make_unique<TestClient>(server->address().port));
    idle.back()->Send("GET /metrics HT");
  }
  EXPECT_THAT(Ask(*server), EndsWith("page"));
  EXPECT_EQ(idle.front()->ReceiveAll(), "");  // it was closed for the others
}

TEST(MetricsServer, OutlivesClientsThatGoAwayInTheMiddle) {
  const auto server = Serve(std::string(1 << 20, 'x'));
  for (int i = 0; i < 20; ++i) {
    TestClient client(server->address().port);
    client.Send(kGet.substr(0, static_cast<size_t>(i) * 2));
    if (i % 2 == 0) client.Send(kGet);
  }
  EXPECT_THAT(Ask(*server), HasSubstr("200 OK"));
}

TEST(MetricsServer, ClosesWithConnectionsOpen) {
  auto server = Serve();
  TestClient client(server->address().port);
  client.Send("GET");
  server.reset();
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST(MetricsServer, SaysWhereItCannotListen) {
  const auto server = Serve();
  const auto second = MetricsServer::Listen(server->address());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(server->address().Text()));
}

}  // namespace
}  // namespace gordian
