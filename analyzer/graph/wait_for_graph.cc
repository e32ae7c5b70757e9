// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/wait_for_graph.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "analyzer/cascade/cascade.h"
#include "analyzer/cascade/edge_totals.h"
#include "analyzer/devices/devices.h"
#include "analyzer/graph/graphs_of_parts.h"
#include "analyzer/graph/rows_in_order.h"
#include "analyzer/sums/joined_ledgers.h"
#include "base/parallel.h"

namespace gordian {
namespace {

WaitForGraphOptions WithinRecording(const Timeline& timeline, const WaitForGraphOptions& options) {
  WaitForGraphOptions within = options;
  within.from_ns = std::clamp(options.from_ns, timeline.start_ns(), timeline.end_ns());
  within.to_ns = std::clamp(options.to_ns, within.from_ns, timeline.end_ns());
  return within;
}

// A part of time; empty if it ends where it begins.
struct Part {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

// A range as windows [first_window, end_window) and what they leave of it.
struct CutRange {
  CutRange(const WindowSumsView& sums, Part range)
      : before{range}, after{range.to_ns, range.to_ns} {
    const auto borders = sums.borders_ns;
    covered =
        sums.windows() > 0 && borders.front() <= range.from_ns && range.to_ns <= borders.back();
    if (!covered) return;
    const auto first = std::ranges::lower_bound(borders, range.from_ns);
    const auto end = std::prev(std::ranges::upper_bound(borders, range.to_ns));
    if (first >= end) return;
    first_window = static_cast<size_t>(first - borders.begin());
    end_window = static_cast<size_t>(end - borders.begin());
    before.to_ns = *first;
    after.from_ns = *end;
  }

  bool covered = false;  // by the sums
  size_t first_window = 0;
  size_t end_window = 0;
  Part before;
  Part after;
};

// The edges within a range.
class EdgesOfRange {
 public:
  EdgesOfRange(const Waits& waits, const WaitForGraphOptions& range)
      : waits_(waits),
        range_(range),
        threads_(ThreadCount(range.threads)),
        workers_(static_cast<size_t>(threads_)),
        totals_(waits.entities().size(), range.from_ns, range.to_ns) {}

  // Must begin with the first part of the range.
  void Sweep(Part part, const Progress& progress) {
    const std::vector<uint64_t> borders = SweepBorders(waits_, part.from_ns, part.to_ns);
    const size_t windows = borders.size() - 1;
    ParallelFor(threads_, windows, [&](size_t i, int number) {
      auto& worker = workers_[static_cast<size_t>(number)];
      if (worker == nullptr) worker = std::make_unique<Worker>(waits_, range_);
      SweepWindow({borders[i], borders[i + 1]}, *worker);
      if (number == 0 && progress)
        progress(static_cast<double>(i + 1) / static_cast<double>(windows));
    });
  }

  // The waits that go on when the range begins, where no sweep does.
  void AddCarried() {
    std::vector<WaitInterval> waits;
    waits_.Collect(range_.from_ns, range_.from_ns + 1, waits);
    AddThoseBefore(waits, totals_);
  }

  // With the windows [first_window, end_window) of the sums. `graph` has no edges yet, and room for
  // `more_edges` behind those that it gets.
  void Finish(const WindowSumsView& sums, size_t first_window, size_t end_window, size_t more_edges,
              WaitForGraph& graph) {
    std::vector<std::vector<Edge>> swept = {totals_.TakeSorted()};
    for (const auto& worker : workers_) {
      if (worker == nullptr) continue;
      swept.push_back(worker->totals.TakeSorted());
      cyclic_links_ += worker->cyclic_links;
    }
    for (size_t window = first_window; window < end_window; ++window)
      cyclic_links_ += sums.cyclic_links[window];
    graph.cyclic_links = cyclic_links_;

    const size_t waiters = waits_.entities().size();
    const size_t groups = (waiters + kWaitersAtOnce - 1) / kWaitersAtOnce;
    // A row that grows is there twice for a moment. Room that nothing is written to is no memory.
    size_t most_edges = more_edges;
    for (const std::vector<Edge>& more : swept) most_edges += more.size();
    for (size_t window = first_window; window < end_window; ++window)
      most_edges += sums.edges.Of(window).size() + sums.straddlers.Of(window).size();
    graph.edges.reserve(most_edges);
    RowsInOrder<Edge> in_order(graph.edges);
    ParallelFor(threads_, groups, [&](size_t i, int) {
      const Waiters some = {static_cast<EntityId>(i * kWaitersAtOnce),
                            static_cast<EntityId>(std::min(waiters, (i + 1) * kWaitersAtOnce))};
      EdgeTotals totals(some.end, range_.from_ns, range_.to_ns, some.begin);
      for (size_t window = first_window; window < end_window; ++window) {
        totals.Add(RowsOf(sums.edges.Of(window), some, &EdgeSum::from));
        totals.AddWaits(RowsOf(sums.straddlers.Of(window), some, &WaitInterval::waiter));
      }
      for (const std::vector<Edge>& more : swept)
        for (const Edge& edge : RowsOf(std::span(more), some, &Edge::from)) totals.Add(edge);
      in_order.Put(i, totals.TakeSorted());
    });
  }

 private:
  // Edges are added up for so many waiters at once: for all of a long recording, the table that
  // finds an edge is as large as the edges, and in no cache. With few, each window is searched for
  // rows of theirs more often than it has any.
  static constexpr size_t kWaitersAtOnce = 256;
  struct Waiters {
    EntityId begin = 0;
    EntityId end = 0;
  };
  // Those of some waiters, of rows in order of waiters.
  template <typename Row>
  static std::span<const Row> RowsOf(std::span<const Row> rows, Waiters some,
                                     EntityId Row::*waiter) {
    const auto place_of = [&](EntityId id) {
      return std::partition_point(rows.begin(), rows.end(),
                                  [&](const Row& row) { return row.*waiter < id; });
    };
    return {place_of(some.begin), place_of(some.end)};
  }

  struct Worker {
    Worker(const Waits& waits, const WaitForGraphOptions& range)
        : sweeper(waits.entities().size()),
          totals(waits.entities().size(), range.from_ns, range.to_ns) {}
    CascadeSweeper sweeper;
    EdgeTotals totals;
    std::vector<WaitInterval> waits;
    uint64_t cyclic_links = 0;
  };

  void SweepWindow(Part window, Worker& worker) {
    worker.waits.clear();
    waits_.Collect(window.from_ns, window.to_ns, worker.waits);
    const CascadeWindow swept = worker.sweeper.Sweep(worker.waits, window.from_ns, window.to_ns);
    worker.totals.Add(swept.edges);
    worker.totals.AddWaits(swept.straddlers);
    worker.cyclic_links += swept.cyclic_links;
    if (window.from_ns == range_.from_ns) AddThoseBefore(worker.waits, worker.totals);
  }

  void AddThoseBefore(std::span<const WaitInterval> waits, EdgeTotals& totals) const {
    for (const WaitInterval& wait : waits) {
      if (wait.start_ns < range_.from_ns) totals.AddWaits({&wait, 1});
    }
  }

  const Waits& waits_;
  const WaitForGraphOptions& range_;
  const int threads_;
  std::vector<std::unique_ptr<Worker>> workers_;
  EdgeTotals totals_;
  uint64_t cyclic_links_ = 0;
};

// What a thread's rows tell of its time within a run of windows.
struct TimeInWindows {
  bool has_rows = false;
  SegmentKind state = SegmentKind::kUnknown;  // since …
  uint64_t since_ns = 0;
  std::array<uint64_t, kSegmentKinds> time_ns{};
};

std::vector<TimeInWindows> AddLedgers(const Waits& waits, const WindowSumsView& sums,
                                      const CutRange& cut) {
  std::vector<TimeInWindows> times(waits.entities().size());
  for (size_t window = cut.first_window; window < cut.end_window; ++window) {
    const uint64_t from_ns = sums.borders_ns[window];
    for (const Ledger& row : sums.ledgers.Of(window)) {
      TimeInWindows& time = times[row.thread];
      if (!time.has_rows)
        time = {.has_rows = true, .state = row.at_start, .since_ns = cut.before.to_ns};
      // In the windows without a row of it it was in one state.
      AddTimeOf(waits.entities()[row.thread], time.state, time.since_ns, from_ns, time.time_ns);
      for (size_t kind = 0; kind < kSegmentKinds; ++kind) time.time_ns[kind] += row.time_ns[kind];
      time.state = row.at_end;
      time.since_ns = sums.borders_ns[window + 1];
    }
  }
  return times;
}

// Walks over an entity's segments within a part of time.
void AddSegments(const Waits& waits, EntityId id, Part part,
                 std::array<uint64_t, kSegmentKinds>& time_ns) {
  if (part.from_ns >= part.to_ns) return;
  for (SegmentCursor at = waits.SegmentsFrom(id, part.from_ns);
       !at.done() && at.start_ns() < part.to_ns; at.Next()) {
    const uint64_t from_ns = std::max(at.start_ns(), part.from_ns);
    const uint64_t to_ns = std::min(at.end_ns(), part.to_ns);
    if (from_ns < to_ns) time_ns[static_cast<size_t>(at.segment().kind)] += to_ns - from_ns;
  }
}

// The part of an entity's times that lies within the range. `inside` is null if no windows lie
// within it.
void ClipTimes(const Waits& waits, EntityId id, Part range, const CutRange& cut,
               const TimeInWindows* inside, Entity& entity) {
  const Part life = {std::clamp(entity.begin_ns, range.from_ns, range.to_ns),
                     std::clamp(entity.end_ns, range.from_ns, range.to_ns)};
  if (life.from_ns == entity.begin_ns && life.to_ns == entity.end_ns) return;
  std::array<uint64_t, kSegmentKinds> time_ns{};
  if (inside != nullptr && inside->has_rows) {
    time_ns = inside->time_ns;
    AddTimeOf(entity, inside->state, inside->since_ns, cut.after.from_ns, time_ns);
    AddSegments(waits, id, {life.from_ns, std::min(life.to_ns, cut.before.to_ns)}, time_ns);
    AddSegments(waits, id, {std::max(life.from_ns, cut.after.from_ns), life.to_ns}, time_ns);
  } else {
    AddSegments(waits, id, life, time_ns);
  }
  const auto of = [&](SegmentKind kind) { return time_ns[static_cast<size_t>(kind)]; };
  entity.begin_ns = life.from_ns;
  entity.end_ns = life.to_ns;
  entity.run_ns = of(SegmentKind::kRun);
  entity.runnable_ns = of(SegmentKind::kRunnable);
  entity.wait_ns = of(SegmentKind::kWait);
  entity.spin_ns = of(SegmentKind::kSpin);
  entity.unknown_ns = of(SegmentKind::kUnknown);
}

std::vector<DeviceUse> UsesWithin(const Waits& waits, const WindowSumsView& sums, Part range,
                                  const CutRange& cut) {
  if (!cut.covered) return UseOfDevices(waits, range.from_ns, range.to_ns);
  DeviceTotals totals(range.from_ns, range.to_ns);
  const DeviceCounter counter(waits, sums.disks);
  for (const Part& part : {cut.before, cut.after}) {
    if (part.from_ns >= part.to_ns) continue;
    const DeviceWindow counted = counter.Count(part.from_ns, part.to_ns);
    totals.Add(counted.devices, counted.work, counted.ended_idle);
  }
  for (size_t window = cut.first_window; window < cut.end_window; ++window)
    totals.Add(sums.devices.Of(window), sums.work.Of(window), sums.ended_idle.Of(window));
  return totals.Uses(waits.timeline(), sums.disks);
}

size_t IdleEdgesOf(const std::vector<DeviceUse>& uses) {
  size_t count = 0;
  for (const DeviceUse& use : uses) count += use.idle_edges.size();
  return count;
}

void AddDevices(const std::vector<DeviceUse>& uses, WaitForGraph& graph) {
  const auto of_threads = static_cast<ptrdiff_t>(graph.edges.size());
  for (const DeviceUse& use : uses) {
    Entity& entity = graph.entities[use.device];
    entity.busy_ns = use.busy_ns;
    entity.several_ns = use.several_ns;
    entity.bytes = use.bytes;
    entity.operations = use.operations;
    entity.requests_without_end = use.requests_without_end;
    graph.edges.insert(graph.edges.end(), use.idle_edges.begin(), use.idle_edges.end());
  }
  const auto is_before = [](const Edge& a, const Edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  const auto devices = graph.edges.begin() + of_threads;
  std::sort(devices, graph.edges.end(), is_before);
  std::inplace_merge(graph.edges.begin(), devices, graph.edges.end(), is_before);
}

// All but edges, and with the times of the whole recording. What `graph` held is overwritten.
void TellRecording(const Waits& waits, Part range, WaitForGraph& graph) {
  const Timeline& timeline = waits.timeline();
  graph.start_ns = range.from_ns;
  graph.end_ns = range.to_ns;
  graph.cpus = timeline.cpus();
  graph.nodes = timeline.nodes();
  graph.node_cpus.clear();
  for (uint32_t node = 0; node < graph.nodes.size(); ++node)
    graph.node_cpus.push_back(timeline.CpusOf(node));
  graph.entities = waits.entities();
  graph.edges.clear();
  graph.questions.assign(timeline.questions().begin(), timeline.questions().end());
  graph.events = timeline.events();
  graph.lost = timeline.lost();
  graph.missing_blocks = timeline.missing_blocks();
  graph.blocks = timeline.blocks();
}

std::vector<Wait> IdleStretches(const DeviceUse& use, const WaitForGraphOptions& range) {
  std::vector<Wait> waits;
  uint64_t idle_since_ns = range.from_ns;
  const auto add = [&](uint64_t from_ns, uint64_t to_ns, bool open_end) {
    from_ns = std::clamp(from_ns, range.from_ns, range.to_ns);
    to_ns = std::clamp(to_ns, range.from_ns, range.to_ns);
    if (from_ns >= to_ns) return;
    waits.push_back({.start_ns = from_ns,
                     .end_ns = to_ns,
                     .waiter = use.device,
                     .waker = kNobody,
                     .state = 0,
                     .cause = WaitCause::kIdleDevice,
                     .open_start = from_ns == range.from_ns,
                     .open_end = open_end});
  };
  for (const Stretch& busy : use.busy) {
    add(idle_since_ns, busy.from_ns, false);
    idle_since_ns = busy.to_ns;
  }
  add(idle_since_ns, range.to_ns, true);
  return waits;
}

}  // namespace

absl::StatusOr<Timeline> LoadTimeline(SessionReader& session, const TimelineOptions& options,
                                      const Progress& progress) {
  return Timeline::Load(session, options, progress);
}

WaitForGraph GraphOver(const Waits& waits, const WindowSumsView& sums,
                       const WaitForGraphOptions& options, const Progress& progress) {
  WaitForGraph graph;
  GraphOverInto(waits, sums, options, progress, graph);
  return graph;
}

void GraphOverInto(const Waits& waits, const WindowSumsView& sums,
                   const WaitForGraphOptions& options, const Progress& progress,
                   WaitForGraph& graph) {
  const Timeline& timeline = waits.timeline();
  const WaitForGraphOptions within = WithinRecording(timeline, options);
  const Part range = {within.from_ns, within.to_ns};
  TellRecording(waits, range, graph);
  const CutRange cut(sums, range);
  EdgesOfRange edges(waits, within);
  edges.Sweep(cut.before, progress);
  edges.Sweep(cut.after, progress);
  if (cut.before.from_ns == cut.before.to_ns && range.from_ns < range.to_ns) edges.AddCarried();
  const std::vector<DeviceUse> uses = UsesWithin(waits, sums, range, cut);
  edges.Finish(sums, cut.first_window, cut.end_window, IdleEdgesOf(uses), graph);

  const bool has_windows = cut.first_window < cut.end_window;
  const bool is_whole = range.from_ns == timeline.start_ns() && range.to_ns == timeline.end_ns();
  std::vector<TimeInWindows> inside;
  if (has_windows && !is_whole) inside = AddLedgers(waits, sums, cut);
  ParallelFor(ThreadCount(within.threads), graph.entities.size(), [&](size_t id, int) {
    ClipTimes(waits, static_cast<EntityId>(id), range, cut, inside.empty() ? nullptr : &inside[id],
              graph.entities[id]);
  });
  AddDevices(uses, graph);
}

WaitForGraph BuildWaitForGraph(const Waits& waits, const WaitForGraphOptions& options,
                               const Progress& progress) {
  return GraphOver(waits, {}, options, progress);
}

WaitForGraph BuildWaitForGraph(const Timeline& timeline, const WaitForGraphOptions& options) {
  return BuildWaitForGraph(Waits(timeline, {.threads = options.threads}), options);
}

std::vector<Wait> WaitsOfEdge(const Waits& waits, EntityId from, EntityId to,
                              const WaitForGraphOptions& options) {
  const Timeline& timeline = waits.timeline();
  const WaitForGraphOptions range = WithinRecording(timeline, options);
  if (from < waits.entities().size() && waits.entities()[from].kind == EntityKind::kDisk) {
    for (const DeviceUse& use : UseOfDevices(waits, range.from_ns, range.to_ns)) {
      if (use.device == from) return IdleStretches(use, range);
    }
  }
  std::vector<Wait> found = waits.Between(from, to, range.from_ns, range.to_ns);
  for (Wait& wait : found) {
    wait.start_ns = std::max(wait.start_ns, range.from_ns);
    wait.end_ns = std::min(wait.end_ns, range.to_ns);
  }
  return found;
}

}  // namespace gordian
