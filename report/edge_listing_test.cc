// SPDX-License-Identifier: Apache-2.0
#include "report/edge_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "report/test_reports.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Pairs(const absl::StatusOr<pb::EdgeListing>& listing) {
  std::vector<std::string> pairs;
  EXPECT_TRUE(listing.ok());
  if (!listing.ok()) return pairs;
  for (const pb::ListedEdge& edge : listing->edges())
    pairs.push_back(edge.from() + ">" + edge.to());
  return pairs;
}

TEST(EdgeListing, HeaviestComesFirstAndWhatIsHandedOnStandsApart) {
  const auto listing = ListEdges(TestReport("figure1"), {});
  EXPECT_THAT(Pairs(listing), ElementsAre("B>vda", "A>B", "vda>B"));
  const pb::ListedEdge& first = listing->edges(0);
  EXPECT_EQ(first.weight_s(), 10);
  EXPECT_EQ(first.own_s(), 5);
  EXPECT_EQ(first.cascaded_s(), 5);
  EXPECT_EQ(first.count(), 1000u);
  EXPECT_EQ(first.from_tid(), 4712);
  EXPECT_EQ(first.to_tid(), 0);
}

TEST(EdgeListing, EndsAreChosenByNameOrTid) {
  const pb::Report report = TestReport("lossy");
  EXPECT_THAT(Pairs(ListEdges(report, {.from = "postgres", .to = "nvme0n1"})),
              ElementsAre("postgres>nvme0n1"));
  EXPECT_THAT(Pairs(ListEdges(report, {.from = "902", .to = "nvme0n1"})),
              ElementsAre("postgres>nvme0n1"));
  EXPECT_THAT(Pairs(ListEdges(report, {.from = "kworker/55"})),
              ElementsAre("kworker/55>kworker/56"));
  EXPECT_THAT(Pairs(ListEdges(report, {.from = "kworker"})),
              ElementsAre("kworker/55>kworker/56", "kworker/56>kworker/55"));
  EXPECT_THAT(Pairs(ListEdges(report, {.from = "walwriter"})), ElementsAre());
}

TEST(EdgeListing, UnknownNamesAreTold) {
  const auto listing = ListEdges(TestReport("figure1"), {.to = "nobody\n"});
  ASSERT_FALSE(listing.ok());
  EXPECT_THAT(std::string(listing.status().message()),
              HasSubstr("no thread, group or device is called nobody\uFFFD"));
}

}  // namespace
}  // namespace gordian
