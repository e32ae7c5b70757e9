// SPDX-License-Identifier: Apache-2.0
#include "live/metrics_server/http_answer.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "live/metrics/metrics_format.h"
#include "live/metrics_server/listen_address.h"

namespace gordian {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

struct Answer {
  http::status status = http::status::ok;
  std::string_view type = kPlainText;
  std::string_view body;
};

std::string TextOf(const Answer& answer, bool is_head_only) {
  const std::string reason(View(http::obsolete_reason(answer.status)));
  std::string text = absl::StrCat("HTTP/1.1 ", static_cast<unsigned>(answer.status), " ", reason,
                                  "\r\nContent-Type: ", std::string(answer.type),
                                  "\r\nContent-Length: ", answer.body.size(),
                                  "\r\nConnection: close\r\nCache-Control: no-store"
                                  "\r\nX-Content-Type-Options: nosniff\r\n");
  if (answer.status == http::status::method_not_allowed) text += "Allow: GET, HEAD\r\n";
  text += "\r\n";
  if (!is_head_only) text += answer.body;
  return text;
}

// Whether it is a number or localhost, with a port or none.
bool IsOwnHost(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == host.npos;
  const std::string_view name = has_port ? host.substr(0, colon) : host;
  if (absl::EqualsIgnoreCase(absl::string_view(name.data(), name.size()), "localhost")) return true;
  return ParseListenAddress(absl::StrCat(std::string(name), ":1")).ok();
}

Answer AnswerOf(const http::request<http::empty_body>& request, const MetricsPage& page,
                bool is_loopback, bool is_healthy) {
  if (is_loopback && request.count(http::field::host) > 0 &&
      !IsOwnHost(View(request[http::field::host])))
    return {.status = http::status::forbidden, .body = "ask by 127.0.0.1 or localhost\n"};
  if (request.method() != http::verb::get && request.method() != http::verb::head)
    return {.status = http::status::method_not_allowed, .body = "only GET and HEAD\n"};
  const std::string_view target = View(request.target());
  const std::string_view path = target.substr(0, target.find('?'));
  if (path == "/healthz" && is_healthy) return {.body = "ok\n"};
  if (path == "/healthz")
    return {.status = http::status::service_unavailable, .body = "no frames are being made\n"};
  if (path != "/metrics")
    return {.status = http::status::not_found, .body = "there are /metrics and /healthz\n"};
  const MetricsFormat format = AcceptedFormat(View(request[http::field::accept]));
  return {.type = ContentTypeOf(format),
          .body = format == MetricsFormat::kOpenMetrics ? page.open_metrics : page.text};
}

}  // namespace

std::string AnswerTo(std::string_view head, const MetricsPage& page, bool is_loopback,
                     std::chrono::steady_clock::time_point now) {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(kMaxRequestHeadBytes);
  parser.skip(true);  // a body is not read
  parser.eager(false);
  boost::beast::error_code error;
  parser.put(boost::asio::buffer(head.data(), head.size()), error);
  if (error || !parser.is_header_done())
    return TextOf({.status = http::status::bad_request, .body = "this is no HTTP request\n"},
                  false);
  const auto& request = parser.get();
  return TextOf(AnswerOf(request, page, is_loopback, now < page.healthy_until),
                request.method() == http::verb::head);
}

std::string AnswerToLongHead() {
  return TextOf({.status = http::status::request_header_fields_too_large,
                 .body = "the request's head is too long\n"},
                false);
}

}  // namespace gordian
