// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/time_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace gordian {
namespace {

using Pairs = std::vector<std::pair<uint64_t, uint32_t>>;

Pairs PairsOf(const std::vector<TimedIndex>& entries) {
  Pairs pairs;
  for (const TimedIndex& entry : entries) pairs.emplace_back(entry.time_ns, entry.index);
  return pairs;
}

// Numbered as they come.
std::vector<TimedIndex> At(const std::vector<uint64_t>& times_ns) {
  std::vector<TimedIndex> entries;
  for (const uint64_t time_ns : times_ns)
    entries.push_back({time_ns, static_cast<uint32_t>(entries.size())});
  return entries;
}

Pairs Sorted(std::vector<TimedIndex> entries) {
  std::vector<TimedIndex> scratch;
  SortByTime(entries, scratch);
  return PairsOf(entries);
}

TEST(TimeOrder, EqualTimesKeepTheirOrder) {
  EXPECT_EQ(Sorted(At({7, 3, 7, 3})), (Pairs{{3, 1}, {3, 3}, {7, 0}, {7, 2}}));
}

TEST(TimeOrder, OfNothingAndOfOneIsAsItWas) {
  EXPECT_EQ(Sorted({}), Pairs());
  EXPECT_EQ(Sorted(At({5})), (Pairs{{5, 0}}));
}

TEST(TimeOrder, ManyOfOneTimeStayAsTheyCame) {
  const std::vector<TimedIndex> entries = At(std::vector<uint64_t>(1000, 42));
  EXPECT_EQ(Sorted(entries), PairsOf(entries));
}

TEST(TimeOrder, HoldsFromTheFirstNanosecondToTheLast) {
  std::vector<uint64_t> times_ns(1000, 1);
  times_ns[3] = std::numeric_limits<uint64_t>::max();
  times_ns[999] = 0;
  const Pairs sorted = Sorted(At(times_ns));
  EXPECT_EQ(sorted.front(), (std::pair<uint64_t, uint32_t>{0, 999}));
  EXPECT_EQ(sorted.back(), (std::pair<uint64_t, uint32_t>{times_ns[3], 3}));
}

// Few and many entries are sorted in two ways, and the span of times decides how many passes one of
// them takes. All results must equal those of std::stable_sort.
RC_GTEST_PROP(TimeOrder, IsTheStandards, ()) {
  const auto count = *rc::gen::inRange<size_t>(0, 300);
  const auto span_bits = *rc::gen::inRange(0, 65);
  const uint64_t mask = span_bits == 64 ? ~uint64_t{0} : (uint64_t{1} << span_bits) - 1;
  const auto base_ns = *rc::gen::arbitrary<uint64_t>() & ~mask;
  std::vector<uint64_t> times_ns;
  for (const uint64_t random : *rc::gen::container<std::vector<uint64_t>>(
           count, rc::gen::inRange<uint64_t>(0, std::numeric_limits<uint64_t>::max())))
    times_ns.push_back(base_ns + (random & mask));
  const std::vector<TimedIndex> entries = At(times_ns);
  std::vector<TimedIndex> expected = entries;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const TimedIndex& a, const TimedIndex& b) { return a.time_ns < b.time_ns; });
  RC_ASSERT(Sorted(entries) == PairsOf(expected));
}

TEST(TimeOrder, ScratchMayBeUsedAgainWhateverItHeld) {
  std::vector<TimedIndex> scratch(7, TimedIndex{99, 99});
  std::vector<TimedIndex> many;
  for (uint32_t i = 0; i < 500; ++i) many.push_back({(i * 7919) % 500, i});
  SortByTime(many, scratch);
  std::vector<TimedIndex> few = At({2, 1});
  SortByTime(few, scratch);
  EXPECT_EQ(PairsOf(few), (Pairs{{1, 1}, {2, 0}}));
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end(),
                             [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; }));
}

}  // namespace
}  // namespace gordian
