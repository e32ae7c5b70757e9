// SPDX-License-Identifier: Apache-2.0
// Samples to timeslices: the vectors, and samples as they are in practice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/attribution/attribution.h"
#include "jobs/attribution/test_jobs.h"

namespace gordian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

MATCHER_P(Nearly, margin, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= margin; }

uint64_t CountOf(const Attribution& attribution, std::string_view name) {
  for (const AttributionCount& count : attribution.counts) {
    if (count.name == name) return count.value;
  }
  return 0;
}

Attribution MustAttribute(const JobBuilder& builder, AttributionOptions options = {}) {
  absl::StatusOr<Attribution> attribution = Attribute(builder.Build(), options);
  EXPECT_TRUE(attribution.ok()) << attribution.status();
  return attribution.ok() ? *std::move(attribution) : Attribution{};
}

struct Vector {
  const char* name;
  double average;
  std::vector<SliceDemand> demands;
  std::vector<double> use;
};

class UpsamplingVectors : public ::testing::TestWithParam<Vector> {};

TEST_P(UpsamplingVectors, ComeOutAsThePaperSays) {
  JobBuilder builder = JobOfDemands(GetParam().demands);
  builder.Sample(0, 0, 10.0 * static_cast<double>(GetParam().demands.size()), GetParam().average);
  const Attribution attribution = MustAttribute(builder);
  EXPECT_THAT(attribution.resources[0].use, Pointwise(Nearly(kNear), GetParam().use));
  EXPECT_TRUE(attribution.counts.empty());
}

INSTANTIATE_TEST_SUITE_P(
    , UpsamplingVectors,
    ::testing::Values(
        Vector{"Figure2", 40, {{0, 1}, {50, 1}}, {15, 65}},
        Vector{"LessThanExact", 30, {{50, 0}, {100, 0}}, {20, 40}},
        Vector{"RestByWeight", 50, {{20, 1}, {20, 3}}, {35, 65}},
        Vector{"FullByWeight", 90, {{0, 1}, {0, 3}}, {80, 100}},
        Vector{"DemandAboveCapacity", 75, {{150, 0}, {50, 0}}, {100, 50}},
        Vector{"Both", 55, {{50, 1}, {0, 2}, {100, 0}, {25, 1}}, {61.25, 22.5, 100, 36.25}},
        Vector{"RestEvenly", 80, {{0, 0}, {0, 1}, {0, 1}, {0, 0}}, {60, 100, 100, 60}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Upsampling, ConstantIsTheSamplesAverage) {
  JobBuilder builder = JobOfDemands({{0, 1}, {50, 1}});
  builder.Sample(0, 0, 20, 40);
  AttributionOptions options;
  options.upsampling = Upsampling::kConstant;
  EXPECT_THAT(MustAttribute(builder, options).resources[0].use,
              ElementsAre(DoubleNear(40, kNear), DoubleNear(40, kNear)));
}

TEST(Upsampling, UseOverCapacityIsKeptCountedAndNobodys) {
  JobBuilder builder = JobOfDemands({{0, 1}, {50, 0}});
  builder.Sample(0, 0, 20, 120);
  const Attribution attribution = MustAttribute(builder);
  EXPECT_THAT(attribution.resources[0].use,
              ElementsAre(DoubleNear(120, kNear), DoubleNear(120, kNear)));
  EXPECT_EQ(CountOf(attribution, "use_samples_over_capacity"), 1U);
  EXPECT_NEAR(attribution.At(attribution.own_use, 1, 0), 1.0, kNear);  // 100 for 10 ms
  EXPECT_NEAR(attribution.At(attribution.own_use, 2, 0), 0.5, kNear);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0.2 + 0.7, kNear);
}

TEST(Upsampling, SamplesFinerThanTimeslicesAddUp) {
  JobBuilder builder = JobOfDemands({{0, 1}, {0, 1}});
  builder.Sample(0, 0, 4, 10);
  builder.Sample(0, 4, 10, 20);
  builder.Sample(0, 10, 20, 30);
  EXPECT_THAT(MustAttribute(builder).resources[0].use,
              ElementsAre(DoubleNear(16, kNear), DoubleNear(30, kNear)));
}

TEST(Upsampling, ATimesliceBetweenTwoSamplesTakesFromBoth) {
  JobBuilder builder = JobOfDemands({{0, 1}, {0, 1}, {0, 1}});
  builder.Sample(0, 0, 15, 10);
  builder.Sample(0, 15, 30, 20);
  EXPECT_THAT(MustAttribute(builder).resources[0].use,
              ElementsAre(DoubleNear(10, kNear), DoubleNear(15, kNear), DoubleNear(20, kNear)));
}

TEST(Upsampling, GapsAreNotUseAndAreCounted) {
  JobBuilder builder = JobOfDemands({{0, 1}, {0, 1}, {0, 1}, {0, 1}});
  builder.Sample(0, 0, 15, 10);
  builder.Sample(0, 30, 40, 20);
  const Attribution attribution = MustAttribute(builder);
  EXPECT_THAT(attribution.resources[0].use,
              ElementsAre(DoubleNear(10, kNear), DoubleNear(5, kNear), 0, DoubleNear(20, kNear)));
  EXPECT_THAT(attribution.resources[0].coverage, ElementsAre(1.0F, 0.5F, 0.0F, 1.0F));
  EXPECT_EQ(CountOf(attribution, "timeslices_without_use"), 1U);
}

TEST(Upsampling, ASampleThatReachesBeyondTheJobGoesToTheJobFirst) {
  JobBuilder builder = JobOfDemands({{0, 0}, {50, 0}});
  builder.Sample(0, 10, 30, 25);  // half of it after the end
  const Attribution attribution = MustAttribute(builder);
  EXPECT_THAT(attribution.resources[0].use, ElementsAre(0, DoubleNear(50, kNear)));
}

TEST(Upsampling, SamplesOutsideAndUnusableOnesAreCounted) {
  JobBuilder builder = JobOfDemands({{0, 1}});
  builder.Sample(0, 0, 10, 10);
  builder.Sample(0, 5, 15, 30);  // half of it twice
  builder.Sample(0, 15, 15, 30);
  builder.Sample(0, 20, 30, std::numeric_limits<double>::quiet_NaN());
  builder.Sample(0, 30, 40, -1);
  builder.Sample(0, 40, 50, 30);
  const Attribution attribution = MustAttribute(builder);
  EXPECT_THAT(attribution.resources[0].use, ElementsAre(DoubleNear(10, kNear)));
  EXPECT_EQ(CountOf(attribution, "use_samples_overlapping"), 1U);
  EXPECT_EQ(CountOf(attribution, "use_samples_unusable"), 3U);
  EXPECT_EQ(CountOf(attribution, "use_samples_outside_job"), 2U);
}

TEST(Upsampling, AnUnknownCapacityLimitsNothing) {
  JobBuilder builder;
  builder.Type("Job");
  builder.Consumable("r", 0);
  builder.Add(0, kNoId, 0, 20);
  builder.Sample(0, 0, 10, 7);
  builder.Sample(0, 10, 20, 3);
  const Attribution attribution = MustAttribute(builder);
  EXPECT_FALSE(attribution.resources[0].capacity_known);
  EXPECT_EQ(attribution.resources[0].capacity, 7);
  EXPECT_NEAR(attribution.resources[0].unattributed_use, 0, kNear);
  EXPECT_EQ(CountOf(attribution, "resources_without_capacity"), 1U);
}

}  // namespace
}  // namespace gordian
