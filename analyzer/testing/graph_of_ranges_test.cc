// SPDX-License-Identifier: Apache-2.0
// The graph of any range, from sums of windows, is the one of its definitions: for any recording,
// range, windows and threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/graph/graphs_of_parts.h"
#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/sums/joined_windows.h"
#include "analyzer/testing/literal_graph.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "bench/trace_generator.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

// A recording in windows of a few events.
class CutRecording {
 public:
  CutRecording(const Scenario& scenario, size_t events_per_window) {
    TemporaryDirectory directory;
    WriteScenario(scenario, directory / "s", 3);
    auto session = SessionReader::Open(directory / "s");
    EXPECT_TRUE(session.ok()) << session.status();
    auto timeline = LoadTimeline(**session, {.threads = 1, .events_per_window = events_per_window});
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = std::make_unique<Timeline>(*std::move(timeline));
  }
  const Timeline& timeline() const { return *timeline_; }

 private:
  std::unique_ptr<Timeline> timeline_;
};

// Of a border, of something that a thread did, next to it, or any.
uint64_t AnyTime(const Waits& waits, const WindowSumsView& sums) {
  const Timeline& timeline = waits.timeline();
  uint64_t time_ns = *rc::gen::inRange(timeline.start_ns(), timeline.end_ns() + 1);
  const int how = *rc::gen::inRange(0, 6);
  if (how < 2) time_ns = sums.borders_ns[*rc::gen::inRange<size_t>(0, sums.borders_ns.size())];
  if (how == 2 || how == 3) {
    const auto thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
    const SegmentCursor at = timeline.SegmentsFrom(thread, time_ns);
    if (!at.done()) time_ns = at.start_ns();
  }
  if (how == 1 || how == 3) time_ns += *rc::gen::element<uint64_t>(1, UINT64_MAX);
  return std::clamp(time_ns, timeline.start_ns(), timeline.end_ns());
}

std::vector<uint64_t> AnyTimes(const Timeline& timeline) {
  auto times_ns = *rc::gen::container<std::vector<uint64_t>>(
      rc::gen::inRange(timeline.start_ns(), timeline.end_ns() + 1));
  if (times_ns.size() > 5) times_ns.resize(5);
  std::sort(times_ns.begin(), times_ns.end());
  return times_ns;
}

WindowSumOptions AnySumOptions(const Timeline& timeline) {
  WindowSumOptions options{.kept_borders_ns = AnyTimes(timeline),
                           .bytes_per_event = *rc::gen::element(0., 1., 40., 1e6),
                           .threads = *rc::gen::inRange(1, 4)};
  if (*rc::gen::inRange(0, 3) > 0) return options;
  options.from_ns = *rc::gen::inRange(timeline.start_ns(), timeline.end_ns() + 1);
  options.to_ns = *rc::gen::inRange(options.from_ns, timeline.end_ns() + 1);
  return options;
}

void ExpectLiteralGraphs(const Scenario& scenario, int ranges) {
  const CutRecording recording(scenario, *rc::gen::inRange<size_t>(1, 40));
  const Timeline& timeline = recording.timeline();
  const Waits waits(timeline, {.merge_short_lived = *rc::gen::inRange(0, 4) > 0, .threads = 1});
  const WindowSums sums(waits, AnySumOptions(timeline));
  WaitForGraph graph;  // of each range, in the place of the one before
  for (int i = 0; i < ranges; ++i) {
    uint64_t from_ns = AnyTime(waits, sums.view());
    uint64_t to_ns = AnyTime(waits, sums.view());
    if (from_ns > to_ns) std::swap(from_ns, to_ns);
    const WaitForGraph expected = LiteralGraph(waits, from_ns, to_ns);
    const WaitForGraphOptions range = {
        .from_ns = from_ns, .to_ns = to_ns, .threads = *rc::gen::inRange(1, 3)};
    GraphOverInto(waits, sums.view(), range, {}, graph);
    const std::string summed = Difference(graph, expected);
    if (!summed.empty()) RC_LOG() << from_ns << " to " << to_ns << ": " << summed;
    RC_ASSERT(summed.empty());
    const std::string swept = Difference(BuildWaitForGraph(waits, range), expected);
    RC_ASSERT(swept.empty());
  }
}

RC_GTEST_PROP(GraphOfARange, IsThatOfItsDefinitionsForRandomRecordings, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const std::string text = RandomScenario(seed, *rc::gen::inRange(10, 300));
  ExpectLiteralGraphs(ParseScenario(text), 6);
}

// A sweep in parts, whose windows are joined beyond any limit, and whose rows lie in files.
WindowSums SumsOfParts(const Waits& waits, const std::vector<uint64_t>& kept_borders_ns,
                       const TemporaryDirectory& folder) {
  const Timeline& timeline = waits.timeline();
  std::vector<uint64_t> borders_ns = AnyTimes(timeline);
  borders_ns.insert(borders_ns.end(), kept_borders_ns.begin(), kept_borders_ns.end());
  borders_ns.insert(borders_ns.end(), {timeline.start_ns(), timeline.end_ns()});
  std::sort(borders_ns.begin(), borders_ns.end());
  WindowSumOptions whole{.kept_borders_ns = borders_ns, .threads = 1};
  borders_ns.erase(std::unique(borders_ns.begin(), borders_ns.end()), borders_ns.end());
  WindowJoiner joiner(waits.entities(), kept_borders_ns, *rc::gen::element(0, 300, 1'000'000),
                      ColumnMemory({.folder = folder.path()}));
  std::vector<WaitInterval> disk_waits;
  for (size_t i = 0; i + 1 < borders_ns.size(); ++i) {
    const SweptWindows part = SweepPart(waits, whole, borders_ns[i], borders_ns[i + 1]);
    disk_waits.insert(disk_waits.end(), part.disk_waits.begin(), part.disk_waits.end());
    joiner.Add(part);
  }
  SweptWindows swept = joiner.Take();
  CountedDevices devices = CountDevices(waits,
                                        {.records = DeviceRecordsOf(timeline),
                                         .borders_ns = swept.borders_ns,
                                         .disk_waits = disk_waits},
                                        1);
  return {std::move(swept), std::move(devices)};
}

RC_GTEST_PROP(GraphOfARange, IsThatOfItsDefinitionsFromPartsOfASweep, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const CutRecording recording(ParseScenario(RandomScenario(seed, *rc::gen::inRange(10, 300))),
                               *rc::gen::inRange<size_t>(1, 40));
  const Waits waits(recording.timeline(), {.threads = 1});
  const std::vector<uint64_t> kept = AnyTimes(recording.timeline());
  const TemporaryDirectory folder;
  const WindowSums sums = SumsOfParts(waits, kept, folder);
  for (const uint64_t border_ns : kept)
    RC_ASSERT(std::ranges::binary_search(sums.view().borders_ns, border_ns));
  uint64_t from_ns = AnyTime(waits, sums.view());
  uint64_t to_ns = AnyTime(waits, sums.view());
  if (from_ns > to_ns) std::swap(from_ns, to_ns);
  const WaitForGraph graph =
      GraphOver(waits, sums.view(), {.from_ns = from_ns, .to_ns = to_ns, .threads = 1});
  RC_ASSERT(Difference(graph, LiteralGraph(waits, from_ns, to_ns)) == "");
}

std::vector<std::string> AllScenarios() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_TESTDATA)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

RC_GTEST_PROP(GraphOfARange, IsThatOfItsDefinitionsForEachScenario, ()) {
  static const std::vector<std::string> paths = AllScenarios();
  ExpectLiteralGraphs(ReadScenario(paths[*rc::gen::inRange<size_t>(0, paths.size())]), 6);
}

// Every range of a recording with all that there is in it.
TEST(GraphOfARange, IsThatOfItsDefinitionsForEveryRange) {
  const CutRecording recording(ParseScenario(RandomScenario(7, 60)), 6);
  const Waits waits(recording.timeline(), {});
  const WindowSums sums(waits, {.bytes_per_event = 1e6});
  const uint64_t start_ns = recording.timeline().start_ns();
  const uint64_t end_ns = recording.timeline().end_ns();
  EXPECT_GT(sums.view().windows(), 5u);
  for (uint64_t from_ns = start_ns; from_ns <= end_ns; ++from_ns) {
    for (uint64_t to_ns = from_ns; to_ns <= end_ns; ++to_ns) {
      const WaitForGraph graph =
          GraphOver(waits, sums.view(), {.from_ns = from_ns, .to_ns = to_ns, .threads = 1});
      ASSERT_EQ(Difference(graph, LiteralGraph(waits, from_ns, to_ns)), "")
          << from_ns << " to " << to_ns;
    }
  }
}

// Random recordings hold what the sums must tell apart.
TEST(RandomScenarios, HoldVirtualThreadsCyclesDevicesAndSpins) {
  uint64_t merged = 0;
  uint64_t cyclic = 0;
  uint64_t busy = 0;
  uint64_t passed_on = 0;
  uint64_t spun = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    const CutRecording recording(ParseScenario(RandomScenario(seed, 400)), 30);
    const Waits waits(recording.timeline(), {});
    const WaitForGraph graph = BuildWaitForGraph(waits);
    for (EntityId id = 0; id < graph.entities.size(); ++id) {
      const Entity& entity = graph.entities[id];
      merged += entity.merged_into != kNobody;
      busy += entity.busy_ns > 0 && entity.several_ns > 0;
      spun += entity.spin_ns > 0;
      if (id >= recording.timeline().thread_count()) continue;
      for (SegmentCursor at = waits.SegmentsFrom(id); !at.done(); at.Next())
        passed_on += waits.PassedOnEnd(at).has_value();
    }
    cyclic += graph.cyclic_links;
  }
  EXPECT_GT(merged, 10u);
  EXPECT_GT(cyclic, 10u);
  EXPECT_GT(busy, 10u);
  EXPECT_GT(spun, 10u);
  EXPECT_GT(passed_on, 0u);
}

class LargeRecording : public testing::Test {
 protected:
  void Generate(const TraceShape& shape, size_t events_per_window) {
    ASSERT_TRUE(GenerateTrace(shape, directory_ / "s").ok());
    auto session = SessionReader::Open(directory_ / "s");
    ASSERT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session, {.events_per_window = events_per_window});
    ASSERT_TRUE(timeline.ok());
    timeline_ = *std::move(timeline);
  }
  // The time at that share of the recording.
  uint64_t At(uint64_t parts, uint64_t of) const {
    return timeline_.start_ns() + (timeline_.end_ns() - timeline_.start_ns()) * parts / of;
  }

  TemporaryDirectory directory_;
  Timeline timeline_;
};

TEST_F(LargeRecording, GivesTheSameGraphsFromSumsAsFromOneSweepOfTheRange) {
  Generate({.events = 200'000, .threads = 48, .cpus = 5}, 2'000);
  const Waits waits(timeline_, {});
  const WindowSums sums(waits, {});
  EXPECT_GT(sums.view().windows(), 10u);
  for (uint64_t from = 0; from < 13; ++from) {
    for (uint64_t to = from + 1; to <= 13; ++to) {
      const WaitForGraphOptions range = {.from_ns = At(from, 13), .to_ns = At(to, 13)};
      EXPECT_EQ(Difference(GraphOver(waits, sums.view(), range), BuildWaitForGraph(waits, range)),
                "")
          << from << " to " << to;
    }
  }
}

TEST_F(LargeRecording, TakesNoMoreMemoryForItsSumsThanIsSaid) {
  Generate({.events = 200'000, .threads = 200, .cpus = 5}, 1'000);
  const Waits waits(timeline_, {});
  const WindowSums many(waits, {.bytes_per_event = 1e6});
  const uint64_t for_entities = 64 * waits.entities().size();
  EXPECT_GT(many.bytes(), timeline_.events() + for_entities);
  const WindowSums sums(waits, {});
  EXPECT_LE(sums.bytes(), timeline_.events() + for_entities);
  EXPECT_LT(sums.view().windows(), many.view().windows());
  EXPECT_GT(sums.view().windows(), 1u);
}

TEST_F(LargeRecording, EndsWindowsAtKeptBordersHoweverLittleMemoryThereIs) {
  Generate({.events = 50'000, .threads = 48, .cpus = 5}, 1'000);
  const Waits waits(timeline_, {});
  const std::vector<uint64_t> kept = {At(1, 7), At(2, 7), At(6, 7)};
  const WindowSums sums(waits, {.kept_borders_ns = kept, .bytes_per_event = 0});
  EXPECT_THAT(sums.view().borders_ns, testing::ElementsAre(timeline_.start_ns(), kept[0], kept[1],
                                                           kept[2], timeline_.end_ns()));
}

TEST(WindowSums, OfNoTimeAreNoWindows) {
  const CutRecording recording(ParseScenario(RandomScenario(1, 30)), 5);
  const Waits waits(recording.timeline(), {});
  const uint64_t time_ns = recording.timeline().start_ns() + 5;
  const WindowSums sums(waits, {.from_ns = time_ns, .to_ns = time_ns});
  EXPECT_EQ(sums.view().windows(), 0u);
  EXPECT_EQ(Difference(GraphOver(waits, sums.view()), BuildWaitForGraph(waits)), "");
  EXPECT_EQ(Difference(GraphOver(waits, WindowSums().view()), BuildWaitForGraph(waits)), "");
}

}  // namespace
}  // namespace gordian
