// SPDX-License-Identifier: Apache-2.0
#include "requests/open_requests.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gordian {
namespace {

constexpr double kShareOfOpenTime = 0.98;

}  // namespace

OpenAtOnce OpenAtOnceOf(std::span<const Request* const> requests) {
  std::vector<std::pair<uint64_t, int>> changes;
  changes.reserve(2 * requests.size());
  for (const Request* request : requests) {
    changes.emplace_back(request->start_ns, 1);
    changes.emplace_back(request->answer_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  std::map<int64_t, uint64_t> time_of_count;
  uint64_t open_ns = 0;
  int64_t open = 0;
  for (size_t i = 0; i + 1 < changes.size(); ++i) {
    open += changes[i].second;
    if (open <= 0) continue;
    const uint64_t lasts_ns = changes[i + 1].first - changes[i].first;
    time_of_count[open] += lasts_ns;
    open_ns += lasts_ns;
  }
  uint64_t below_ns = 0;
  for (const auto& [count, time_ns] : time_of_count) {
    if (static_cast<double>(below_ns + time_ns) >= kShareOfOpenTime * static_cast<double>(open_ns))
      return {.most = static_cast<uint64_t>(count), .as_many_ns = open_ns - below_ns};
    below_ns += time_ns;
  }
  return {};
}

}  // namespace gordian
