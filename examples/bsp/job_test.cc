// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "examples/bsp/algorithm.h"
#include "examples/bsp/graph.h"

namespace bsp {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

Options Tiny() {
  return {.vertices = 2000,
          .edges_per_vertex = 8,
          .workers = 3,
          .threads = 2,
          .supersteps = 6,
          .gc_every_ms = 1,
          .gc_pause_ms = 1,
          .messages_per_batch = 16,
          .edge_work = 0,
          .message_work = 0};
}

// The textbook's, with one thread.
std::vector<double> PlainPageRank(const Graph& graph, uint32_t rounds) {
  const std::vector<uint32_t> degrees = OutDegrees(graph);
  const double n = graph.vertices;
  std::vector<double> ranks(graph.vertices, 1 / n);
  for (uint32_t round = 0; round < rounds; ++round) {
    double dangling = 0;
    for (Vertex vertex = 0; vertex < graph.vertices; ++vertex) {
      if (degrees[vertex] == 0) dangling += ranks[vertex];
    }
    std::vector<double> next(graph.vertices, 0.15 / n + 0.85 * dangling / n);
    for (const Edge& edge : graph.edges)
      next[edge.to] += 0.85 * ranks[edge.from] / degrees[edge.from];
    ranks = std::move(next);
  }
  return ranks;
}

struct Switch {
  const char* name;
  bool Options::*on;
};

class EverySwitch : public ::testing::TestWithParam<Switch> {
 protected:
  Options TinyWithSwitch() const {
    Options options = Tiny();
    if (GetParam().on != nullptr) options.*GetParam().on = true;
    options.hold_back = options.hold_back || options.late_messages;
    return options;
  }
};

TEST_P(EverySwitch, RanksAreThoseOfAPlainPageRank) {
  const Options options = TinyWithSwitch();
  PhaseLog log;
  const Result result = RunJob(options, log);
  EXPECT_EQ(result.wrong, "");
  EXPECT_EQ(result.supersteps, 6u);
  const Graph graph = GenerateRmat(options.vertices, options.edges_per_vertex, options.seed);
  EXPECT_THAT(result.values, Pointwise(DoubleNear(1e-12), PlainPageRank(graph, 6)));
}

TEST_P(EverySwitch, PathsAreThoseOfDijkstra) {
  Options options = TinyWithSwitch();
  options.algorithm = "sssp";
  options.supersteps = 1000;
  PhaseLog log;
  const Result result = RunJob(options, log);  // compares
  EXPECT_EQ(result.wrong, "");
  EXPECT_TRUE(result.done);
  EXPECT_GT(result.supersteps, 2u);
}

INSTANTIATE_TEST_SUITE_P(Job, EverySwitch,
                         ::testing::Values(Switch{"none", nullptr}, Switch{"skew", &Options::skew},
                                           Switch{"lock", &Options::lock},
                                           Switch{"gc", &Options::gc},
                                           Switch{"late", &Options::late_messages},
                                           Switch{"heldback", &Options::hold_back}),
                         [](const auto& info) { return std::string(info.param.name); });

// The link takes one batch, and its thread has at most another in its hands: all others have
// arrived when the worker's last thread is through with its targets.
TEST(LateMessages, TheLastThreadHandlesAloneWhatOtherwiseAllShare) {
  Options options = Tiny();
  options.workers = 1;
  options.batches_per_link = 1;
  options.hold_back = true;
  PhaseLog log;
  const Result shared = RunJob(options, log);
  EXPECT_GT(shared.batches, 100u);
  EXPECT_EQ(shared.left_for_exchange, shared.batches);
  options.late_messages = true;
  const Result alone = RunJob(options, log);
  EXPECT_EQ(alone.batches, shared.batches);
  EXPECT_LE(alone.left_for_exchange, 2u * alone.supersteps);
}

TEST(Check, TellsWhatIsWrong) {
  const Graph graph = GenerateRmat(100, 4, 1);
  const std::vector<double> ranks(100, 0.02);
  EXPECT_EQ(PageRank()->Check(graph, ranks, true), "the ranks sum up to 2.000000 instead of 1");
  std::vector<double> lengths = Dijkstra(graph, 0);
  EXPECT_EQ(ShortestPaths(0)->Check(graph, lengths, true), "");
  lengths[0] = 1;
  EXPECT_EQ(ShortestPaths(0)->Check(graph, lengths, true),
            "the path to vertex 0 has length 1.000000 instead of 0.000000");
  // Not found yet is no mistake before the end; too short always is.
  EXPECT_EQ(ShortestPaths(0)->Check(graph, lengths, false), "");
  lengths[0] = -1;
  EXPECT_NE(ShortestPaths(0)->Check(graph, lengths, false), "");
}

TEST(Dijkstra, FindsTheShorterWay) {
  Graph graph{.vertices = 4, .edges = {{0, 1}, {1, 2}, {0, 2}}};
  const double direct = LengthOf({0, 2});
  const double around = LengthOf({0, 1}) + LengthOf({1, 2});
  const std::vector<double> lengths = Dijkstra(graph, 0);
  EXPECT_EQ(lengths[2], std::min(direct, around));
  EXPECT_EQ(lengths[3], std::numeric_limits<double>::infinity());
}

// Lines as phase_log.h describes them, without times and threads: "begin /Job".
std::vector<std::string> Lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  uint64_t last_ns = 0;
  for (std::string line; std::getline(file, line);) {
    unsigned long long time_ns = 0;
    char event[32] = {};
    EXPECT_EQ(std::sscanf(line.c_str(), R"({"time_ns":%llu,"event":"%31[a-z_]")", &time_ns, event),
              2)
        << line;
    EXPECT_GE(time_ns, last_ns);
    last_ns = time_ns;
    const size_t phase = line.find(R"("phase":")") + 9;
    lines.push_back(std::string(event) + ' ' + line.substr(phase, line.find('"', phase) - phase));
  }
  return lines;
}

TEST(Log, EveryPhaseBeginsWithinItsParentAndEnds) {
  Options options = Tiny();
  options.gc = true;
  options.lock = true;
  options.batches_per_link = 1;
  options.supersteps = 3;
  PhaseLog log;
  RunJob(options, log);
  char path[] = "/tmp/bsp_log_test.XXXXXX";
  close(mkstemp(path));
  ASSERT_TRUE(log.Write(path));
  std::set<std::string> open = {""};
  std::multiset<std::string> blocked;
  std::map<std::string, int> begun;
  for (const std::string& line : Lines(path)) {
    const std::string event = line.substr(0, line.find(' '));
    const std::string phase = line.substr(line.find(' ') + 1);
    SCOPED_TRACE(line);
    if (event == "begin") {
      EXPECT_EQ(open.count(phase.substr(0, phase.rfind('/'))), 1u);
      EXPECT_TRUE(open.insert(phase).second);
      ++begun[phase];
    } else if (event == "end") {
      EXPECT_EQ(open.erase(phase), 1u);
      EXPECT_EQ(blocked.count(phase), 0u);
    } else if (event == "blocked_begin") {
      EXPECT_EQ(open.count(phase), 1u);
      blocked.insert(phase);
    } else {
      EXPECT_EQ(event, "blocked_end");
      EXPECT_EQ(blocked.erase(phase), 1u);
    }
  }
  unlink(path);
  EXPECT_EQ(open, std::set<std::string>{""});
  EXPECT_EQ(begun["/Job/Superstep[2]/Exchange/Worker[2]/Thread[1]"], 1);
  EXPECT_EQ(begun["/Job/Superstep[2]/Barrier"], 1);
  // Job, Load, Check; three supersteps of barrier and four steps of three workers of two threads.
  EXPECT_EQ(begun.size(), 3u + 3 * (1 + 1 + 4 * (1 + 3 * (1 + 2))));
}

TEST(Log, TellsWhenItCannotBeWritten) {
  PhaseLog log;
  EXPECT_TRUE(log.Write(""));
  EXPECT_FALSE(log.Write("/nonexistent/log"));
}

}  // namespace
}  // namespace bsp
