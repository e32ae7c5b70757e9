// SPDX-License-Identifier: Apache-2.0
// Records that come roughly in order of time, to be given out by windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gordian {

template <typename Record>
class TimedRecords {
 public:
  void Add(const Record& record) { records_.push_back(record); }
  void Add(std::span<const Record> records) {
    records_.insert(records_.end(), records.begin(), records.end());
  }

  // Those from before that time, in order of time; at equal times in the order in which they were
  // added. All of them must have been added. The end of time takes all.
  std::vector<Record> TakeUntil(uint64_t time_ns) {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Record& a, const Record& b) { return a.time_ns < b.time_ns; });
    const auto end = time_ns == std::numeric_limits<uint64_t>::max()
                         ? records_.end()
                         : std::lower_bound(records_.begin(), records_.end(), time_ns,
                                            [](const Record& record, uint64_t until_ns) {
                                              return record.time_ns < until_ns;
                                            });
    std::vector<Record> taken(records_.begin(), end);
    records_.erase(records_.begin(), end);
    return taken;
  }

 private:
  std::vector<Record> records_;
};

}  // namespace gordian
