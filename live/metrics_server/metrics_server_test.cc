// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/metrics_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace gordian {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGet = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  // False once the server has closed.
  bool Send(std::string_view bytes) const {
    return send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // All until the server closes.
  std::string Receive() const {
    std::string all;
    std::array<char, 4096> buffer;
    ssize_t size;
    while ((size = recv(socket_.number(), buffer.data(), buffer.size(), 0)) > 0)
      all.append(buffer.data(), static_cast<size_t>(size));
    return all;
  }

 private:
  FileDescriptor socket_;
};

std::unique_ptr<MetricsServer> Serve(const std::string& text = "page") {
  auto server = MetricsServer::Listen({});
  EXPECT_TRUE(server.ok()) << server.status();
  (*server)->Publish({.open_metrics = text, .text = text});
  return *std::move(server);
}

std::string Ask(const MetricsServer& server) {
  const Client client(server.address().port);
  client.Send(kGet);
  return client.Receive();
}

TEST(MetricsServer, TellsThePortThatItGotAndAnswersThere) {
  const auto server = Serve();
  EXPECT_NE(server->address().port, 0);
  EXPECT_THAT(Ask(*server), EndsWith("page"));
}

TEST(MetricsServer, AnswersWithTheLastPage) {
  const auto server = Serve("first");
  EXPECT_THAT(Ask(*server), EndsWith("first"));
  server->Publish({.text = "second"});
  EXPECT_THAT(Ask(*server), EndsWith("second"));
}

TEST(MetricsServer, ReadsARequestThatComesByteByByte) {
  const auto server = Serve();
  const Client client(server->address().port);
  for (const char byte : kGet) client.Send(std::string_view(&byte, 1));
  EXPECT_THAT(client.Receive(), EndsWith("page"));
}

TEST(MetricsServer, AnswersWithAPageThatIsLargerThanASocketHolds) {
  const auto server = Serve(std::string(8 << 20, 'x'));
  EXPECT_EQ(Ask(*server).size() > (8u << 20), true);
}

TEST(MetricsServer, RefusesAHeadThatDoesNotEnd) {
  const auto server = Serve();
  const Client client(server->address().port);
  client.Send("GET /metrics HTTP/1.1\r\nX: " + std::string(kMaxRequestHeadBytes, 'x'));
  EXPECT_THAT(client.Receive(), StartsWith("HTTP/1.1 431 "));
}

TEST(MetricsServer, AnswersWhileManyHoldTheirConnectionsOpen) {
  const auto server = Serve();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(std::make_unique<Client>(server->address().port));
    idle.back()->Send("GET /metrics HT");
  }
  EXPECT_THAT(Ask(*server), EndsWith("page"));
  EXPECT_EQ(idle.front()->Receive(), "");  // it was closed for the others
}

TEST(MetricsServer, OutlivesClientsThatGoAwayInTheMiddle) {
  const auto server = Serve(std::string(1 << 20, 'x'));
  for (int i = 0; i < 20; ++i) {
    const Client client(server->address().port);
    client.Send(kGet.substr(0, static_cast<size_t>(i) * 2));
    if (i % 2 == 0) client.Send(kGet);
  }
  EXPECT_THAT(Ask(*server), HasSubstr("200 OK"));
}

TEST(MetricsServer, ClosesWithConnectionsOpen) {
  auto server = Serve();
  const Client client(server->address().port);
  client.Send("GET");
  server.reset();
  EXPECT_EQ(client.Receive(), "");
}

TEST(MetricsServer, SaysWhereItCannotListen) {
  const auto server = Serve();
  const auto second = MetricsServer::Listen(server->address());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(server->address().Text()));
}

}  // namespace
}  // namespace gordian
