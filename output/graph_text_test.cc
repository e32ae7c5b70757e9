// SPDX-License-Identifier: Apache-2.0
#include "output/graph_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/timeline_text.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

pb::EdgeListing OneEdge() {
  pb::EdgeListing listing;
  pb::ListedEdge& edge = *listing.add_edges();
  edge.set_from("worker");
  edge.set_to("vda");
  edge.set_weight_s(1.5);
  edge.set_own_s(0.5);
  edge.set_cascaded_s(1);
  edge.set_count(1234);
  edge.set_longest_s(0.004);
  return listing;
}

TEST(GraphText, AnEdgeIsARowOfNumbers) {
  const std::string text = EdgeText(OneEdge());
  EXPECT_THAT(text, HasSubstr("WEIGHT"));
  EXPECT_THAT(text, HasSubstr("worker"));
  EXPECT_THAT(text, HasSubstr("1.5 s"));
  EXPECT_THAT(text, HasSubstr("1,234"));
}

TEST(GraphText, ClocksAndReasonsHaveAColumnOnlyIfKnown) {
  pb::EdgeListing listing = OneEdge();
  EXPECT_THAT(EdgeText(listing), Not(HasSubstr("CLOCKS")));
  EXPECT_THAT(EdgeText(listing), Not(HasSubstr("FOR")));
  listing.mutable_edges(0)->set_clock_bound_s(0.000'1);
  listing.mutable_edges(0)->set_within_clock_bound(true);
  EXPECT_THAT(EdgeText(listing), HasSubstr("CLOCKS"));
  EXPECT_THAT(EdgeText(listing), HasSubstr("≤ bound 100 µs"));
}

TEST(GraphText, ADeviceHasNoTimesOfThreads) {
  pb::Report report;
  pb::ReportVertex& disk = *report.add_vertices();
  disk.set_name("vda");
  disk.set_kind("disk");
  disk.set_busy_s(2);
  disk.set_run_s(7);
  EXPECT_THAT(VertexText(report), HasSubstr("2 s"));
  EXPECT_THAT(VertexText(report), Not(HasSubstr("7 s")));
}

TEST(GraphText, AnEdgeWithoutStacksSaysSo) {
  pb::EdgeStackListing listing;
  pb::ListedEdge& edge = *listing.add_edges()->mutable_edge();
  edge.set_from("A");
  edge.set_to("B");
  edge.set_count(1);
  EXPECT_THAT(EdgeStackText(listing), HasSubstr("A waits for B"));
  EXPECT_THAT(EdgeStackText(listing), HasSubstr("in 1 wait\n"));
  EXPECT_THAT(EdgeStackText(listing), HasSubstr("No stack of these waits was taken."));
}

TEST(TimelineText, NamesWhoIsWaitedForAsCleanText) {
  pb::TimelineListing listing;
  pb::TimelineThread& thread = *listing.add_threads();
  thread.set_name("A");
  thread.set_tid(7);
  pb::TimelineSegment& wait = *thread.add_segments();
  wait.set_state("wait");
  wait.set_waits_for("B\x1b[31m");
  wait.set_waits_for_node("node1");
  wait.set_waits_for_tid(8);
  wait.set_open_end(true);
  wait.set_end_s(0.5);
  const std::string text = TimelineText(listing);
  EXPECT_THAT(text, HasSubstr("A/7 of"));
  EXPECT_THAT(text, HasSubstr("node1/B"));
  EXPECT_THAT(text, HasSubstr("/8"));
  EXPECT_THAT(text, HasSubstr("not ended with it"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace gordian
