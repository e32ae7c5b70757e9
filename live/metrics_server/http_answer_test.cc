// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/http_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "live/metrics_server/listen_address.h"

namespace gordian {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr Clock::time_point kNow{1h};
const MetricsPage kPage = {.open_metrics = "open", .text = "plain", .healthy_until = kNow + 1s};

std::string AnswerNow(const std::string& head, bool is_loopback = true,
                      Clock::time_point now = kNow) {
  return AnswerTo(head, kPage, is_loopback, now);
}

std::string Get(const std::string& path, const std::string& fields = "") {
  return AnswerNow("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:9464\r\n" + fields + "\r\n");
}

TEST(HttpAnswer, MetricsAreGivenInTheFormatThatTheReaderNames) {
  EXPECT_THAT(Get("/metrics"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Get("/metrics"), EndsWith("\r\n\r\nplain"));
  EXPECT_THAT(Get("/metrics"), HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(Get("/metrics"), HasSubstr("Content-Type: text/plain; version=0.0.4"));
  const std::string open = Get("/metrics?x=1", "Accept: application/openmetrics-text\r\n");
  EXPECT_THAT(open, EndsWith("\r\n\r\nopen"));
  EXPECT_THAT(open, HasSubstr("Content-Type: application/openmetrics-text; version=1.0.0"));
}

TEST(HttpAnswer, HealthIsThatFramesAreMade) {
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(AnswerNow("GET /healthz HTTP/1.0\r\n\r\n", true, kNow + 1s),
              StartsWith("HTTP/1.1 503 "));
}

TEST(HttpAnswer, AHeadIsAnsweredWithoutItsBody) {
  const std::string answer = AnswerNow("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", true);
  EXPECT_THAT(answer, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST(HttpAnswer, OtherMethodsAndPathsAreRefused) {
  EXPECT_THAT(AnswerNow("POST /metrics HTTP/1.1\r\nContent-Length: 9\r\n\r\n", true),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Get("/"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(Get("/metrics/../etc/passwd"), StartsWith("HTTP/1.1 404 "));
}

TEST(HttpAnswer, WhatIsNoRequestIsRefused) {
  for (const std::string head :
       {"", "\r\n\r\n", "GET", "GET /metrics\r\n\r\n", "GET /metrics HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02", "GET /metrics HTTP/1.1\r\nno field\r\n\r\n",
        "GET /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n"})
    EXPECT_THAT(AnswerNow(head, true), StartsWith("HTTP/1.1 400 ")) << head;
}

TEST(HttpAnswer, AWebPagesHostNameOnLoopbackIsRefused) {
  const auto ask = [](const std::string& host, bool is_loopback) {
    return AnswerNow("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n", is_loopback);
  };
  for (const std::string own : {"localhost", "LOCALHOST:1", "127.0.0.1", "[::1]", "[::1]:80"})
    EXPECT_THAT(ask(own, true), StartsWith("HTTP/1.1 200 ")) << own;
  for (const std::string other : {"evil.example", "evil.example:9464", "localhost.evil.example",
                                  "127.0.0.1.evil.example", "", "]:[", ":"})
    EXPECT_THAT(ask(other, true), StartsWith("HTTP/1.1 403 ")) << other;
  EXPECT_THAT(ask("web1.example:9464", false), StartsWith("HTTP/1.1 200 "));
}

TEST(HttpAnswer, NothingOfTheRequestIsRepeated) {
  EXPECT_THAT(Get("/<script>", "X: <script>\r\n"), Not(HasSubstr("<script>")));
}

TEST(ListenAddress, APortAloneIsOnLoopback) {
  EXPECT_EQ(ParseListenAddress("9464")->Text(), "127.0.0.1:9464");
  EXPECT_EQ(ParseListenAddress("localhost:0")->Text(), "127.0.0.1:0");
  EXPECT_EQ(ParseListenAddress("[::1]:9464")->Text(), "[::1]:9464");
  EXPECT_TRUE(ParseListenAddress("[::1]:9464")->is_loopback());
  EXPECT_TRUE(ParseListenAddress("127.8.9.1:9464")->is_loopback());
  EXPECT_FALSE(ParseListenAddress("0.0.0.0:9464")->is_loopback());
  EXPECT_FALSE(ParseListenAddress("[::]:9464")->is_loopback());
}

TEST(ListenAddress, WhatIsNoneIsRefused) {
  for (const std::string text : {"", ":", ":9464", "9464:", "65536", "-1", "+1", " 1", "web1:9464",
                                 "::1:9464", "[127.0.0.1]:1", "[::1]", "1.2.3:4", "127.0.0.1:1x"})
    EXPECT_FALSE(ParseListenAddress(text).ok()) << text;
}

}  // namespace
}  // namespace gordian
