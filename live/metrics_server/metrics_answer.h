// SPDX-License-Identifier: Apache-2.0
// What a request for metrics is answered.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "http/http_server.h"

namespace gordian {

struct MetricsPage {
  std::shared_ptr<const std::string> open_metrics;
  std::shared_ptr<const std::string> text;  // the same in Prometheus' older format
  // Frames are being made, as far as is known until then.
  std::chrono::steady_clock::time_point healthy_until;
};

// With `is_loopback` only requests to this machine by number or as localhost are answered. A web
// page can let a browser on this machine ask its own host's name, made to point here; that is
// refused.
HttpAnswer AnswerWithMetrics(const HttpRequestHead& head, const MetricsPage& page, bool is_loopback,
                             std::chrono::steady_clock::time_point now);

}  // namespace gordian
