// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace gordian {
namespace {

struct RunOfRecords {
  std::vector<ThreadRecord> records;
  std::vector<int32_t> tids;
};

// Each record is told apart by `other`.
std::vector<RunOfRecords> RandomRuns(std::mt19937& random) {
  const auto below = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
  std::vector<RunOfRecords> runs(below(12));
  const uint32_t step = 1 + below(20);
  uint32_t number = 0;
  uint64_t time_ns = 0;
  for (RunOfRecords& run : runs) {
    if (below(3) == 0) time_ns = below(100);  // else it follows the one before
    for (uint32_t count = below(40); count > 0; --count) {
      time_ns += below(3) == 0 ? 0 : below(step);
      const bool is_last = below(200) == 0;
      run.records.push_back({.time_ns = is_last ? ~uint64_t{0} : time_ns, .other = number++});
      run.tids.push_back(static_cast<int32_t>(1 + below(5)));
      if (is_last) break;
    }
  }
  return runs;
}

TEST(AWindow, HasEachThreadsRecordsInOrderOfTimeThenOfRuns) {
  std::mt19937 random(1);
  WindowSorter sorter;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<RunOfRecords> runs = RandomRuns(random);
    std::vector<RecordRun> spans;
    std::map<int32_t, std::vector<ThreadRecord>> expected;
    for (const RunOfRecords& run : runs) {
      spans.push_back({run.records, run.tids});
      for (size_t i = 0; i < run.records.size(); ++i)
        expected[run.tids[i]].push_back(run.records[i]);
    }
    for (auto& [tid, records] : expected) {
      std::stable_sort(records.begin(), records.end(),
                       [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
    }
    ColumnMemory memory;
    const Window window = sorter.Sort(spans, memory);
    ASSERT_EQ(window.slices.size(), expected.size());
    size_t records = 0;
    for (const ThreadSlice& slice : window.slices) {
      const std::vector<ThreadRecord>& its = expected.at(slice.tid);
      ASSERT_EQ(slice.count, its.size());
      records += its.size();
      for (size_t i = 0; i < its.size(); ++i) {
        const ThreadRecord record = RecordIn(window.slots[slice.first + i]);
        EXPECT_EQ(record.time_ns, its[i].time_ns);
        EXPECT_EQ(record.other, its[i].other);
      }
    }
    EXPECT_EQ(window.slots.size(), records);
  }
}

}  // namespace
}  // namespace gordian
