// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/metrics_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr Clock::time_point kNow{1h};

HttpAnswer AnswerNow(HttpRequestHead head, bool is_loopback = true, Clock::time_point now = kNow) {
  if (head.method.empty()) head.method = "GET";
  const MetricsPage page = {.open_metrics = std::make_shared<const std::string>("open"),
                            .text = std::make_shared<const std::string>("plain"),
                            .healthy_until = kNow + 1s};
  return AnswerWithMetrics(head, page, is_loopback, now);
}

TEST(MetricsAnswer, IsInTheFormatThatTheReaderNames) {
  const HttpAnswer plain = AnswerNow({.target = "/metrics"});
  EXPECT_EQ(plain.status, 200u);
  EXPECT_EQ(*plain.body, "plain");
  EXPECT_THAT(plain.content_type, StartsWith("text/plain; version=0.0.4"));
  const HttpAnswer open =
      AnswerNow({.target = "/metrics?x=1", .accept = "application/openmetrics-text"});
  EXPECT_EQ(*open.body, "open");
  EXPECT_THAT(open.content_type, StartsWith("application/openmetrics-text; version=1.0.0"));
}

TEST(MetricsAnswer, IsKeptByNobody) {
  EXPECT_THAT(AnswerNow({.target = "/metrics"}).fields,
              Contains(std::pair<std::string, std::string>("Cache-Control", "no-store")));
}

TEST(MetricsAnswer, SaysThatItIsHealthyWhileFramesAreMade) {
  EXPECT_EQ(AnswerNow({.target = "/healthz"}).status, 200u);
  EXPECT_EQ(AnswerNow({.target = "/healthz"}, true, kNow + 1s).status, 503u);
}

TEST(MetricsAnswer, RefusesOtherMethodsAndPaths) {
  const HttpAnswer post = AnswerNow({.method = "POST", .target = "/metrics"});
  EXPECT_EQ(post.status, 405u);
  EXPECT_THAT(post.fields, Contains(std::pair<std::string, std::string>("Allow", "GET, HEAD")));
  EXPECT_EQ(AnswerNow({.target = "/"}).status, 404u);
  EXPECT_EQ(AnswerNow({.target = "/metrics/../etc/passwd"}).status, 404u);
}

TEST(MetricsAnswer, RefusesAWebPagesHostNameOnLoopback) {
  const auto ask = [](const std::string& host, bool is_loopback) {
    return AnswerNow({.target = "/metrics", .host = host, .hosts = 1}, is_loopback).status;
  };
  EXPECT_EQ(ask("[::1]:80", true), 200u);
  for (const std::string other : {"evil.example", "evil.example:9464", ""})
    EXPECT_EQ(ask(other, true), 403u) << other;
  EXPECT_EQ(ask("web1.example:9464", false), 200u);
  EXPECT_EQ(AnswerNow({.target = "/metrics", .host = "localhost", .hosts = 2}).status, 400u);
}

TEST(MetricsAnswer, NothingOfTheRequestIsRepeated) {
  const HttpAnswer answer = AnswerNow({.target = "/<script>", .accept = "<script>"});
  EXPECT_THAT(*answer.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(answer.content_type, Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace gordian
