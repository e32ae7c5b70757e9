// SPDX-License-Identifier: Apache-2.0
#include "jobs/report/job_thresholds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ErrorOf(std::string_view text) {
  JobOptions options;
  return std::string(SetJobThreshold(text, options).message());
}

TEST(JobThresholds, AreSetByNameAndToldWhenChanged) {
  JobOptions options;
  EXPECT_THAT(ChangedThresholds(options), IsEmpty());
  EXPECT_TRUE(SetJobThreshold("full-share=80%", options).ok());
  EXPECT_TRUE(SetJobThreshold("full-time=12.5", options).ok());
  EXPECT_TRUE(SetJobThreshold("compared-phases=5", options).ok());
  EXPECT_DOUBLE_EQ(options.bottlenecks.full_share, 0.8);
  EXPECT_EQ(options.bottlenecks.full_ns, 12'500'000u);
  EXPECT_EQ(options.issues.fewest_compared, 5u);
  ASSERT_EQ(ChangedThresholds(options).size(), 3u);
  EXPECT_EQ(ChangedThresholds(options)[0].threshold->name, "compared-phases");
  EXPECT_EQ(ChangedThresholds(options)[0].usual, 3);
}

TEST(JobThresholds, SuggestTheNearestNameAndTellTheRange) {
  EXPECT_THAT(ErrorOf("full-shar=1"), HasSubstr("did you mean 'full-share'"));
  EXPECT_THAT(ErrorOf("full-share=2"), HasSubstr("from 0.01 to 1"));
  EXPECT_THAT(ErrorOf("full-share"), HasSubstr("full-share=0.95"));
  EXPECT_THAT(ErrorOf("full-time=nan"), HasSubstr("a number from 0"));
  EXPECT_THAT(ErrorOf("full-time=5%"), HasSubstr("a number from 0"));
}

TEST(JobThresholds, EachSetsAValueOfItsOwnWithinItsRange) {
  std::set<std::string_view> names;
  for (const JobThreshold& threshold : JobThresholds()) {
    EXPECT_TRUE(names.insert(threshold.name).second);
    EXPECT_THAT(JobThresholdText(), HasSubstr(threshold.name));
    const double usual = threshold.get(JobOptions());
    EXPECT_GE(usual, threshold.least);
    EXPECT_LE(usual, threshold.most);
    for (const double value : {threshold.least, threshold.most}) {
      if (value == usual) continue;
      JobOptions options;
      threshold.set(options, value);
      EXPECT_EQ(threshold.get(options), value) << threshold.name;
      ASSERT_EQ(ChangedThresholds(options).size(), 1u) << threshold.name;
      EXPECT_EQ(ChangedThresholds(options)[0].threshold, &threshold);
    }
  }
}

}  // namespace
}  // namespace gordian
