// SPDX-License-Identifier: Apache-2.0
// Reads metrics as strictly as the two formats are described: for tests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "live/metrics/metrics_format.h"

namespace gordian {

struct Exposition {
  std::string fault;                         // the first thing that is wrong; empty: nothing
  std::map<std::string, std::string> types;  // by family, as its TYPE line has it
  std::map<std::string, std::string> units;
  // By the name and the sorted labels: name{a="1",b="2"}, with label values as they are meant.
  std::map<std::string, double> samples;

  // Those whose name is this.
  std::vector<std::string> Of(std::string_view name) const;
};

Exposition ReadExposition(const std::string& text, MetricsFormat format);

}  // namespace gordian
