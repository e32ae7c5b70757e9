// SPDX-License-Identifier: Apache-2.0
// The sweep against the definition: the literal recursion of wPerf's Figure 4 where there are no
// cycles, and a forest drawn anew for each instant where there are.
#include "analyzer/cascade/cascade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/cascade/edge_totals.h"

namespace gordian {
namespace {

using Weights = std::map<std::pair<EntityId, EntityId>, uint64_t>;

constexpr EntityId kThreads = 9;
constexpr uint64_t kEndNs = 200;

std::vector<WaitInterval> Overlapping(const std::vector<WaitInterval>& all, uint64_t from_ns,
                                      uint64_t to_ns) {
  std::vector<WaitInterval> waits;
  for (const WaitInterval& wait : all) {
    if (wait.start_ns < to_ns && wait.end_ns > from_ns) waits.push_back(wait);
  }
  return waits;
}

struct CascadeResult {
  std::vector<Edge> edges;
  uint64_t cyclic_links = 0;
};

// The range [from_ns, to_ns) cut at these borders and swept, of each `joined` windows made one, and
// added up.
CascadeResult Sweep(const std::vector<WaitInterval>& waits, std::vector<uint64_t> borders = {},
                    size_t joined = 1, uint64_t from_ns = 0, uint64_t to_ns = kEndNs) {
  std::erase_if(borders, [&](uint64_t time_ns) { return time_ns <= from_ns || time_ns >= to_ns; });
  borders.push_back(from_ns);
  borders.push_back(to_ns);
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  CascadeSweeper sweeper(kThreads);
  std::vector<CascadeWindow> windows;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    CascadeWindow window =
        sweeper.Sweep(Overlapping(waits, borders[i], borders[i + 1]), borders[i], borders[i + 1]);
    if (i % joined == 0) {
      windows.push_back(std::move(window));
    } else {
      windows.back() = Joined(windows.back(), window);
    }
  }
  EdgeTotals totals(kThreads, from_ns, to_ns);
  CascadeResult result;
  for (const CascadeWindow& window : windows) {
    totals.Add(window.edges);
    totals.AddWaits(window.straddlers);
    result.cyclic_links += window.cyclic_links;
  }
  for (const WaitInterval& wait : Overlapping(waits, from_ns, to_ns)) {
    if (wait.start_ns < from_ns) totals.AddWaits({&wait, 1});
  }
  result.edges = totals.TakeSorted();
  return result;
}

Weights WeightsOf(const CascadeResult& result) {
  Weights weights;
  for (const Edge& edge : result.edges) weights[{edge.from, edge.to}] = edge.weight_ns;
  return weights;
}

using EdgeRow = std::tuple<EntityId, EntityId, uint64_t, uint64_t, uint64_t, uint64_t>;
std::vector<EdgeRow> Rows(const CascadeResult& result) {
  std::vector<EdgeRow> rows;
  for (const Edge& edge : result.edges) {
    rows.emplace_back(edge.from, edge.to, edge.weight_ns, edge.own_ns, edge.count, edge.longest_ns);
  }
  return rows;
}

// Rows of waits without overlap, one row per waiter.
rc::Gen<std::vector<WaitInterval>> AnyWaits(bool acyclic) {
  return rc::gen::exec([acyclic] {
    std::vector<WaitInterval> waits;
    // Without cycles: in each of these stretches of time threads only wait for those that are
    // further along in an order that differs from stretch to stretch.
    constexpr uint64_t kStretchNs = 50;
    std::vector<EntityId> order;
    for (EntityId id = 0; id < kThreads; ++id) order.push_back(id);
    for (uint64_t from_ns = 0; from_ns < kEndNs; from_ns += acyclic ? kStretchNs : kEndNs) {
      const uint64_t to_ns = acyclic ? from_ns + kStretchNs : kEndNs;
      for (EntityId i = kThreads; i > 1; --i) {
        std::swap(order[i - 1], order[*rc::gen::inRange<size_t>(0, i)]);
      }
      for (EntityId place = 0; place < kThreads; ++place) {
        uint64_t time_ns = from_ns + *rc::gen::inRange<uint64_t>(0, 20);
        while (true) {
          const uint64_t end_ns = time_ns + *rc::gen::inRange<uint64_t>(1, 40);
          const auto other = *rc::gen::inRange<EntityId>(acyclic ? place + 1 : 0, kThreads + 1);
          if (end_ns > to_ns) break;
          if (other < kThreads && other != place) {
            waits.push_back({time_ns, end_ns, order[place], order[other]});
          }
          time_ns = end_ns + *rc::gen::inRange<uint64_t>(0, 10);
        }
      }
    }
    std::sort(waits.begin(), waits.end(), [](const WaitInterval& a, const WaitInterval& b) {
      return std::tie(a.waiter, a.start_ns) < std::tie(b.waiter, b.start_ns);
    });
    return waits;
  });
}

// Figure 4, word for word, except for the set of threads already on the way.
void Recurse(const std::vector<WaitInterval>& waits, WaitInterval wait, std::set<EntityId> on_way,
             Weights& weights) {
  weights[{wait.waiter, wait.waker}] += wait.end_ns - wait.start_ns;
  on_way.insert(wait.waiter);
  if (on_way.count(wait.waker) > 0) return;
  for (WaitInterval next : waits) {
    if (next.waiter != wait.waker) continue;
    next.start_ns = std::max(next.start_ns, wait.start_ns);
    next.end_ns = std::min(next.end_ns, wait.end_ns);
    if (next.start_ns < next.end_ns) Recurse(waits, next, on_way, weights);
  }
}

// The forest of each nanosecond, from nothing: links in order of (start, waiter), those that would
// close a cycle left out.
Weights InstantByInstant(const std::vector<WaitInterval>& waits) {
  Weights weights;
  for (uint64_t time_ns = 0; time_ns < kEndNs; ++time_ns) {
    std::vector<WaitInterval> active;
    for (const WaitInterval& wait : waits) {
      if (wait.start_ns <= time_ns && time_ns < wait.end_ns) active.push_back(wait);
    }
    std::stable_sort(active.begin(), active.end(),
                     [](const WaitInterval& a, const WaitInterval& b) {
                       return std::tie(a.start_ns, a.waiter) < std::tie(b.start_ns, b.waiter);
                     });
    std::map<EntityId, EntityId> parents;
    for (const WaitInterval& wait : active) {
      EntityId at = wait.waker;
      while (at != wait.waiter && parents.count(at) > 0) at = parents[at];
      if (at != wait.waiter) parents[wait.waiter] = wait.waker;
    }
    std::map<EntityId, uint64_t> sizes;
    for (EntityId id = 0; id < kThreads; ++id) {
      for (EntityId at = id;; at = parents[at]) {
        ++sizes[at];
        if (parents.count(at) == 0) break;
      }
    }
    for (const WaitInterval& wait : active)
      weights[{wait.waiter, wait.waker}] += sizes[wait.waiter];
  }
  return weights;
}

std::vector<uint64_t> AnyBorders() {
  return *rc::gen::container<std::vector<uint64_t>>(rc::gen::inRange<uint64_t>(0, kEndNs + 20));
}

RC_GTEST_PROP(Cascade, EqualsTheRecursionWhereNothingIsCyclic, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(true);
  Weights expected;
  for (const WaitInterval& wait : waits) Recurse(waits, wait, {}, expected);
  const CascadeResult result = Sweep(waits);
  RC_ASSERT(result.cyclic_links == 0u);
  RC_ASSERT(WeightsOf(result) == expected);
}

RC_GTEST_PROP(Cascade, EqualsTheForestOfEachInstantWhateverIsCyclic, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(false);
  RC_ASSERT(WeightsOf(Sweep(waits)) == InstantByInstant(waits));
}

RC_GTEST_PROP(Cascade, DoesNotDependOnWindows, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(*rc::gen::arbitrary<bool>());
  const auto from_ns = *rc::gen::inRange<uint64_t>(0, kEndNs);
  const auto to_ns = *rc::gen::inRange<uint64_t>(from_ns, kEndNs + 1);
  const CascadeResult whole = Sweep(waits, {}, 1, from_ns, to_ns);
  const CascadeResult cut =
      Sweep(waits, AnyBorders(), *rc::gen::inRange<size_t>(1, 5), from_ns, to_ns);
  RC_ASSERT(Rows(cut) == Rows(whole));
  RC_ASSERT(cut.cyclic_links == whole.cyclic_links);
}

RC_GTEST_PROP(Cascade, JoinsTwoWindowsToWhatOneSweepOfBothGives, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(*rc::gen::arbitrary<bool>());
  const auto from_ns = *rc::gen::inRange<uint64_t>(0, kEndNs - 1);
  const auto to_ns = *rc::gen::inRange<uint64_t>(from_ns + 2, kEndNs + 1);
  const auto middle_ns = *rc::gen::inRange<uint64_t>(from_ns + 1, to_ns);
  CascadeSweeper sweeper(kThreads);
  const auto sweep = [&](uint64_t begin_ns, uint64_t end_ns) {
    return sweeper.Sweep(Overlapping(waits, begin_ns, end_ns), begin_ns, end_ns);
  };
  const CascadeWindow joined = Joined(sweep(from_ns, middle_ns), sweep(middle_ns, to_ns));
  const CascadeWindow whole = sweep(from_ns, to_ns);
  RC_ASSERT(joined.edges == whole.edges);
  RC_ASSERT(joined.straddlers == whole.straddlers);
  RC_ASSERT(joined.cyclic_links == whole.cyclic_links);
}

RC_GTEST_PROP(Cascade, CountsAndClipsTheWaitsOfARange, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(false);
  const auto from_ns = *rc::gen::inRange<uint64_t>(0, kEndNs);
  const auto to_ns = *rc::gen::inRange<uint64_t>(from_ns, kEndNs + 1);
  std::map<std::pair<EntityId, EntityId>, Edge> expected;
  for (const WaitInterval& wait : Overlapping(waits, from_ns, to_ns)) {
    const uint64_t own_ns = std::min(wait.end_ns, to_ns) - std::max(wait.start_ns, from_ns);
    Edge& edge = expected[{wait.waiter, wait.waker}];
    edge.own_ns += own_ns;
    ++edge.count;
    edge.longest_ns = std::max(edge.longest_ns, own_ns);
  }
  const CascadeResult result = Sweep(waits, AnyBorders(), 1, from_ns, to_ns);
  RC_ASSERT(result.edges.size() == expected.size());
  for (const Edge& edge : result.edges) {
    const Edge& one = expected.at({edge.from, edge.to});
    RC_ASSERT(edge.own_ns == one.own_ns);
    RC_ASSERT(edge.count == one.count);
    RC_ASSERT(edge.longest_ns == one.longest_ns);
  }
}

// A thread that sleeps, with none behind it, costs nothing where it sleeps on.
TEST(Cascade, KeepsNoRowsForAWindowThatIsSleptThrough) {
  const std::vector<WaitInterval> waits = {{10, 190, 0, 1}};
  CascadeSweeper sweeper(kThreads);
  const CascadeWindow first = sweeper.Sweep(waits, 0, 50);
  EXPECT_TRUE(first.edges.empty());
  EXPECT_EQ(first.straddlers, waits);
  const CascadeWindow later = sweeper.Sweep(waits, 50, 100);
  EXPECT_TRUE(later.edges.empty());
  EXPECT_TRUE(later.straddlers.empty());
}

RC_GTEST_PROP(Cascade, PartsOfARecordingAddUp, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(*rc::gen::arbitrary<bool>());
  const auto middle_ns = *rc::gen::inRange<uint64_t>(0, kEndNs);
  Weights sum = WeightsOf(Sweep(waits, {}, 1, 0, middle_ns));
  for (const auto& [edge, weight_ns] : WeightsOf(Sweep(waits, {}, 1, middle_ns, kEndNs))) {
    sum[edge] += weight_ns;
  }
  RC_ASSERT(sum == WeightsOf(Sweep(waits)));
}

RC_GTEST_PROP(Cascade, WeighsNoEdgeLessThanItsOwnWaits, ()) {
  const std::vector<WaitInterval> waits = *AnyWaits(false);
  Weights own;
  for (const WaitInterval& wait : waits) {
    own[{wait.waiter, wait.waker}] += wait.end_ns - wait.start_ns;
  }
  for (const Edge& edge : Sweep(waits).edges) {
    RC_ASSERT(edge.own_ns == (own[{edge.from, edge.to}]));
    RC_ASSERT(edge.weight_ns >= edge.own_ns);
    RC_ASSERT(edge.longest_ns * edge.count >= edge.own_ns);
  }
}

TEST(Cascade, CountsACycleOnceAndGoesOn) {
  // 0 → 1 → 2 → 0 from 10 on; the last link closes the cycle. It is passed on from 40, when 0's
  // wait has ended.
  const std::vector<WaitInterval> waits = {{10, 40, 0, 1}, {20, 60, 1, 2}, {30, 60, 2, 0}};
  const CascadeResult result = Sweep(waits, {25, 35, 45});
  EXPECT_EQ(result.cyclic_links, 1u);
  const Weights expected = {{{0, 1}, 30},           // no thread waits for 0 while it waits
                            {{1, 2}, 20 * 2 + 20},  // with 0 until 40
                            {{2, 0}, 10 * 3 + 20 * 2}};
  EXPECT_EQ(WeightsOf(result), expected);
}

TEST(Cascade, WeighsAHubByAllThatWaitForIt) {
  std::vector<WaitInterval> waits;
  for (EntityId id = 0; id + 2 < kThreads; ++id) waits.push_back({50, 150, id, kThreads - 2});
  waits.push_back({50, 150, kThreads - 2, kThreads - 1});
  const Weights weights = WeightsOf(Sweep(waits));
  EXPECT_EQ(weights.at({kThreads - 2, kThreads - 1}), 100u * (kThreads - 1));
}

TEST(Cascade, OfNothingIsNothing) {
  EXPECT_TRUE(Sweep({}).edges.empty());
  EXPECT_TRUE(Sweep({{10, 20, 0, 1}}, {}, 1, 20, 20).edges.empty());
}

}  // namespace
}  // namespace gordian
