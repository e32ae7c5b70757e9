// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/cpu_budget.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace gordian {

// The most modest first: what each of them leaves is shared by those behind.
std::vector<double> ShareOutCpu(double all, const std::vector<double>& asked) {
  std::vector<double> shares(asked.size());
  std::vector<size_t> order(asked.size());
  std::iota(order.begin(), order.end(), 0);
  const auto wish = [&](size_t session) { return asked[session] > 0 ? asked[session] : all; };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t one, size_t other) { return wish(one) < wish(other); });
  double left = all;
  for (size_t i = 0; i < order.size(); ++i) {
    const double part = left / static_cast<double>(order.size() - i);
    shares[order[i]] = std::min(part, wish(order[i]));
    left -= shares[order[i]];
  }
  return shares;
}

}  // namespace gordian
