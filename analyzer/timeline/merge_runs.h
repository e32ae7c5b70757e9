// SPDX-License-Identifier: Apache-2.0
// Puts records in order that come in a few rows of which each is in order: those of a CPU's blocks
// behind each other, then those of the next CPU's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gordian {

// As std::stable_sort, but in time proportional to the values and the logarithm of the number of
// rows. How it works: it finds where each row ends, then merges neighbours until one row is left.
template <typename Value, typename Less>
void MergeRuns(std::span<Value> values, Less less) {
  std::vector<size_t> ends;
  for (size_t i = 1; i < values.size(); ++i)
    if (less(values[i], values[i - 1])) ends.push_back(i);
  if (ends.empty()) return;
  ends.push_back(values.size());
  while (ends.size() > 1) {
    size_t begin = 0;
    size_t merged = 0;
    for (size_t i = 0; i < ends.size(); i += 2) {
      const size_t end = i + 1 < ends.size() ? ends[i + 1] : ends[i];
      if (i + 1 < ends.size())
        std::inplace_merge(values.begin() + static_cast<ptrdiff_t>(begin),
                           values.begin() + static_cast<ptrdiff_t>(ends[i]),
                           values.begin() + static_cast<ptrdiff_t>(end), less);
      ends[merged++] = end;
      begin = end;
    }
    ends.resize(merged);
  }
}

}  // namespace gordian
