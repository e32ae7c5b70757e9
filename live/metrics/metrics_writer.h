// SPDX-License-Identifier: Apache-2.0
// Writes families of metrics in either form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "live/metrics/metrics_format.h"

namespace gordian {

enum class MetricKind { kGauge, kCounter };

struct MetricFamily {
  MetricKind kind = MetricKind::kGauge;
  std::string_view name;  // without a counter's _total
  std::string_view unit;  // seconds, ratio, …: the end of the name; empty: none
  std::string_view help;
  std::vector<std::string_view> labels;
};

class MetricsWriter {
 public:
  explicit MetricsWriter(MetricsFormat format) : format_(format) {}

  // What follows are its samples. Each family is begun once.
  void Begin(const MetricFamily& family);
  // `labels`: as many as the family has; any bytes that are UTF-8. The same labels only once.
  void Sample(const std::vector<std::string>& labels, double value);
  // Both for a family of one sample.
  void One(const MetricFamily& family, double value);
  // The whole text, with its end.
  std::string Finish();

 private:
  MetricsFormat format_;
  MetricFamily family_;
  std::string text_;
};

}  // namespace gordian
