// SPDX-License-Identifier: Apache-2.0
#include "http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "http/testing/test_client.h"

namespace gordian {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TestClient;

constexpr std::string_view kGet = "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n";
// What must happen, but on a busy machine not soon.
constexpr auto kLongest = std::chrono::seconds(60);

HttpAnswer TextOf(std::string text) {
  return {.content_type = "text/plain",
          .body = std::make_shared<const std::string>(std::move(text))};
}

std::unique_ptr<HttpServer> Serve(HttpServer::Answer answer, const HttpLimits& limits = {}) {
  auto server = HttpServer::Listen({}, limits);
  EXPECT_TRUE(server.ok()) << server.status();
  (*server)->Start(std::move(answer));
  return *std::move(server);
}

std::unique_ptr<HttpServer> ServeTargets(const HttpLimits& limits = {}) {
  return Serve([](const HttpRequestHead& head, const auto&) { return TextOf(head.target); },
               limits);
}

TEST(HttpServer, AnswersRequestAfterRequestOnAConnection) {
  const auto server = ServeTargets();
  TestClient client(server->address().port);
  for (int i = 0; i < 3; ++i) {
    client.Send(absl::StrCat("GET /", i, " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const std::string answer = client.Receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, EndsWith(absl::StrCat("\r\n\r\n/", i)));
  }
}

TEST(HttpServer, AnswersRequestsThatCameTogetherInTheirOrder) {
  const auto server = ServeTargets();
  TestClient client(server->address().port);
  client.Send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(client.Receive(), EndsWith("/1"));
  EXPECT_THAT(client.Receive(), EndsWith("/2"));
}

TEST(HttpServer, SendsNoBodyForHeadButItsLength) {
  const auto server = ServeTargets();
  TestClient client(server->address().port);
  client.Send("HEAD /abc HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string answer = client.Receive(true);
  EXPECT_THAT(answer, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
  client.Send(kGet);
  EXPECT_THAT(client.Receive(), EndsWith("/a?b=c"));
}

TEST(HttpServer, SendsLargeAnswersWhole) {
  const std::string large(5 << 20, 'x');
  const auto server = Serve([&](const auto&, const auto&) { return TextOf(large); });
  TestClient client(server->address().port);
  client.Send(kGet);
  const std::string answer = client.Receive();
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), large);
}

TEST(HttpServer, RefusesWhatIsNoRequest) {
  const auto server = ServeTargets();
  for (const char* bytes : {"\r\n\r\nhello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                            "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 \r\n\r\n",
                            "GET /\r\n\r\n", "GET / HTTP/1.1\r\nHost localhost\r\n\r\n",
                            "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"}) {
    TestClient client(server->address().port);
    client.Send(bytes);
    EXPECT_THAT(client.ReceiveAll(), StartsWith("HTTP/1.1 400")) << bytes;
  }
}

TEST(HttpServer, RefusesBodies) {
  const auto server = ServeTargets();
  for (const char* how : {"Content-Length: 5", "Transfer-Encoding: chunked"}) {
    TestClient client(server->address().port);
    client.Send(
        absl::StrCat("POST / HTTP/1.1\r\nHost: a\r\n", how, "\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
    EXPECT_THAT(client.ReceiveAll(), Not(StartsWith("HTTP/1.1 200"))) << how;
  }
}

TEST(HttpServer, RefusesHeadsThatAreTooLong) {
  const auto server = ServeTargets();
  TestClient client(server->address().port);
  client.Send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(40 << 10, 'x'));
  EXPECT_THAT(client.ReceiveAll(), StartsWith("HTTP/1.1 431"));
}

TEST(HttpServer, TellsOfSeveralHosts) {
  const auto server = Serve([](const HttpRequestHead& head, const auto&) {
    return TextOf(head.hosts > 1 ? "several" : head.host);
  });
  TestClient client(server->address().port);
  client.Send("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
  EXPECT_THAT(client.Receive(), EndsWith("several"));
}

TEST(HttpServer, ClosesASlowClient) {
  const auto server = ServeTargets({.patience = milliseconds(100)});
  TestClient client(server->address().port);
  client.Send("GET / HT");
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST(HttpServer, ClosesTheConnectionThatWasSilentLongestForANewOne) {
  const auto server = ServeTargets({.most_connections = 4});
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<TestClient>(server->address().port));
    clients.back()->Send(kGet);
    EXPECT_THAT(clients.back()->Receive(), EndsWith("/a?b=c"));
  }
  for (int i = 0; i < 20; ++i) {
    TestClient another(server->address().port);
    another.Send(kGet);
    EXPECT_THAT(another.Receive(), EndsWith("/a?b=c"));
  }
  EXPECT_EQ(clients.front()->ReceiveAll(), "");
}

TEST(HttpServer, ASlowAnswerHoldsUpNoOther) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  const auto server = Serve([released](const HttpRequestHead& head, const auto&) {
    if (head.target == "/slow") released.wait();
    return TextOf(head.target);
  });
  TestClient slow(server->address().port);
  slow.Send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  TestClient quick(server->address().port);
  quick.Send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(quick.Receive(), EndsWith("/quick"));
  release.set_value();
  EXPECT_THAT(slow.Receive(), EndsWith("/slow"));
}

// Runs until it is told to stop, and says so.
HttpServer::Answer UntilStopped(std::promise<void>& began, std::promise<void>& stopped) {
  return [&](const auto&, const std::function<bool()>& stop_asked) {
    began.set_value();
    while (!stop_asked()) std::this_thread::sleep_for(milliseconds(1));
    stopped.set_value();
    return TextOf("stopped");
  };
}

TEST(HttpServer, StopsTheAnswerForABrowserThatWentAway) {
  std::promise<void> began, stopped;
  const auto server = Serve(UntilStopped(began, stopped));
  {
    TestClient client(server->address().port);
    client.Send(kGet);
    began.get_future().wait();
  }
  EXPECT_EQ(stopped.get_future().wait_for(kLongest), std::future_status::ready);
}

TEST(HttpServer, StopsAnAnswerThatTakesTooLong) {
  std::promise<void> began, stopped;
  const auto server = Serve(UntilStopped(began, stopped), {.longest_answer = milliseconds(50)});
  TestClient client(server->address().port);
  client.Send(kGet);
  EXPECT_THAT(client.Receive(), EndsWith("stopped"));
}

TEST(HttpServer, EndsWhileAnAnswerIsMade) {
  std::promise<void> began, stopped;
  const auto server = Serve(UntilStopped(began, stopped));
  TestClient client(server->address().port);
  client.Send(kGet);
  began.get_future().wait();
  EXPECT_TRUE(server->StopWithin(kLongest));
  EXPECT_EQ(stopped.get_future().wait_for(milliseconds(0)), std::future_status::ready);
}

TEST(HttpServer, SaysWhichAnswerDoesNotStop) {
  std::promise<void> began, release;
  const auto server = Serve([&](const auto&, const auto&) {
    began.set_value();
    release.get_future().wait();
    return TextOf("late");
  });
  TestClient client(server->address().port);
  client.Send(kGet);
  began.get_future().wait();
  EXPECT_FALSE(server->StopWithin(milliseconds(10)));
  release.set_value();
}

TEST(HttpServer, TellsAnAddressThatIsTaken) {
  const auto server = ServeTargets();
  const auto again = HttpServer::Listen(server->address());
  EXPECT_TRUE(absl::IsUnavailable(again.status()));
  EXPECT_THAT(std::string(again.status().message()), HasSubstr(server->address().Text()));
}

}  // namespace
}  // namespace gordian
