// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/metrics_answer.h"

#include <string_view>
#include <utility>

#include "live/metrics/metrics_format.h"

namespace gordian {
namespace {

HttpAnswer Line(unsigned status, std::string line) {
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .body = std::make_shared<const std::string>(std::move(line))};
}

HttpAnswer ToPath(std::string_view path, std::string_view accept, const MetricsPage& page,
                  bool is_healthy) {
  if (path == "/healthz" && is_healthy) return Line(200, "ok\n");
  if (path == "/healthz") return Line(503, "no frames are being made\n");
  if (path != "/metrics") return Line(404, "there are /metrics and /healthz\n");
  const MetricsFormat format = AcceptedFormat(accept);
  return {.content_type = std::string(ContentTypeOf(format)),
          .body = format == MetricsFormat::kOpenMetrics ? page.open_metrics : page.text};
}

HttpAnswer ToHead(const HttpRequestHead& head, const MetricsPage& page, bool is_loopback,
                  bool is_healthy) {
  if (head.hosts > 1) return Line(400, "name one host\n");
  if (is_loopback && head.hosts > 0 && !IsOwnHost(head.host))
    return Line(403, "ask by 127.0.0.1 or localhost\n");
  if (head.method != "GET" && head.method != "HEAD") {
    HttpAnswer refused = Line(405, "only GET and HEAD\n");
    refused.fields.emplace_back("Allow", "GET, HEAD");
    return refused;
  }
  const std::string_view target = head.target;
  return ToPath(target.substr(0, target.find('?')), head.accept, page, is_healthy);
}

}  // namespace

HttpAnswer AnswerWithMetrics(const HttpRequestHead& head, const MetricsPage& page, bool is_loopback,
                             std::chrono::steady_clock::time_point now) {
  HttpAnswer answer = ToHead(head, page, is_loopback, now < page.healthy_until);
  answer.fields.emplace_back("Cache-Control", "no-store");
  answer.fields.emplace_back("X-Content-Type-Options", "nosniff");
  return answer;
}

}  // namespace gordian
