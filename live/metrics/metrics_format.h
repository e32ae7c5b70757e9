// SPDX-License-Identifier: Apache-2.0
// The two forms of text that Prometheus and its kin read.
#pragma once

#include <string_view>

namespace gordian {

enum class MetricsFormat {
  kOpenMetrics,  // OpenMetrics 1.0.0
  kText,         // Prometheus' text format 0.0.4, for readers that do not ask for the other
};

// For an HTTP request's Accept header (empty: it has none): OpenMetrics if the reader names it and
// does not refuse it (q=0).
MetricsFormat AcceptedFormat(std::string_view accept);

// For an answer's Content-Type header.
std::string_view ContentTypeOf(MetricsFormat format);

}  // namespace gordian
