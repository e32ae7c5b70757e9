// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cascade/cascade.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "analyzer/cascade/edge_sums.h"
#include "analyzer/cascade/wait_forest.h"
#include "analyzer/waits/time_order.h"
#include "base/parallel.h"

namespace gordian {
namespace {

struct WindowTimes {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

std::vector<WindowTimes> CutIntoWindows(const CascadeOptions& options) {
  std::vector<WindowTimes> windows;
  std::vector<uint64_t> borders = options.borders;
  std::sort(borders.begin(), borders.end());
  uint64_t from_ns = options.from_ns;
  for (const uint64_t border_ns : borders) {
    if (border_ns <= from_ns || border_ns >= options.to_ns) continue;
    windows.push_back({from_ns, border_ns});
    from_ns = border_ns;
  }
  if (from_ns < options.to_ns) windows.push_back({from_ns, options.to_ns});
  return windows;
}

// Sweeps windows, one after the other; keeps its memory and adds up.
class Sweeper {
 public:
  Sweeper(const CollectWaits& collect, const CascadeOptions& options)
      : collect_(collect), options_(options), forest_(options.entities), edges_(options.entities) {}

  void Sweep(WindowTimes window) {
    window_ = window;
    waits_.clear();
    collect_(window.from_ns, window.to_ns, waits_);
    OrderBeginnings();
    OrderEnds();
    // An end comes before a beginning at the same time: waits do not touch.
    size_t ended = 0;
    for (const TimedIndex& beginning : beginnings_) {
      while (ends_[ended].time_ns <= beginning.time_ns) End(ends_[ended++]);
      Begin(beginning);
    }
    while (ended < ends_.size()) End(ends_[ended++]);
  }

  const EdgeSums& edges() const { return edges_; }
  uint64_t cyclic_links() const { return cyclic_links_; }

 private:
  // Waits that were there when the window began come first, in the order in which they began.
  void OrderBeginnings() {
    beginnings_.clear();
    carried_.clear();
    for (uint32_t i = 0; i < waits_.size(); ++i) {
      const uint64_t start_ns = waits_[i].start_ns;
      (start_ns < window_.from_ns ? carried_ : beginnings_).push_back({start_ns, i});
    }
    SortByTime(carried_, scratch_);
    SortByTime(beginnings_, scratch_);
    for (TimedIndex& entry : carried_) entry.time_ns = window_.from_ns;
    beginnings_.insert(beginnings_.begin(), carried_.begin(), carried_.end());
  }

  void OrderEnds() {
    ends_.clear();
    for (uint32_t i = 0; i < waits_.size(); ++i) {
      ends_.push_back({std::min(waits_[i].end_ns, window_.to_ns), i});
    }
    SortByTime(ends_, scratch_);
  }

  void Begin(const TimedIndex& entry) {
    const WaitInterval& wait = waits_[entry.index];
    const bool linked = forest_.Begin(wait.waiter, wait.waker, entry.time_ns);
    if (!linked && wait.start_ns >= window_.from_ns) ++cyclic_links_;
  }

  void End(const TimedIndex& entry) {
    const WaitInterval& wait = waits_[entry.index];
    Edge& edge = edges_.Of(wait.waiter, wait.waker);
    edge.weight_ns += forest_.End(wait.waiter, entry.time_ns);
    edge.own_ns += entry.time_ns - std::max(wait.start_ns, window_.from_ns);
    const bool is_first_part =
        wait.start_ns >= window_.from_ns || window_.from_ns == options_.from_ns;
    if (!is_first_part) return;
    ++edge.count;
    edge.longest_ns = std::max(edge.longest_ns, std::min(wait.end_ns, options_.to_ns) -
                                                    std::max(wait.start_ns, options_.from_ns));
  }

  const CollectWaits& collect_;
  const CascadeOptions& options_;
  WaitForest forest_;
  EdgeSums edges_;
  uint64_t cyclic_links_ = 0;
  WindowTimes window_;
  std::vector<WaitInterval> waits_;
  std::vector<TimedIndex> carried_, beginnings_, ends_, scratch_;
};

}  // namespace

CascadeResult Cascade(const CollectWaits& collect, const CascadeOptions& options) {
  const std::vector<WindowTimes> windows = CutIntoWindows(options);
  const int threads = ThreadCount(options.threads);
  std::vector<std::unique_ptr<Sweeper>> sweepers(static_cast<size_t>(threads));
  ParallelFor(threads, windows.size(), [&](size_t i, int worker) {
    auto& sweeper = sweepers[static_cast<size_t>(worker)];
    if (sweeper == nullptr) sweeper = std::make_unique<Sweeper>(collect, options);
    sweeper->Sweep(windows[i]);
    if (worker == 0 && options.progress) {
      options.progress(static_cast<double>(i + 1) / static_cast<double>(windows.size()));
    }
  });
  CascadeResult result;
  EdgeSums sums(options.entities);
  for (const auto& sweeper : sweepers) {
    if (sweeper == nullptr) continue;
    for (const Edge& edge : sweeper->edges().Sorted()) sums.Add(edge);
    result.cyclic_links += sweeper->cyclic_links();
  }
  result.edges = sums.Sorted();
  return result;
}

}  // namespace gordian
