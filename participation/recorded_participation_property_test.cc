// SPDX-License-Identifier: Apache-2.0
// The sweep gives what its definition gives: for any recording, window and target, of one node or
// of many.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/random_scenario.h"
#include "analyzer/testing/scenario.h"
#include "bench/any_cluster.h"
#include "bench/cluster_generator.h"
#include "bench/trace_generator.h"
#include "nodes/joined_nodes.h"
#include "participation/quality.h"
#include "participation/recorded_participation.h"
#include "participation/test_literal_participation.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

Timeline ReadInWindows(const std::string& directory, size_t events_per_window) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) std::abort();
  auto timeline = LoadTimeline(**session, {.threads = 1, .events_per_window = events_per_window});
  if (!timeline.ok()) std::abort();
  return *std::move(timeline);
}

Timeline TimelineOf(const Scenario& scenario, size_t events_per_window) {
  const TemporaryDirectory directory;
  WriteScenario(scenario, directory / "s", 3);
  return ReadInWindows(directory / "s", events_per_window);
}

// Of something that a thread did, next to it, or any.
uint64_t AnyTimeOf(const Timeline& timeline) {
  uint64_t time_ns = *rc::gen::inRange(timeline.start_ns(), timeline.end_ns() + 1);
  const int how = *rc::gen::inRange(0, 4);
  if (how > 1) {
    const auto thread = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
    const SegmentCursor at = timeline.SegmentsFrom(thread, time_ns);
    if (!at.done()) time_ns = at.start_ns();
  }
  if (how == 3) time_ns += *rc::gen::element<uint64_t>(1, UINT64_MAX);
  return std::clamp(time_ns, timeline.start_ns(), timeline.end_ns());
}

std::vector<uint8_t> AnyTargets(const Timeline& timeline) {
  const int percent = *rc::gen::element(10, 50, 100);
  std::vector<uint8_t> targets(timeline.thread_count());
  for (uint8_t& target : targets) target = *rc::gen::inRange(0, 100) < percent ? 1 : 0;
  return targets;
}

std::vector<ThreadPhase> AnyPhases(const Timeline& timeline) {
  std::vector<ThreadPhase> phases;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    uint64_t time_ns = timeline.start_ns();
    for (int count = *rc::gen::inRange(0, 4); count > 0; --count) {
      const uint64_t from_ns = time_ns + *rc::gen::inRange<uint64_t>(0, 30);
      const uint64_t to_ns = from_ns + *rc::gen::inRange<uint64_t>(1, 60);
      phases.push_back({thread, from_ns, to_ns, *rc::gen::inRange(1u, 4u)});
      time_ns = to_ns;
    }
  }
  return phases;
}

// Its stretches follow each other, and add up to the shares.
void ExpectPathOfItsShares(RecordedGraph graph, uint64_t from_ns, uint64_t to_ns) {
  graph.only_one_path = true;
  const WindowParticipation window = ParticipationWithin(graph, from_ns, to_ns);
  if (window.paths == 0) return;
  RC_ASSERT(window.paths == 1u);
  std::map<std::tuple<EntityId, uint32_t, RecordedActivity>, double> ns;
  uint64_t at_ns = from_ns;
  for (const CriticalStretch& stretch : window.path) {
    RC_ASSERT(stretch.from_ns == at_ns);
    RC_ASSERT(stretch.to_ns > at_ns);
    at_ns = stretch.to_ns;
    ns[{stretch.thread, stretch.phase, stretch.activity}] +=
        static_cast<double>(stretch.to_ns - stretch.from_ns);
  }
  RC_ASSERT(at_ns == window.paths_to_ns);
  const auto length_ns = static_cast<double>(window.paths_to_ns - from_ns);
  for (const StayParticipation& stay : window.stays)
    ns[{stay.thread, stay.phase, stay.activity}] -= stay.cp * length_ns;
  for (const auto& [key, difference_ns] : ns) RC_ASSERT(std::abs(difference_ns) < 1e-6 * length_ns);
}

void ExpectLiteralParticipation(const Timeline& timeline, int windows) {
  const std::vector<uint8_t> targets = AnyTargets(timeline);
  const std::vector<ThreadPhase> phases = AnyPhases(timeline);
  const RecordedGraph graph = {.timeline = timeline, .is_target = targets, .phases = phases};
  for (int i = 0; i < windows; ++i) {
    uint64_t from_ns = AnyTimeOf(timeline);
    uint64_t to_ns = AnyTimeOf(timeline);
    if (from_ns > to_ns) std::swap(from_ns, to_ns);
    if (from_ns == to_ns) continue;
    const WindowParticipation window = ParticipationWithin(graph, from_ns, to_ns);
    if (window.paths_to_ns != to_ns) RC_ASSERT(CountPaths(graph, from_ns, to_ns).paths == 0);
    if (window.paths == 0) continue;
    RC_ASSERT(window.paths_to_ns > from_ns);
    const uint64_t between_ns = *rc::gen::inRange(window.paths_to_ns, to_ns + 1);
    if (between_ns > window.paths_to_ns)
      RC_ASSERT(CountPaths(graph, from_ns, between_ns).paths == 0);
    const LiteralParticipation literal = CountPaths(graph, from_ns, window.paths_to_ns);
    const std::string difference = Difference(literal, window);
    if (!difference.empty())
      RC_LOG() << from_ns - timeline.start_ns() << " to " << to_ns - timeline.start_ns() << ": "
               << difference;
    RC_ASSERT(difference.empty());
    double sum = 0;
    for (const StayParticipation& stay : window.stays) sum += stay.cp;
    ExpectPathOfItsShares(graph, from_ns, to_ns);
    if (window.paths > 0) RC_ASSERT(std::abs(sum - 1) < 1e-9);
    if (window.paths > 0) RC_ASSERT(literal.most_from_start == 1);
  }
}

RC_GTEST_PROP(RecordedParticipation, IsThatOfItsDefinitionForRandomRecordings, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const std::string text = RandomScenario(seed, *rc::gen::inRange(10, 300));
  RC_LOG() << text << "\n";
  ExpectLiteralParticipation(TimelineOf(ParseScenario(text), *rc::gen::inRange<size_t>(1, 40)), 6);
}

std::vector<std::string> ScenarioFiles() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_TESTDATA)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

RC_GTEST_PROP(RecordedParticipation, IsThatOfItsDefinitionForEachScenario, ()) {
  static const std::vector<std::string> paths = ScenarioFiles();
  const Scenario scenario = ReadScenario(paths[*rc::gen::inRange<size_t>(0, paths.size())]);
  ExpectLiteralParticipation(TimelineOf(scenario, *rc::gen::inRange<size_t>(1, 40)), 6);
}

// In any range, for any target.
void ExpectNothingToTellWhereTheGraphSaysSo(const Timeline& timeline) {
  const uint64_t from_ns = AnyTimeOf(timeline);
  const uint64_t to_ns = std::max(from_ns, AnyTimeOf(timeline));
  const std::vector<uint8_t> targets = AnyTargets(timeline);
  const Waits waits(timeline, {.merge_short_lived = *rc::gen::arbitrary<bool>(), .threads = 1});
  const WaitForGraph graph = BuildWaitForGraph(waits, {.from_ns = from_ns, .to_ns = to_ns});
  const std::vector<NamedCount> told = CountersOf(QualityOf(timeline, targets, from_ns, to_ns));
  const bool may_be = MayBeWorthTelling(graph, targets);
  RC_TAG(may_be ? "walked" : "not walked");
  if (!may_be) RC_ASSERT(told.empty());
}

RC_GTEST_PROP(Quality, IsNotInDoubtWhereTheGraphSaysSo, ()) {
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  const std::string text = RandomScenario(seed, *rc::gen::inRange(10, 300));
  RC_LOG() << text << "\n";
  ExpectNothingToTellWhereTheGraphSaysSo(TimelineOf(ParseScenario(text), 40));
}

RC_GTEST_PROP(Quality, OfEachScenarioIsNotInDoubtWhereTheGraphSaysSo, ()) {
  static const std::vector<std::string> paths = ScenarioFiles();
  const Scenario scenario = ReadScenario(paths[*rc::gen::inRange<size_t>(0, paths.size())]);
  ExpectNothingToTellWhereTheGraphSaysSo(TimelineOf(scenario, 40));
}

void ForAnyCluster(void (*expect)(const Timeline& timeline)) {
  ClusterShape shape = AnySmallCluster(200, 800);
  for (int node = 0; node < shape.nodes; ++node) {
    shape.clocks.push_back(
        {.skew_ns = node == 0 ? 0 : *rc::gen::inRange<int64_t>(-1'000'000, 1'000'000),
         .error_ns = node == 0 ? 0 : *rc::gen::inRange<int64_t>(-50'000, 50'000),
         .bound_ns = 50'001});
  }
  const TemporaryDirectory directory;
  if (!GenerateCluster(shape, directory / "nodes").ok()) std::abort();
  const auto sessions = FindNodeSessions(directory / "nodes");
  if (!sessions.ok()) std::abort();
  std::vector<std::string> skipped;
  auto joined = LoadNodes(*sessions, {.threads = 1}, {}, skipped);
  if (!joined.ok()) std::abort();
  expect(joined->timeline);
}

RC_GTEST_PROP(RecordedParticipation, IsThatOfItsDefinitionForRandomClusters, ()) {
  ForAnyCluster([](const Timeline& timeline) { ExpectLiteralParticipation(timeline, 6); });
}

RC_GTEST_PROP(Quality, OfAClusterIsNotInDoubtWhereTheGraphSaysSo, ()) {
  ForAnyCluster(ExpectNothingToTellWhereTheGraphSaysSo);
}

}  // namespace
}  // namespace gordian
