// SPDX-License-Identifier: Apache-2.0
// Any fields of a request's head: the answer is one of few, and repeats nothing of it.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "live/metrics_server/metrics_answer.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// Method, target, host and accepted formats, a line each.
HttpRequestHead HeadOfLines(std::string_view lines) {
  HttpRequestHead head;
  for (std::string* const field :
       std::array{&head.method, &head.target, &head.host, &head.accept}) {
    const size_t end = lines.find('\n');
    *field = lines.substr(0, end);
    if (end == lines.npos) break;
    lines.remove_prefix(end + 1);
  }
  head.hosts = head.host.empty() ? 0 : 1;
  return head;
}

void CheckAnswer(const HttpRequestHead& head, const MetricsPage& page, bool is_loopback) {
  const HttpAnswer answer = AnswerWithMetrics(head, page, is_loopback, {});
  Require(answer.status >= 200 && answer.status < 600);
  Require(answer.body != nullptr && answer.body->size() < 64);
  Require(answer.content_type.starts_with("text/plain") ||
          answer.content_type.starts_with("application/openmetrics-text"));
  Require(answer.body != page.text || head.method == "GET" || head.method == "HEAD");
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const gordian::MetricsPage& page =
      *new gordian::MetricsPage{.open_metrics = std::make_shared<const std::string>("open"),
                                .text = std::make_shared<const std::string>("plain")};
  const gordian::HttpRequestHead head =
      gordian::HeadOfLines({reinterpret_cast<const char*>(data), size});
  gordian::CheckAnswer(head, page, true);
  gordian::CheckAnswer(head, page, false);
  return 0;
}
