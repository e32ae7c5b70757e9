// SPDX-License-Identifier: Apache-2.0
#include "report/recorder_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

pb::Report ReportOf(std::span<const NodeVersion> nodes) {
  pb::Report report;
  TellVersions(nodes, report);
  return report;
}

TEST(RecorderVersions, OfOneKindAreNotWorthALine) {
  const std::vector<NodeVersion> nodes = {{"n0", "1.0.0"}, {"n1", "1.0.0"}};
  EXPECT_EQ(MixedVersionsText(nodes), "");
  EXPECT_THAT(ReportOf(nodes).counters(), IsEmpty());
}

TEST(RecorderVersions, ThatDifferAreCountedAndNamed) {
  const pb::Report report =
      ReportOf(std::vector<NodeVersion>{{"n0", "1.0.0"}, {"n1", "0.9.1"}, {"n2", "1.0.0"}});
  ASSERT_EQ(report.counters_size(), 1);
  const pb::ReportCounter& counter = report.counters(0);
  EXPECT_EQ(counter.name(), "nodes_of_other_versions");
  EXPECT_EQ(counter.value(), 1U);
  EXPECT_EQ(counter.severity(), "data_loss");
  EXPECT_THAT(counter.advice(), HasSubstr("Install one version"));
  EXPECT_THAT(counter.examples(), ElementsAre("0.9.1 (n1), 1.0.0 (n0 and 1 more)"));
}

TEST(RecorderVersions, ThatAreNotKnownDifferFromNone) {
  EXPECT_THAT(ReportOf(std::vector<NodeVersion>{{"n0", "1.0.0"}, {"n1", ""}}).counters(),
              IsEmpty());
}

TEST(RecorderVersions, AreTextOfStrangers) {
  const pb::Report report =
      ReportOf(std::vector<NodeVersion>{{"n0", "1.0.0"}, {"n1\x1b[31m", "2\n\x1b[2J"}});
  EXPECT_THAT(report.counters(0).examples(0), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace gordian
