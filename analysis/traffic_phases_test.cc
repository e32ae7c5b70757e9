// SPDX-License-Identifier: Apache-2.0
#include "analysis/traffic_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;

TEST(ParseInterval, SecondsOrWithAUnit) {
  EXPECT_EQ(**ParseInterval("10"), 10'000'000'000u);
  EXPECT_EQ(**ParseInterval("0.5"), 500'000'000u);
  EXPECT_EQ(**ParseInterval("250ms"), 250'000'000u);
  EXPECT_EQ(**ParseInterval("2min"), 120'000'000'000u);
  EXPECT_EQ(**ParseInterval("1m30s"), 90'000'000'000u);
}

TEST(ParseInterval, WhatIsNoLengthIsAPhase) {
  for (const char* name : {"Superstep", "10x", "s", "1.2.3", "", "/Job/1"})
    EXPECT_FALSE(ParseInterval(name)->has_value()) << name;
}

TEST(ParseInterval, NoLengthAtAllIsAMistake) {
  for (const char* text : {"0", "0.0000000001", "99999999999999999999h"})
    EXPECT_FALSE(ParseInterval(text).ok()) << text;
}

Job TwoSupersteps() {
  Job job;
  job.model.types = {
      {.name = "Job"}, {.name = "Superstep", .parent = 0}, {.name = "Compute", .parent = 1}};
  job.phases = {{.type = 0, .end_ns = 100},
                {.type = 1, .parent = 0, .key = "1", .start_ns = 10, .end_ns = 20},
                {.type = 1, .parent = 0, .key = "2", .start_ns = 20, .end_ns = 30, .pid = 7}};
  return job;
}

TEST(PhasesNamed, ByTheLastPartOfTheirTypeOrItsPath) {
  for (const char* name : {"Superstep", "/Job/Superstep"}) {
    const auto phases = PhasesNamed(TwoSupersteps(), name, 3);
    ASSERT_TRUE(phases.ok()) << phases.status();
    ASSERT_EQ(phases->size(), 2u);
    EXPECT_EQ((*phases)[0].label, "/Job/Superstep[1]");
    EXPECT_EQ((*phases)[1].start_ns, 20u);
    EXPECT_EQ((*phases)[1].pid, 7);
    EXPECT_EQ((*phases)[1].node, 3u);
  }
}

TEST(PhasesNamed, AnUnknownOneIsToldThoseThereAre) {
  EXPECT_THAT(std::string(PhasesNamed(TwoSupersteps(), "Step", 0).status().message()),
              HasSubstr("'Step'; there are Superstep, Compute"));
}

}  // namespace
}  // namespace gordian
