// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/metrics_format.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gordian {
namespace {

// Whether a parameter of a media range is q=0, q=0.0, ….
bool IsRefusal(absl::string_view parameter) {
  parameter = absl::StripAsciiWhitespace(parameter);
  if (!absl::ConsumePrefix(&parameter, "q=") && !absl::ConsumePrefix(&parameter, "Q="))
    return false;
  double weight = 1;
  return absl::SimpleAtod(parameter, &weight) && weight <= 0;
}

}  // namespace

MetricsFormat AcceptedFormat(std::string_view accept) {
  const absl::string_view ranges(accept.data(), accept.size());
  for (const absl::string_view range : absl::StrSplit(ranges, ',')) {
    bool is_wanted = false;
    bool is_type = true;
    for (const absl::string_view part : absl::StrSplit(range, ';')) {
      if (is_type)
        is_wanted = absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(part),
                                           "application/openmetrics-text");
      else if (IsRefusal(part))
        is_wanted = false;
      is_type = false;
    }
    if (is_wanted) return MetricsFormat::kOpenMetrics;
  }
  return MetricsFormat::kText;
}

std::string_view ContentTypeOf(MetricsFormat format) {
  return format == MetricsFormat::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

}  // namespace gordian
