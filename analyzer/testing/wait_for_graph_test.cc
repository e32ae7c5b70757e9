// SPDX-License-Identifier: Apache-2.0
// Recordings as text, from event to edge: analyzer/testdata.
#include "analyzer/graph/wait_for_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/testing/scenario.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

std::vector<std::string> Analyze(const Scenario& scenario, size_t events_per_block,
                                 size_t events_per_window, int threads) {
  TemporaryDirectory directory;
  WriteScenario(scenario, directory / "session", events_per_block);
  auto session = SessionReader::Open(directory / "session");
  if (!session.ok()) return {session.status().ToString()};
  const auto timeline =
      LoadTimeline(**session, {.threads = threads, .events_per_window = events_per_window});
  if (!timeline.ok()) return {timeline.status().ToString()};
  return ResultsOf(*timeline, BuildWaitForGraph(*timeline, {.threads = threads}));
}

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_TESTDATA)) {
    if (entry.is_regular_file()) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Scenarios : public testing::TestWithParam<std::string> {
 protected:
  Scenario scenario_ = ReadScenario(std::string(GORDIAN_TESTDATA "/") + GetParam() + ".txt");
};

TEST_P(Scenarios, AreAnalyzedAsExpected) {
  EXPECT_THAT(Analyze(scenario_, 1000, 0, 1), testing::ElementsAreArray(scenario_.expected));
}

TEST_P(Scenarios, DoNotDependOnBlocksWindowsAndThreads) {
  EXPECT_EQ(Analyze(scenario_, 1, 1, 2), scenario_.expected);
  EXPECT_EQ(Analyze(scenario_, 3, 2, 3), scenario_.expected);
}

INSTANTIATE_TEST_SUITE_P(Testdata, Scenarios, testing::ValuesIn(ScenarioNames()),
                         [](const auto& info) { return info.param; });

// A scenario's timeline, and its graph.
class EngineOnScenario : public testing::Test {
 protected:
  void Load(const std::string& name, const TimelineOptions& options = {}) {
    WriteScenario(ReadScenario(std::string(GORDIAN_TESTDATA "/") + name + ".txt"),
                  directory_ / "session", 1000);
    auto session = SessionReader::Open(directory_ / "session");
    ASSERT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session, options);
    ASSERT_TRUE(timeline.ok());
    timeline_.emplace(*std::move(timeline));
  }
  EntityId Named(const std::string& name) const {
    for (EntityId id = 0; id < timeline_->entities().size(); ++id) {
      if (timeline_->entities()[id].name == name) return id;
    }
    return kNobody;
  }
  static WaitForGraphOptions Range(uint64_t from_ns, uint64_t to_ns) {
    return {.from_ns = kScenarioStartNs + from_ns, .to_ns = kScenarioStartNs + to_ns};
  }

  TemporaryDirectory directory_;
  std::optional<Timeline> timeline_;
};

TEST_F(EngineOnScenario, CountsOnlyWhatLiesInTheRange) {
  Load("figure3");
  const WaitForGraph graph = BuildWaitForGraph(*timeline_, Range(15, 25));
  ASSERT_EQ(graph.edges.size(), 2u);
  EXPECT_EQ(graph.edges[0].weight_ns, 10u);
  EXPECT_EQ(graph.edges[0].longest_ns, 10u);
  EXPECT_EQ(graph.edges[1].weight_ns, 10u);
  EXPECT_EQ(graph.edges[1].own_ns, 5u);
  const Entity& b = graph.entities[Named("B")];
  EXPECT_EQ(b.end_ns - b.begin_ns, 10u);
  EXPECT_EQ(b.wait_ns, 5u);
  EXPECT_EQ(b.run_ns, 5u);
}

// They have a stream of their own.
TEST_F(EngineOnScenario, WordsOfProbesAreNoCpu) {
  Scenario scenario = ReadScenario(std::string(GORDIAN_TESTDATA) + "/figure3.txt");
  const auto cpus = static_cast<uint32_t>(scenario.cpus.size());
  EventBlock& words = scenario.cpus.emplace_back();
  words.cpu = kNoCpu;
  words.InternName("");
  TraceEvent word{.time_ns = kScenarioStartNs + 5, .cpu = kNoCpu};
  word.kind = EventKind::kProbe;
  word.probe = {.tid = 1, .kind = ProbeKind::kPhaseEnd};
  words.events.push_back(word);
  WriteScenario(scenario, directory_ / "words", 100);
  auto session = SessionReader::Open(directory_ / "words");
  ASSERT_TRUE(session.ok()) << session.status();
  const auto timeline = LoadTimeline(**session);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  EXPECT_EQ((*session)->cpus().size(), cpus + 1);
  EXPECT_EQ(timeline->cpus(), cpus);
}

TEST_F(EngineOnScenario, SharesOnlyTheIdleTimeOfTheRange) {
  Load("figure1");
  const WaitForGraph graph = BuildWaitForGraph(*timeline_, Range(0, 7));
  const Entity& disk = graph.entities[Named("vda")];
  EXPECT_EQ(disk.busy_ns, 2u);
  EXPECT_EQ(disk.operations, 1u);
  EXPECT_EQ(disk.bytes, 65536u);
  const auto idle = std::find_if(graph.edges.begin(), graph.edges.end(),
                                 [&](const Edge& edge) { return edge.from == Named("vda"); });
  ASSERT_NE(idle, graph.edges.end());
  EXPECT_EQ(idle->own_ns, 5u);
}

TEST_F(EngineOnScenario, ListsTheWaitsOfAnEdge) {
  Load("figure1");
  const Waits waits(*timeline_, {});
  const auto busy = WaitsOfEdge(waits, Named("B"), Named("vda"));
  ASSERT_EQ(busy.size(), 2u);
  EXPECT_EQ(busy[0].start_ns, kScenarioStartNs + 5);
  EXPECT_EQ(busy[0].end_ns, kScenarioStartNs + 10);
  EXPECT_EQ(busy[0].cause, WaitCause::kDisk);
  EXPECT_EQ(busy[0].state, kStateUninterruptible);
  const auto idle = WaitsOfEdge(waits, Named("vda"), Named("B"));
  ASSERT_EQ(idle.size(), 2u);
  EXPECT_EQ(idle[1].start_ns, kScenarioStartNs + 10);
  EXPECT_EQ(idle[1].end_ns, kScenarioStartNs + 15);
  EXPECT_EQ(idle[1].cause, WaitCause::kIdleDevice);
  EXPECT_TRUE(WaitsOfEdge(waits, Named("A"), Named("vda")).empty());
}

TEST_F(EngineOnScenario, LeavesShortLivedThreadsApartIfAsked) {
  Load("short_lived");
  const WaitForGraph graph = BuildWaitForGraph(Waits(*timeline_, {.merge_short_lived = false}));
  EXPECT_EQ(graph.entities.size(), timeline_->entities().size());
  for (const Entity& entity : graph.entities) EXPECT_EQ(entity.merged_into, kNobody);
  // main waits for each of the three, one of them for the disk.
  EXPECT_EQ(graph.edges.size(), 4u);
}

TEST_F(EngineOnScenario, MarksATargetWithItsDescendants) {
  pb::Target target;
  target.set_pid(1);
  Load("two_lives", {.targets = {target}});
  for (EntityId id = 0; id < timeline_->thread_count(); ++id) {
    EXPECT_TRUE(timeline_->entities()[id].target) << timeline_->entities()[id].name;
  }
}

TEST_F(EngineOnScenario, MarksATargetWhoseStartWasToldInClockTicks) {
  constexpr uint64_t kTickNs = 10'000'000;
  pb::Target target;
  target.set_pid(1);
  for (const auto& [late_ns, same] : {std::pair{kTickNs - 1, true}, std::pair{kTickNs, false}}) {
    Scenario scenario = ReadScenario(std::string(GORDIAN_TESTDATA "/") + "figure1.txt");
    for (TaskRecord& task : scenario.tasks.tasks) task.start_time_ns = 7 * kTickNs + late_ns;
    target.set_start_time_ns(7 * kTickNs);
    TemporaryDirectory directory;
    WriteScenario(scenario, directory / "session", 1000);
    auto session = SessionReader::Open(directory / "session");
    ASSERT_TRUE(session.ok());
    const auto timeline = LoadTimeline(**session, {.targets = {target}});
    ASSERT_TRUE(timeline.ok());
    EXPECT_EQ(timeline->entities()[0].target, same);
  }
}

TEST_F(EngineOnScenario, TellsWhoseSwitchesContradictEachOther) {
  Load("lost_switches");
  EXPECT_EQ(timeline_->contradictions(Named("X")), 1u);
  EXPECT_EQ(timeline_->contradictions(Named("Y")), 1u);
}

TEST_F(EngineOnScenario, OfARecordingOfTargetsOnlyOthersContradictionsDoNotCount) {
  Scenario scenario = ReadScenario(std::string(GORDIAN_TESTDATA "/") + "lost_switches.txt");
  scenario.session.set_chains_end_at_targets(true);
  for (const auto& [pid, counted] : {std::pair{1, 1u}, std::pair{7, 0u}}) {
    scenario.session.clear_targets();
    scenario.session.add_targets()->set_pid(pid);
    TemporaryDirectory directory;
    WriteScenario(scenario, directory / "session", 1000);
    auto session = SessionReader::Open(directory / "session");
    ASSERT_TRUE(session.ok());
    const auto timeline = LoadTimeline(**session);
    ASSERT_TRUE(timeline.ok());
    uint64_t told = 0;
    for (const NamedCount& counter : timeline->counters()) {
      if (counter.name == "contradicting_switches") told = counter.value;
    }
    EXPECT_EQ(told, counted) << pid;
  }
}

TEST_F(EngineOnScenario, ASwitchThatNobodySawContradictsNoThread) {
  Load("hidden_switches");
  for (EntityId id = 0; id < timeline_->thread_count(); ++id) {
    EXPECT_EQ(timeline_->contradictions(id), 0u);
  }
}

TEST_F(EngineOnScenario, MarksTargetsByName) {
  pb::Target target;
  target.set_comm("A");
  Load("figure1", {.targets = {target}});
  EXPECT_TRUE(timeline_->entities()[Named("A")].target);
  EXPECT_FALSE(timeline_->entities()[Named("B")].target);
}

}  // namespace
}  // namespace gordian
