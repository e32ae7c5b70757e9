// SPDX-License-Identifier: Apache-2.0
#include "live/metrics/metrics_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// The shortest that reads back as the same number.
std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), written.ptr};
}

void AppendLabelValue(std::string& text, std::string_view value) {
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
}

}  // namespace

void MetricsWriter::Begin(const MetricFamily& family) {
  family_ = family;
  const bool is_counter = family.kind == MetricKind::kCounter;
  std::string name(family.name);
  // The older form knows a counter by its sample's name alone.
  if (is_counter && format_ == MetricsFormat::kText) name += "_total";
  absl::StrAppend(&text_, "# HELP ", name, " ", std::string(family.help), "\n");
  absl::StrAppend(&text_, "# TYPE ", name, is_counter ? " counter\n" : " gauge\n");
  if (!family.unit.empty() && format_ == MetricsFormat::kOpenMetrics)
    absl::StrAppend(&text_, "# UNIT ", name, " ", std::string(family.unit), "\n");
}

void MetricsWriter::Sample(const std::vector<std::string>& labels, double value) {
  text_ += family_.name;
  if (family_.kind == MetricKind::kCounter) text_ += "_total";
  for (size_t i = 0; i < family_.labels.size(); ++i) {
    text_ += i == 0 ? '{' : ',';
    text_ += family_.labels[i];
    text_ += "=\"";
    AppendLabelValue(text_, labels[i]);
    text_ += '"';
  }
  if (!family_.labels.empty()) text_ += '}';
  absl::StrAppend(&text_, " ", NumberText(value), "\n");
}

void MetricsWriter::One(const MetricFamily& family, double value) {
  Begin(family);
  Sample({}, value);
}

std::string MetricsWriter::Finish() {
  if (format_ == MetricsFormat::kOpenMetrics) text_ += "# EOF\n";
  return std::exchange(text_, {});
}

}  // namespace gordian
