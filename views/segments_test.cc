// SPDX-License-Identifier: Apache-2.0
#include "views/segments.h"

#include <gtest/gtest.h>

#include <cstring>

#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

constexpr char kTwo[] =
    "end 100\n"
    "thread 1 A R\n"
    "thread 2 B S\n"
    "0 0 switch 0 1 R\n"
    "10 0 wake 2 by 1\n"
    "12 1 switch 0 2 R\n"
    "20 0 switch 1 0 S\n"
    "40 1 switch 2 0 S\n";

TEST(ViewSegmentsOfThreads, AreWholeAndInOrder) {
  const ScenarioTimeline scenario(kTwo);
  const auto segments =
      SegmentsOf(scenario.timeline(), {.threads = {scenario.Id("B")}, .from_ns = 11, .to_ns = 30});
  ASSERT_TRUE(segments.ok()) << segments.status();
  ASSERT_EQ(segments->segments.size(), 2u);
  EXPECT_EQ(segments->segments[0].start_ns, scenario.At(10));
  EXPECT_EQ(segments->segments[1].segment.kind, SegmentKind::kRun);
  EXPECT_EQ(segments->segments[1].end_ns, scenario.At(40));
  EXPECT_FALSE(segments->is_cut);
}

TEST(ViewSegmentsOfThreads, SayWhenThereAreMore) {
  const ScenarioTimeline scenario(kTwo);
  const auto segments = SegmentsOf(
      scenario.timeline(),
      {.threads = {scenario.Id("A"), scenario.Id("B")}, .from_ns = 0, .to_ns = 100, .limit = 3});
  ASSERT_TRUE(segments.ok());
  EXPECT_EQ(segments->segments.size(), 3u);
  EXPECT_TRUE(segments->is_cut);
  EXPECT_EQ(segments->first.size(), 3u);
}

TEST(ViewSegmentsOfThreads, AsBytesAreColumns) {
  const ScenarioTimeline scenario(kTwo);
  const auto segments =
      SegmentsOf(scenario.timeline(), {.threads = {scenario.Id("B")}, .from_ns = 0, .to_ns = 100});
  ASSERT_TRUE(segments.ok());
  const std::string bytes = SegmentBytes(*segments);
  const size_t count = segments->segments.size();
  EXPECT_EQ(bytes.size(), 16 + count * (8 + 8 + 4 + 2 + 3) + 4 * (1 + 2));
  double end_ns = 0;
  std::memcpy(&end_ns, bytes.data() + 16 + 8 * count, sizeof(end_ns));
  EXPECT_EQ(end_ns, 10);
}

TEST(ViewSegmentsOfThreads, RefuseWhatDoesNotExist) {
  const ScenarioTimeline scenario(kTwo);
  EXPECT_FALSE(SegmentsOf(scenario.timeline(), {.threads = {99}, .from_ns = 0, .to_ns = 9}).ok());
  EXPECT_FALSE(SegmentsOf(scenario.timeline(), {.threads = {0}, .from_ns = 9, .to_ns = 9}).ok());
  EXPECT_FALSE(SegmentsOf(scenario.timeline(), {.threads = {0}, .from_ns = 0, .to_ns = 101}).ok());
}

}  // namespace
}  // namespace gordian
