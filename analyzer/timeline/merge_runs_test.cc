// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/merge_runs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gordian {
namespace {

RC_GTEST_PROP(MergeRuns, IsAStableSort, ()) {
  std::vector<std::pair<int, size_t>> values;
  // Rows of any length, also of one value.
  const auto rows = *rc::gen::container<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 30)));
  for (std::vector<int> row : rows) {
    if (*rc::gen::arbitrary<bool>()) std::sort(row.begin(), row.end());
    for (const int value : row) values.emplace_back(value, values.size());
  }
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  auto sorted = values;
  std::stable_sort(sorted.begin(), sorted.end(), less);
  MergeRuns(std::span(values), less);
  RC_ASSERT(values == sorted);
}

}  // namespace
}  // namespace gordian
