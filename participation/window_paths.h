// SPDX-License-Identifier: Apache-2.0
// All critical paths through one window of an activity graph at once (SnailTrail, NSDI 2018).
//
// A path leads from any point at the window's beginning along traversable edges, cut at the
// window's borders, to any point at its end. All paths are as long as the window, and none is
// likelier than another. Of each edge this tells the share of the paths that it is on: its
// crossings.
//
// Nothing enumerates paths. A pass back in time counts the paths from each point to the end. A pass
// forward sends one unit of flow from the beginning, and parts it at each point as the paths part:
// the flow along an edge is its crossings. Each pass takes one step for each edge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "participation/path_count.h"
#include "trace/activities/activity.h"

namespace gordian {

struct WindowBorders {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;  // later
};

// The time that an edge has in the window. One that only touches a border with its end, or its
// beginning, is not in it; but one without length is, at both borders, too.
bool IsInWindow(const ActivityEdge& edge, const WindowBorders& window);
uint64_t LengthInWindow(const ActivityEdge& edge, const WindowBorders& window);

// Not thread-safe; keeps its memory from window to window.
class WindowPaths {
 public:
  // `edges` are in order of their beginnings; those that are not in the window have no crossings.
  void Solve(std::span<const ActivityEdge> edges, const WindowBorders& window);

  PathCount paths() const { return paths_; }
  // By edge: the share of the paths that it is on.
  std::span<const double> crossings() const { return crossings_; }
  // After Solve: the edges, by number and in order of time, of a chain that leads to the last end
  // in the window, and begins as early as any that does. So none is longer. Of several that begin
  // as early, at each point the one whose last edge comes first in the list.
  std::vector<uint32_t> LongestChain() const;
  // Edges without length that lead in a circle. No path leads along them.
  uint64_t in_circles() const { return in_circles_; }

 private:
  struct CutEdge {
    uint32_t src = 0;  // numbers of points
    uint32_t dst = 0;
    uint32_t edge = 0;
  };
  struct Point {
    uint64_t time_ns = 0;
    uint32_t worker = 0;
    bool operator==(const Point&) const = default;
    template <typename H>
    friend H AbslHashValue(H hash, const Point& point) {
      return H::combine(std::move(hash), point.time_ns, point.worker);
    }
  };

  void CutEdges(std::span<const ActivityEdge> edges, const WindowBorders& window);
  uint32_t Number(const Point& point, const WindowBorders& window);
  void AddInstants();
  void CountBack();
  void FlowForward();

  absl::flat_hash_map<Point, uint32_t> points_;
  std::vector<uint64_t> times_ns_;  // by point
  std::vector<uint32_t> starts_;    // points at the window's beginning
  // In an order in which all edges to a point stand before all edges from it.
  std::vector<CutEdge> cut_;
  std::vector<CutEdge> instants_;        // of the time at which edges are cut
  std::vector<CutEdge> lasting_;         // likewise
  std::vector<PathCount> paths_to_end_;  // by point
  std::vector<double> flow_;             // by point
  std::vector<double> crossings_;
  PathCount paths_;
  uint64_t in_circles_ = 0;
};

}  // namespace gordian
