// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/kernel_event_sorter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "import/csv_fields.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using testing::TempDir;

// Time and number of each.
using Order = std::vector<std::pair<uint64_t, uint64_t>>;

Order Sorted(const Order& events, size_t held_events) {
  const TempDir dir;
  KernelEventSorter sorter(dir.path(), held_events);
  for (const auto& [time_ns, number] : events)
    EXPECT_TRUE(sorter.Add({.time_ns = time_ns, .number = number}).ok());
  Order sorted;
  const auto take = [&](const KernelEvent& event) {
    sorted.emplace_back(event.time_ns, event.number);
    return absl::OkStatus();
  };
  EXPECT_TRUE(sorter.Drain(take).ok());
  EXPECT_THAT(dir.Entries(), ::testing::IsEmpty());
  return sorted;
}

TEST(KernelEventSorter, GivesEventsInOrderOfTimeAndEqualOnesInTheirOwn) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Order events;
    const size_t count = random() % 500;
    const uint64_t times = 1 + random() % 300;
    for (size_t i = 0; i < count; ++i) events.emplace_back(random() % times, i);
    Order expected = events;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    EXPECT_EQ(Sorted(events, 1 + random() % 40), expected);
  }
}

TEST(KernelEventSorter, EndsAtTheFirstError) {
  const TempDir dir;
  KernelEventSorter sorter(dir.path(), 2);
  for (const uint64_t time_ns : {5, 4, 3, 2, 1}) EXPECT_TRUE(sorter.Add({.time_ns = time_ns}).ok());
  std::vector<uint64_t> times;
  const auto take = [&](const KernelEvent& event) {
    times.push_back(event.time_ns);
    return event.time_ns == 3 ? absl::CancelledError("enough") : absl::OkStatus();
  };
  EXPECT_EQ(sorter.Drain(take), absl::CancelledError("enough"));
  EXPECT_THAT(times, ::testing::ElementsAre(1, 2, 3));
}

TEST(KernelEventSorter, TellsThatItsFileCannotBeMade) {
  KernelEventSorter sorter("/nowhere", 1);
  EXPECT_TRUE(sorter.Add({}).ok());
  EXPECT_TRUE(absl::IsNotFound(sorter.Add({})));
}

TEST(KernelNames, CutsLongNamesBetweenCharacters) {
  KernelNames names;
  // Each of them is told by a character of more bytes.
  for (const size_t size : {100, 200, 255, 300}) {
    const std::string_view name = names[names.Intern(std::string(size, '\xff'))];
    EXPECT_LE(name.size(), KernelNames::kMaxNameBytes);
    EXPECT_TRUE(IsUtf8(name));
  }
  const std::string umlauts = "a\u00e4\u00e4";
  EXPECT_EQ(names[names.Intern(umlauts)], umlauts);
}

}  // namespace
}  // namespace gordian
