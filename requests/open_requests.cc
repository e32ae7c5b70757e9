// SPDX-License-Identifier: Apache-2.0
#include "requests/open_requests.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gordian {
namespace {

constexpr double kShareOfOpenTime = 0.98;

// In order.
std::vector<std::pair<uint64_t, int>> BeginsAndEnds(std::span<const Request* const> requests) {
  std::vector<std::pair<uint64_t, int>> changes;
  changes.reserve(2 * requests.size());
  for (const Request* request : requests) {
    changes.emplace_back(request->start_ns, 1);
    changes.emplace_back(request->answer_ns, -1);
  }
  std::sort(changes.begin(), changes.end());
  return changes;
}

}  // namespace

OpenAtOnce OpenAtOnceOf(std::span<const Request* const> requests) {
  const std::vector<std::pair<uint64_t, int>> changes = BeginsAndEnds(requests);
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

std::vector<OpenStretch> WhenAsManyWereOpen(std::span<const Request* const> requests,
                                            uint64_t as_many) {
  std::vector<OpenStretch> stretches;
  if (as_many == 0) return stretches;
  const auto least = static_cast<int64_t>(as_many);
  int64_t open = 0;
  for (const auto& [time_ns, change] : BeginsAndEnds(requests)) {
    const bool were_as_many = open >= least;
    open += change;
    const bool are_as_many = open >= least;
    if (are_as_many == were_as_many) continue;
    if (were_as_many) {
      stretches.back().to_ns = time_ns;
    } else if (!stretches.empty() && stretches.back().to_ns == time_ns) {
      continue;  // one ended as another began
    } else {
      stretches.push_back({time_ns, time_ns});
    }
  }
  return stretches;
}

uint64_t TimeWithin(std::span<const OpenStretch> stretches, uint64_t from_ns, uint64_t to_ns) {
  auto next =
      std::partition_point(stretches.begin(), stretches.end(),
                           [&](const OpenStretch& stretch) { return stretch.to_ns <= from_ns; });
  uint64_t within_ns = 0;
  for (; next != stretches.end() && next->from_ns < to_ns; ++next)
    within_ns += std::min(to_ns, next->to_ns) - std::max(from_ns, next->from_ns);
  return within_ns;
}

}  // namespace gordian
