// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/stacks/test_trace.h"
#include "analyzer/testing/scenario_timeline.h"
#include "causes/causes.h"
#include "causes/slice_rows.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// C wakes B, which wakes A. B goes to sleep behind that, and is woken again by A.
constexpr char kWakesInARow[] = R"(
end 60
thread 1 A R
thread 2 B R
thread 3 C R
0 0 switch 0 1
0 1 switch 0 2
0 2 switch 0 3
10 0 switch 1 0 S
10 1 switch 2 0 S
20 2 wake 2 by 3
20 1 switch 0 2
30 1 wake 1 by 2
30 0 switch 0 1
35 1 switch 2 0 S
40 0 wake 2 by 1
40 1 switch 0 2
)";

// "A 30-40", in order of threads and time.
std::vector<std::string> ToldSlice(const std::string& scenario, const std::string& thread,
                                   SliceRequest request) {
  const ScenarioTimeline recorded(scenario);
  request.thread = recorded.Id(thread);
  request.at_ns = ScenarioTimeline::At(request.at_ns);
  const ExecutionGraph graph(recorded.timeline());
  std::vector<std::string> told;
  for (const SliceStretch& stretch : SliceOf(graph, request).stretches)
    told.push_back(absl::StrCat(recorded.timeline().entities()[stretch.thread].name, " ",
                                stretch.from_ns - ScenarioTimeline::At(0), "-",
                                stretch.to_ns - ScenarioTimeline::At(0)));
  return told;
}

TEST(SliceOfWakes, BackInBurstsLeadsFromWakeToWake) {
  EXPECT_THAT(ToldSlice(kWakesInARow, "A", {.at_ns = 35, .scope = CausalScope::kBurst}),
              ElementsAre("A 30-35", "B 20-30", "C 0-20"));
}

TEST(SliceOfWakes, BackInThreadsGoesOverWaits) {
  EXPECT_THAT(ToldSlice(kWakesInARow, "A", {.at_ns = 35, .scope = CausalScope::kThread}),
              ElementsAre("A 0-35", "B 0-30", "C 0-20"));
}

TEST(SliceOfWakes, ForwardInBurstsEndsWithTheNextWait) {
  EXPECT_THAT(
      ToldSlice(kWakesInARow, "C", {.at_ns = 5, .forward = true, .scope = CausalScope::kBurst}),
      ElementsAre("C 5-60", "B 20-35", "A 30-60", "B 40-60"));
}

TEST(SliceOfWakes, GoesNoFurtherThanItsHops) {
  EXPECT_THAT(
      ToldSlice(kWakesInARow, "A", {.at_ns = 35, .scope = CausalScope::kBurst, .max_hops = 1}),
      ElementsAre("A 30-35", "B 20-30"));
}

TEST(SliceOfWakes, FollowsOnlyTheKindsThatAreAskedFor) {
  EXPECT_THAT(
      ToldSlice(
          kWakesInARow, "A",
          {.at_ns = 35, .scope = CausalScope::kBurst, .edge_kinds = BitOf(CauseEdge::kMessage)}),
      ElementsAre("A 30-35"));
}

TEST(SliceOfWakes, OfAThreadThatDoesNotLiveThenIsEmpty) {
  EXPECT_THAT(ToldSlice(kWakesInARow, "A", {.at_ns = 70}), IsEmpty());
}

// B asks the disk, A waits for it.
TEST(SliceOfDisks, LeadsToWhoAskedTheDisk) {
  EXPECT_THAT(ToldSlice("end 40\nthread 1 A R\nthread 2 B R\ndisk 8 vda\n0 0 switch 0 1\n"
                        "0 1 switch 0 2\n5 1 issue 2 8 4096 5\n10 0 switch 1 0 D\n"
                        "20 2 complete 8 5 15\n20 2 wake 1 by disk 8\n20 0 switch 0 1\n",
                        "A", {.at_ns = 30, .scope = CausalScope::kBurst}),
              ElementsAre("A 20-30", "B 0-5"));
}

TEST(SliceOfBirths, LeadsToTheCreator) {
  EXPECT_THAT(ToldSlice("end 40\nthread 1 A R\n0 0 switch 0 1\n10 0 new 2 B of 1 in 1\n"
                        "15 1 switch 0 2\n",
                        "B", {.at_ns = 30, .scope = CausalScope::kBurst}),
              ElementsAre("B 10-30", "A 0-10"));
}

std::vector<std::string> ToldTree(const std::vector<pb::SliceNode>& tree) {
  std::vector<std::string> told;
  told.reserve(tree.size());
  for (const pb::SliceNode& node : tree)
    told.push_back(absl::StrCat(node.parent(), " ", node.edge(), " ", node.name(), " ",
                                node.stretches(), " ", TimeOf(node.times())));
  return told;
}

TEST(FoldedTree, HasEachNameOnceOnAPath) {
  const ScenarioTimeline recorded(kWakesInARow);
  const ExecutionGraph graph(recorded.timeline());
  const Slice slice = SliceOf(graph, {.thread = recorded.Id("C"),
                                      .at_ns = ScenarioTimeline::At(5),
                                      .forward = true,
                                      .scope = CausalScope::kBurst});
  const auto name = [&](EntityId id) { return recorded.timeline().entities()[id].name; };
  EXPECT_THAT(ToldTree(FoldedTree(graph, slice, name)),
              ElementsAre("0  C 1 55", "0 wake B 2 35", "1 wake A 1 30"));
  const auto one = [](EntityId) { return std::string("x"); };
  EXPECT_THAT(ToldTree(FoldedTree(graph, slice, one)), ElementsAre("0  x 4 120"));
}

TEST(SliceSums, HaveTheTimeOfAllStretches) {
  const ScenarioTimeline recorded(kWakesInARow);
  const ExecutionGraph graph(recorded.timeline());
  const SliceNames names = {
      .thread = [&](EntityId id) { return recorded.timeline().entities()[id].name; }};
  SliceSums sums(graph, SliceBy::kThread, names);
  SweepSlice(graph,
             {.thread = recorded.Id("A"),
              .at_ns = ScenarioTimeline::At(35),
              .scope = CausalScope::kThread},
             [&sums](const SliceStretch& stretch) { sums.Add(stretch); });
  std::vector<std::string> told;
  for (const pb::SliceRow& row : sums.Rows())
    told.push_back(absl::StrCat(row.name(), " ", row.times().run_ns(), " ", row.times().wait_ns()));
  EXPECT_THAT(told, ElementsAre("A 15 20", "B 20 10", "C 20 0"));
  EXPECT_EQ(sums.All().times().run_ns(), 55u);
  EXPECT_EQ(sums.All().threads(), 3u);
}

TEST(DifferenceOf, TellsWhatOneAloneHasFirst) {
  pb::Slice first;
  pb::Slice second;
  const auto add = [](pb::Slice& slice, const char* name, uint64_t run_ns) {
    pb::SliceRow& row = *slice.add_rows();
    row.set_name(name);
    row.mutable_times()->set_run_ns(run_ns);
  };
  add(first, "both", 10);
  add(first, "gone", 7);
  add(second, "both", 12);
  add(second, "new", 50);
  std::vector<std::string> told;
  for (const pb::SliceDiffRow& row : DifferenceOf(first, second))
    told.push_back(absl::StrCat(row.name(), row.has_first() ? " first" : "",
                                row.has_second() ? " second" : ""));
  EXPECT_THAT(told, ElementsAre("new second", "gone first", "both first second"));
}

pb::Slice SliceOfTree(const std::vector<std::tuple<std::string, uint32_t, uint64_t>>& nodes) {
  pb::Slice slice;
  for (const auto& [name, parent, run_ns] : nodes) {
    pb::SliceNode& node = *slice.add_tree();
    node.set_name(name);
    node.set_parent(parent);
    node.mutable_times()->set_run_ns(run_ns);
  }
  return slice;
}

TEST(TreeDifferenceOf, JoinsNodesOfTheSameNamesFromTheRootOn) {
  const pb::Slice first =
      SliceOfTree({{"old root", 0, 5}, {"a", 0, 10}, {"b", 1, 3}, {"gone", 0, 4}});
  const pb::Slice second =
      SliceOfTree({{"new root", 0, 5}, {"b", 0, 2}, {"a", 0, 30}, {"new", 2, 9}, {"b", 2, 3}});
  std::vector<std::string> told;
  for (const pb::SliceNodeDiff& node : TreeDifferenceOf(first, second))
    told.push_back(
        absl::StrCat(node.name(), " below ", node.parent(), ": ",
                     node.has_first() ? absl::StrCat(node.first().times().run_ns()) : "-", " ",
                     node.has_second() ? absl::StrCat(node.second().times().run_ns()) : "-"));
  EXPECT_THAT(told, ElementsAre("old root below 0: 5 5", "a below 0: 10 30", "new below 1: - 9",
                                "b below 1: 3 3", "gone below 0: 4 -", "b below 0: - 2"));
  EXPECT_EQ(TreeDifferenceOf({}, second).size(), 5u);
  EXPECT_EQ(TreeDifferenceOf({}, {}).size(), 0u);
}

// A thread that waits three times for another: the first two waits are sampled.
struct SampledWaits {
  explicit SampledWaits(const WaitObjectRecord& first, const WaitObjectRecord& second) {
    using namespace testing;  // NOLINT: time literals
    TraceBuilder t;
    t.Thread(1, "A").Thread(2, "B");
    t.At(1_ms).Cpu(0).Run(1).Cpu(1).Run(2);
    const uint32_t stack = t.AddStack({"schedule"}, {{"Serve"}});
    const uint32_t objects[] = {t.AddWaitObject(first), t.AddWaitObject(second)};
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t at_ns = (i + 1) * 10_ms;
      t.At(at_ns).Cpu(0).Block();
      if (i < 2) t.At(at_ns + 200).AddStackSample(1, StackMoment::kWait, stack, 0, objects[i]);
      t.At(at_ns + 5_ms).Cpu(1).Wake(1).Cpu(0).Run(1);
    }
    t.At(60_ms);
    const Loaded loaded(t);
    const WaitSenses found(loaded.timeline());
    const EntityId thread = loaded.Id("A");
    for (SegmentCursor at = loaded.timeline().SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind == SegmentKind::kWait && at.segment().open_start == 0)
        senses.push_back(found.Of(thread, at.segment()));
    }
  }
  std::vector<WaitSense> senses;
};

TEST(WaitSenses, AreToldBySamplesAndElseByMostOthersOfTheThread) {
  const WaitObjectRecord epoll = {.kind = WaitObjectKind::kEpoll};
  const WaitObjectRecord futex = {.kind = WaitObjectKind::kFutex, .value = 1};
  const WaitObjectRecord one = {.kind = WaitObjectKind::kSocket, .value = 5};
  const WaitObjectRecord accepting = {
      .kind = WaitObjectKind::kSocket, .listening = true, .value = 6};
  const WaitObjectRecord several = {.kind = WaitObjectKind::kDescriptors, .value = 2};
  EXPECT_THAT(SampledWaits(epoll, several).senses,
              ElementsAre(WaitSense::kEvents, WaitSense::kEvents, WaitSense::kLikelyEvents));
  EXPECT_THAT(SampledWaits(futex, one).senses,
              ElementsAre(WaitSense::kWork, WaitSense::kWork, WaitSense::kLikelyWork));
  EXPECT_THAT(SampledWaits(accepting, one).senses,
              ElementsAre(WaitSense::kEvents, WaitSense::kWork, WaitSense::kLikelyWork));
}

}  // namespace
}  // namespace gordian
