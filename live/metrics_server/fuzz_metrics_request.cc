// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request: the answer is a whole one, and repeats nothing of it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "live/metrics_server/http_answer.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckAnswer(std::string_view head, const MetricsPage& page, bool is_loopback) {
  const std::string answer = AnswerTo(head, page, is_loopback, {});
  Require(answer.starts_with("HTTP/1.1 "));
  const size_t end = answer.find("\r\n\r\n");
  Require(end != std::string::npos);
  const size_t body = answer.size() - end - 4;
  Require(body == 0 || answer.find("Content-Length: " + std::to_string(body) + "\r\n") < end);
  // One of few answers, whatever was asked.
  Require(answer.size() < 512);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > gordian::kMaxRequestHeadBytes) return 0;
  static const gordian::MetricsPage& page =
      *new gordian::MetricsPage{.open_metrics = "open", .text = "plain"};
  const std::string_view head(reinterpret_cast<const char*>(data), size);
  gordian::CheckAnswer(head, page, true);
  gordian::CheckAnswer(head, page, false);
  return 0;
}
