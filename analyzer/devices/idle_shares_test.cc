// SPDX-License-Identifier: Apache-2.0
#include "analyzer/devices/idle_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numeric>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr EntityId kDevice = 100;

std::vector<uint64_t> SharesOf(uint64_t idle_ns, const std::map<EntityId, Work>& work_of) {
  std::vector<uint64_t> shares_ns;
  for (const Edge& edge : ShareIdleTime(kDevice, idle_ns, work_of)) {
    EXPECT_EQ(edge.from, kDevice);
    EXPECT_EQ(edge.weight_ns, edge.own_ns) << "idle times are not handed on";
    shares_ns.push_back(edge.own_ns);
  }
  return shares_ns;
}

TEST(IdleShares, GoByWhatEachGave) {
  EXPECT_THAT(SharesOf(100, {{1, {.given = 3000}}, {2, {.given = 1000}}}), ElementsAre(75, 25));
  EXPECT_THAT(SharesOf(100, {{7, {.given = 1}}}), ElementsAre(100));
}

TEST(IdleShares, GiveWhatRoundingLeavesToTheFirst) {
  EXPECT_THAT(SharesOf(100, {{1, {.given = 1}}, {2, {.given = 1}}, {3, {.given = 1}}}),
              ElementsAre(34, 33, 33));
  EXPECT_THAT(SharesOf(2, {{1, {.given = 1}}, {2, {.given = 1}}, {3, {.given = 1}}}),
              ElementsAre(1, 1, 0));
}

TEST(IdleShares, OfADeviceThatGotNoWorkOrWasNeverIdleAreNone) {
  EXPECT_THAT(ShareIdleTime(kDevice, 100, {}), IsEmpty());
  EXPECT_THAT(ShareIdleTime(kDevice, 100, {{1, {.given = 0, .count = 3}}}), IsEmpty());
  EXPECT_THAT(ShareIdleTime(kDevice, 0, {{1, {.given = 1}}}), IsEmpty());
}

TEST(IdleShares, TellWhomHowOftenAndHowLongAtMost) {
  const std::vector<Edge> edges = ShareIdleTime(kDevice, 100,
                                                {{1, {.given = 1, .count = 4, .longest_ns = 20}},
                                                 {2, {.given = 1, .count = 1, .longest_ns = 90}}});
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(edges[0].to, 1u);
  EXPECT_EQ(edges[0].count, 4u);
  EXPECT_EQ(edges[0].longest_ns, 20u);
  EXPECT_EQ(edges[1].longest_ns, 50u) << "no longer than the whole share";
}

TEST(IdleShares, BearAnyNumber) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(SharesOf(kMost, {{1, {.given = kMost}}, {2, {.given = kMost}}}),
              ElementsAre(kMost / 2 + 1, kMost / 2));
}

RC_GTEST_PROP(IdleShares, AddUpToTheIdleTimeAndFollowWhatWasGiven, ()) {
  const auto idle_ns = *rc::gen::inRange<uint64_t>(1, 1'000'000'000'000);
  const auto bytes = *rc::gen::nonEmpty(rc::gen::container<std::map<EntityId, uint64_t>>(
      rc::gen::arbitrary<EntityId>(), rc::gen::inRange<uint64_t>(1, uint64_t{1} << 40)));
  std::map<EntityId, Work> work_of;
  double total = 0;
  for (const auto& [thread, count] : bytes) {
    work_of[thread].given = count;
    total += static_cast<double>(count);
  }
  const std::vector<Edge> edges = ShareIdleTime(kDevice, idle_ns, work_of);
  uint64_t sum_ns = 0;
  for (const Edge& edge : edges) {
    sum_ns += edge.own_ns;
    const double exact_ns =
        static_cast<double>(idle_ns) * static_cast<double>(bytes.at(edge.to)) / total;
    RC_ASSERT(std::abs(static_cast<double>(edge.own_ns) - exact_ns) < 1.5);
  }
  RC_ASSERT(sum_ns == idle_ns);
  RC_ASSERT(edges.size() == bytes.size());
}

}  // namespace
}  // namespace gordian
