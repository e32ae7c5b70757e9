// SPDX-License-Identifier: Apache-2.0
#include "participation/window_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace gordian {
namespace {

using PointOfGraph = std::pair<uint64_t, uint32_t>;  // time and worker

ActivityEdge Edge(uint32_t src_worker, uint64_t src_ns, uint32_t dst_worker, uint64_t dst_ns,
                  bool traversable = true) {
  return {.src_ns = src_ns,
          .dst_ns = dst_ns,
          .src_worker = src_worker,
          .dst_worker = dst_worker,
          .traversable = traversable};
}

void SortByBeginning(std::vector<ActivityEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(), [](const ActivityEdge& a, const ActivityEdge& b) {
    return a.src_ns < b.src_ns;
  });
}

// Walks every path, and counts for each edge the paths that it is on.
class EveryPath {
 public:
  EveryPath(const std::vector<ActivityEdge>& edges, const WindowBorders& window)
      : window_(window), on_edge_(edges.size()) {
    for (size_t i = 0; i < edges.size(); ++i) {
      const ActivityEdge& edge = edges[i];
      const uint64_t src_ns = std::max(edge.src_ns, window.from_ns);
      const uint64_t dst_ns = std::min(edge.dst_ns, window.to_ns);
      const bool is_instant = edge.src_ns == edge.dst_ns;
      const bool inside = is_instant ? src_ns == dst_ns : src_ns < dst_ns;
      if (!edge.traversable || !inside) continue;
      from_[{src_ns, edge.src_worker}].push_back({i, {dst_ns, edge.dst_worker}});
      points_.insert({src_ns, edge.src_worker});
      points_.insert({dst_ns, edge.dst_worker});
    }
    RemoveCircles();
    for (const PointOfGraph& point : points_)
      if (point.first == window.from_ns) Walk(point);
  }

  uint64_t paths() const { return paths_; }
  uint64_t on_edge(size_t edge) const { return on_edge_[edge]; }
  uint64_t in_circles() const { return in_circles_; }

 private:
  struct Way {
    size_t edge;
    PointOfGraph to;
  };

  bool Reaches(const PointOfGraph& from, const PointOfGraph& to) {
    std::set<PointOfGraph> seen = {from};
    std::vector<PointOfGraph> open = {from};
    while (!open.empty()) {
      const PointOfGraph at = open.back();
      open.pop_back();
      if (at == to) return true;
      for (const Way& way : from_[at])
        if (way.to.first == to.first && seen.insert(way.to).second) open.push_back(way.to);
    }
    return false;
  }

  void RemoveCircles() {
    std::set<size_t> circles;
    for (const PointOfGraph& point : points_)
      for (const Way& way : std::vector<Way>(from_[point]))
        if (way.to.first == point.first && Reaches(way.to, point)) circles.insert(way.edge);
    for (auto& [point, ways] : from_)
      std::erase_if(ways, [&](const Way& way) { return circles.count(way.edge) > 0; });
    in_circles_ = circles.size();
  }

  void Walk(const PointOfGraph& at) {
    if (at.first == window_.to_ns) {
      ++paths_;
      for (const size_t edge : way_) ++on_edge_[edge];
    }
    for (const Way& way : from_[at]) {
      way_.push_back(way.edge);
      Walk(way.to);
      way_.pop_back();
    }
  }

  WindowBorders window_;
  std::map<PointOfGraph, std::vector<Way>> from_;
  std::set<PointOfGraph> points_;
  std::vector<size_t> way_;
  std::vector<uint64_t> on_edge_;
  uint64_t paths_ = 0;
  uint64_t in_circles_ = 0;
};

double SumOfSolved(const std::vector<ActivityEdge>& edges, const WindowPaths& solved,
                   const WindowBorders& window) {
  double sum = 0;
  for (size_t i = 0; i < edges.size(); ++i)
    sum += solved.crossings()[i] * static_cast<double>(LengthInWindow(edges[i], window));
  return sum / static_cast<double>(window.to_ns - window.from_ns);
}

TEST(WindowPaths, EqualTheEnumerationOfAllPathsOfRandomGraphs) {
  std::mt19937 random(1);
  uint64_t with_paths = 0, with_circles = 0;
  for (int round = 0; round < 20'000; ++round) {
    const uint32_t workers = 1 + random() % 4;
    const uint64_t length_ns = 2 + random() % 8;
    std::vector<ActivityEdge> edges(random() % 16);
    for (ActivityEdge& edge : edges) {
      // Most begin where others may end; some take no time, some cross a border or the whole.
      const uint64_t src_ns = random() % length_ns;
      const uint64_t dst_ns = std::min<uint64_t>(src_ns + random() % 4, length_ns);
      edge = Edge(random() % workers, src_ns, random() % workers, dst_ns, random() % 8 != 0);
    }
    SortByBeginning(edges);
    const uint64_t from_ns = random() % 3;
    const WindowBorders window = {from_ns, from_ns + 1 + random() % length_ns};
    const EveryPath expected(edges, window);
    WindowPaths solved;
    solved.Solve(edges, window);
    ASSERT_EQ(solved.paths().ToDouble(), static_cast<double>(expected.paths())) << round;
    ASSERT_EQ(solved.in_circles(), expected.in_circles()) << round;
    with_circles += expected.in_circles() > 0 ? 1 : 0;
    if (expected.paths() == 0) continue;
    ++with_paths;
    for (size_t i = 0; i < edges.size(); ++i) {
      const double share =
          static_cast<double>(expected.on_edge(i)) / static_cast<double>(expected.paths());
      ASSERT_NEAR(solved.crossings()[i], share, 1e-12) << round << " edge " << i;
    }
    ASSERT_NEAR(SumOfSolved(edges, solved, window), 1, 1e-12) << round;
  }
  EXPECT_GT(with_paths, 5'000u);
  EXPECT_GT(with_circles, 500u);
}

// The earliest point from which that edge's end is reached: by trying all.
uint64_t EarliestBefore(const std::vector<ActivityEdge>& edges, size_t last) {
  uint64_t earliest_ns = edges[last].src_ns;
  for (size_t i = 0; i < edges.size(); ++i) {
    const bool joins = edges[i].dst_ns == edges[last].src_ns &&
                       edges[i].dst_worker == edges[last].src_worker && edges[i].traversable;
    if (joins) earliest_ns = std::min(earliest_ns, EarliestBefore(edges, i));
  }
  return earliest_ns;
}

TEST(WindowPaths, TellALongestChainToTheLastEnd) {
  std::mt19937 random(5);
  for (int round = 0; round < 3'000; ++round) {
    std::vector<ActivityEdge> edges(1 + random() % 12);
    uint64_t last_ns = 0, earliest_ns = 1'000;
    for (ActivityEdge& edge : edges) {
      const uint64_t src_ns = 1 + random() % 8;
      edge = Edge(random() % 3, src_ns, random() % 3, src_ns + 1 + random() % 3, random() % 6 != 0);
      if (edge.traversable) last_ns = std::max(last_ns, edge.dst_ns);
    }
    SortByBeginning(edges);
    for (size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].traversable && edges[i].dst_ns == last_ns)
        earliest_ns = std::min(earliest_ns, EarliestBefore(edges, i));
    }
    WindowPaths solved;
    solved.Solve(edges, {0, 20});
    const std::vector<uint32_t> chain = solved.LongestChain();
    ASSERT_EQ(chain.empty(), last_ns == 0);
    if (chain.empty()) continue;
    EXPECT_EQ(edges[chain.front()].src_ns, earliest_ns) << round;
    EXPECT_EQ(edges[chain.back()].dst_ns, last_ns);
    for (size_t i = 1; i < chain.size(); ++i) {
      EXPECT_EQ(edges[chain[i]].src_ns, edges[chain[i - 1]].dst_ns);
      EXPECT_EQ(edges[chain[i]].src_worker, edges[chain[i - 1]].dst_worker);
    }
  }
}

TEST(WindowPaths, DoNotDependOnWhatWasSolvedBefore) {
  const std::vector<ActivityEdge> one = {Edge(0, 0, 0, 5), Edge(0, 0, 1, 5)};
  const std::vector<ActivityEdge> other = {Edge(0, 0, 0, 5)};
  WindowPaths solved;
  solved.Solve(one, {0, 5});
  EXPECT_EQ(solved.paths().ToDouble(), 2);
  solved.Solve(other, {0, 5});
  EXPECT_EQ(solved.paths().ToDouble(), 1);
  EXPECT_EQ(solved.crossings().size(), 1u);
  solved.Solve({}, {0, 5});
  EXPECT_TRUE(solved.paths().is_zero());
}

TEST(WindowPaths, MayBeMoreThanAnyNumberHolds) {
  // Each link of the chain doubles them.
  constexpr size_t kLinks = 20'000;
  std::vector<ActivityEdge> edges;
  for (size_t i = 0; i < kLinks; ++i) {
    edges.push_back(Edge(0, i, 0, i + 1));
    edges.push_back(Edge(0, i, 0, i + 1));
  }
  WindowPaths solved;
  solved.Solve(edges, {0, kLinks});
  EXPECT_NEAR(solved.paths().Log10(), kLinks * std::log10(2.0), 1e-6);
  for (const double crossings : solved.crossings()) ASSERT_EQ(crossings, 0.5);
  EXPECT_NEAR(SumOfSolved(edges, solved, {0, kLinks}), 1, 1e-12);
}

TEST(WindowPaths, AreAsExactInDeepGraphsOfManyWorkers) {
  constexpr uint64_t kSteps = 30'000;
  std::mt19937 random(3);
  std::vector<ActivityEdge> edges;
  for (uint64_t step = 0; step < kSteps; ++step) {
    for (uint32_t worker = 0; worker < 4; ++worker) {
      edges.push_back(Edge(worker, step, worker, step + 1));
      if (random() % 2 == 0) edges.push_back(Edge(worker, step, random() % 4, step + 1));
    }
  }
  WindowPaths solved;
  solved.Solve(edges, {0, kSteps});
  EXPECT_GT(solved.paths().Log10(), 5'000);
  EXPECT_NEAR(SumOfSolved(edges, solved, {0, kSteps}), 1, 1e-9);
}

}  // namespace
}  // namespace gordian
