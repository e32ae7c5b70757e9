// SPDX-License-Identifier: Apache-2.0
// Listings of a timeline itself, of the engine's scenario of Figure 1
// (analyzer/testdata/figure1.txt): twenty nanoseconds in which A waits for B, B for vda, and vda
// for B.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"
#include "report/edge_histories.h"
#include "report/timeline_listing.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PartsOfATimeline : public ::testing::Test {
 protected:
  // Nanoseconds after the start, as a range of the recording.
  TimeRange Range(uint64_t from_ns, uint64_t to_ns) const {
    return RangeOf(timeline_.start_ns(), timeline_.end_ns(), from_ns, to_ns);
  }
  EntityId Find(const std::string& name) const { return scenario_.Id(name); }

  const ScenarioTimeline scenario_{ReadScenario(GORDIAN_SCENARIOS "/figure1.txt")};
  const Timeline& timeline_ = scenario_.timeline();
};

std::vector<std::string> Segments(const pb::TimelineListing& listing) {
  std::vector<std::string> segments;
  for (const pb::TimelineThread& thread : listing.threads()) {
    for (const pb::TimelineSegment& segment : thread.segments()) {
      segments.push_back(
          absl::StrCat(segment.start_s() * 1e9, "-", segment.end_s() * 1e9, " ", segment.state(),
                       segment.waits_for().empty() ? "" : " ", segment.waits_for(),
                       segment.kernel_state().empty() ? "" : " ", segment.kernel_state()));
    }
  }
  return segments;
}

TEST_F(PartsOfATimeline, ListingHasTheSegmentsOfOneThread) {
  EXPECT_THAT(Segments(ListTimeline(timeline_, 2, Range(0, 20))),
              ElementsAre("0-5 run", "5-10 wait vda uninterruptible", "10-15 run",
                          "15-20 wait vda uninterruptible"));
}

TEST_F(PartsOfATimeline, ListingIsClippedToTheRange) {
  EXPECT_THAT(Segments(ListTimeline(timeline_, 2, Range(7, 12))),
              ElementsAre("7-10 wait vda uninterruptible", "10-12 run"));
  EXPECT_THAT(ListTimeline(timeline_, 99, Range(0, 20)).threads(), IsEmpty());
}

TEST_F(PartsOfATimeline, HistoriesTellWhenAndHowLongAnEdgeWaited) {
  const uint32_t a = Find("A"), b = Find("B"), vda = Find("vda");
  std::vector<uint32_t> vertex_of_entity;  // each its own vertex
  for (uint32_t id = 0; id < timeline_.entities().size(); ++id) vertex_of_entity.push_back(id);
  pb::PageData page;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, vda), std::pair(vda, b)}) {
    pb::ReportEdge* edge = page.mutable_report()->add_edges();
    edge->set_from(from);
    edge->set_to(to);
    edge->set_weight_s(1);
  }
  const Waits waits(timeline_, {});
  AddEdgeHistories(waits, vertex_of_entity, {.strip_bins = 4, .range = Range(0, 20)}, page);
  ASSERT_EQ(page.histories_size(), 3);
  EXPECT_EQ(page.strip_bins(), 4u);
  // A waits 2-10 and 12-20: 3 of the first 5, all of the next, …
  EXPECT_THAT(page.histories(0).bins(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(page.histories(0).waited(), ElementsAre(0.6f, 1.0f, 0.6f, 1.0f));
  EXPECT_THAT(page.histories(0).buckets(), ElementsAre(3));  // from 8 to 16 ns
  EXPECT_THAT(page.histories(0).bucket_counts(), ElementsAre(2));
  EXPECT_THAT(page.histories(1).bins(), ElementsAre(1, 3));
  EXPECT_THAT(page.histories(1).buckets(), ElementsAre(2));
  // The disk is idle while B computes.
  EXPECT_THAT(page.histories(2).bins(), ElementsAre(0, 2));
  EXPECT_THAT(page.histories(2).bucket_counts(), ElementsAre(2));
}

TEST_F(PartsOfATimeline, HistoriesOfThePageAreBounded) {
  pb::PageData page;
  for (uint32_t i = 0; i < 10; ++i) {
    pb::ReportEdge* edge = page.mutable_report()->add_edges();
    edge->set_from(Find("A"));
    edge->set_to(i);
    edge->set_weight_s(i);
  }
  pb::EdgeRef* attack = page.mutable_report()->add_findings()->mutable_edge();
  attack->set_from(Find("A"));
  attack->set_to(0);  // the lightest: but it is the finding's
  const std::vector<uint32_t> vertex_of_entity(timeline_.entities().size());
  AddEdgeHistories(Waits(timeline_, {}), vertex_of_entity, {.most_edges = 3, .range = Range(0, 20)},
                   page);
  ASSERT_EQ(page.histories_size(), 3);
  EXPECT_EQ(page.histories(0).to(), 0u);
  EXPECT_EQ(page.histories(2).to(), 9u);
}

}  // namespace
}  // namespace gordian
