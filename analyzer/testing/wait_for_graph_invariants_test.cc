// SPDX-License-Identifier: Apache-2.0
// Properties that hold for any recording, even if it is large, damaged or absurd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/testing/quarrels.h"
#include "analyzer/testing/scenario.h"
#include "bench/trace_generator.h"
#include "trace/block_encoder.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr uint64_t kLongestNs = 1ull << 56;  // two years

// Empty if all is well.
std::string Faults(const Timeline& timeline, const WaitForGraph& graph) {
  for (EntityId id = 0; id < graph.entities.size(); ++id) {
    const Entity& entity = graph.entities[id];
    const bool is_thread =
        entity.kind == EntityKind::kThread || entity.kind == EntityKind::kVirtual;
    const uint64_t sum_ns =
        entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns + entity.unknown_ns;
    if (is_thread && sum_ns != entity.end_ns - entity.begin_ns) {
      return "the ledger of " + entity.name + " does not add up";
    }
    if (id >= timeline.thread_count()) continue;
    uint64_t before_ns = 0;
    for (SegmentCursor at = timeline.SegmentsFrom(id); !at.done(); at.Next()) {
      if (at.start_ns() < before_ns || at.end_ns() < at.start_ns()) return "time runs backwards";
      before_ns = at.end_ns();
      const EntityId waker = at.segment().waker;
      if (waker != kNobody && waker >= timeline.entities().size()) return "nobody is the waker";
      if (waker == id) return "a thread waits for itself";
    }
  }
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    if (edge.from >= graph.entities.size() || edge.to >= graph.entities.size()) return "no such id";
    if (graph.entities[edge.from].merged_into != kNobody ||
        graph.entities[edge.to].merged_into != kNobody) {
      return "a merged thread has an edge";
    }
    // Weights of waits of centuries, of which absurd times tell, need not fit into 64 bits.
    const bool is_absurd = graph.end_ns - graph.start_ns > kLongestNs;
    if (!is_absurd && edge.weight_ns < edge.own_ns) return "a weight is less than its own part";
    if (edge.longest_ns > edge.own_ns) return "a wait is longer than all of its edge";
    if (i > 0 && std::pair(graph.edges[i - 1].from, graph.edges[i - 1].to) >=
                     std::pair(edge.from, edge.to)) {
      return "edges are not in order";
    }
  }
  return "";
}

struct Analysis {
  std::string faults;
  std::vector<std::string> results;
  uint64_t unknown_ns = 0;
  uint64_t lost = 0;
};

Analysis Analyze(const std::string& directory, size_t events_per_window, int threads,
                 const ColumnMemory& memory = ColumnMemory()) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) return {.faults = session.status().ToString()};
  const auto timeline = LoadTimeline(
      **session, {.threads = threads, .events_per_window = events_per_window, .memory = memory});
  if (!timeline.ok()) return {.faults = timeline.status().ToString()};
  const WaitForGraph graph = BuildWaitForGraph(*timeline, {.threads = threads});
  Analysis analysis{.faults = Faults(*timeline, graph),
                    .results = ResultsOf(*timeline, graph),
                    .lost = graph.lost};
  for (const Entity& entity : graph.entities) analysis.unknown_ns += entity.unknown_ns;
  return analysis;
}

// Nothing stays in memory but for a moment.
ColumnMemory InFiles(const TemporaryDirectory& folder) {
  return ColumnMemory({.folder = folder.path()});
}

TEST(Engine, DoesNotDependOnWindowsThreadsAndMemoryInALargeRecording) {
  TemporaryDirectory directory;
  ASSERT_TRUE(GenerateTrace({.events = 200'000, .threads = 48, .cpus = 5}, directory / "s").ok());
  const Analysis whole = Analyze(directory / "s", 1'000'000, 1);
  EXPECT_EQ(whole.faults, "");
  EXPECT_EQ(whole.unknown_ns, 0u);
  EXPECT_EQ(whole.lost, 0u);
  for (const size_t events_per_window : {777u, 10'000u}) {
    const Analysis cut = Analyze(directory / "s", events_per_window, 3);
    EXPECT_TRUE(cut.results == whole.results) << events_per_window;
    const Analysis in_files = Analyze(directory / "s", events_per_window, 2, InFiles(directory));
    EXPECT_TRUE(in_files.results == whole.results) << events_per_window;
  }
}

// Overwrites a few bytes behind the first block of a file.
void Damage(const std::string& path, std::mt19937& random) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<uint64_t>(file.tellg());
  for (int i = 0; i < 3; ++i) {
    file.seekp(static_cast<std::streamoff>(random() % size));
    file.write("\xa5\x5a\xa5\x5a", 4);
  }
}

TEST(Engine, CountsWhatIsDamagedAndStillAddsUp) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    TemporaryDirectory directory;
    const TraceShape shape{.events = 100'000, .threads = 24, .cpus = 3, .seed = seed};
    ASSERT_TRUE(GenerateTrace(shape, directory / "s").ok());
    std::mt19937 random(seed);
    for (const char* name : {"/s/cpu-000.trace", "/s/cpu-002.trace"}) {
      Damage(directory.path() + name, random);
    }
    const Analysis damaged = Analyze(directory / "s", 20'000, 2);
    EXPECT_EQ(damaged.faults, "") << seed;
    EXPECT_GT(damaged.unknown_ns, 0u) << seed;
    EXPECT_TRUE(Analyze(directory / "s", 3'000, 1).results == damaged.results) << seed;
  }
}

RC_GTEST_PROP(Engine, AddsUpWhateverTheEventsSay, ()) {
  TemporaryDirectory directory;
  WriteAnything(directory / "s");
  const Analysis analysis = Analyze(directory / "s", 5, 1);
  if (analysis.faults.find("holds no events") != std::string::npos) RC_DISCARD("empty");
  RC_ASSERT(analysis.faults == "");
  RC_ASSERT(Analyze(directory / "s", 1'000, 2).results == analysis.results);
  RC_ASSERT(Analyze(directory / "s", 3, 2, InFiles(directory)).results == analysis.results);
}

RC_GTEST_PROP(Engine, AddsUpHoweverEventsContradictEachOther, ()) {
  TemporaryDirectory directory;
  WriteQuarrel(directory / "s");
  const Analysis analysis = Analyze(directory / "s", 1'000, 1);
  RC_ASSERT(analysis.faults == "");
  RC_ASSERT(Analyze(directory / "s", 7, 2).results == analysis.results);
  RC_ASSERT(Analyze(directory / "s", 11, 1, InFiles(directory)).results == analysis.results);
}

TEST(Engine, RefusesASessionWithoutEvents) {
  TemporaryDirectory directory;
  {
    auto writer = SessionWriter::Create(directory / "s", {});
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->WriteSession({}).ok());
  }
  auto session = SessionReader::Open(directory / "s");
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(LoadTimeline(**session).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace gordian
