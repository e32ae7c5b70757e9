// SPDX-License-Identifier: Apache-2.0
// What a request for metrics is answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace gordian {

inline constexpr size_t kMaxRequestHeadBytes = 8192;

struct MetricsPage {
  std::string open_metrics;
  std::string text;  // the same in Prometheus' older format
  // Frames are being made, as far as is known until then.
  std::chrono::steady_clock::time_point healthy_until;
};

// The whole answer, head and body. `head`: any bytes; a request's head ends with an empty line.
//
// With `is_loopback` only requests to a number or to localhost are answered. A web page can let a
// browser on this machine ask its own host's name, made to point here; that is refused.
std::string AnswerTo(std::string_view head, const MetricsPage& page, bool is_loopback,
                     std::chrono::steady_clock::time_point now);

// For a head that is longer than kMaxRequestHeadBytes.
std::string AnswerToLongHead();

}  // namespace gordian
