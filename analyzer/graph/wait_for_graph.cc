// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/wait_for_graph.h"

#include <algorithm>
#include <utility>

#include "analyzer/cascade/cascade.h"
#include "analyzer/devices/devices.h"
#include "base/parallel.h"

namespace gordian {
namespace {

// A window begins with all waits that go on across its border: with many threads windows must be
// long enough that this is little of their work.
constexpr size_t kEventsPerBorder = 100'000;
constexpr size_t kEventsPerThread = 16;

WaitForGraphOptions WithinRecording(const Timeline& timeline, const WaitForGraphOptions& options) {
  WaitForGraphOptions within = options;
  within.from_ns = std::clamp(options.from_ns, timeline.start_ns(), timeline.end_ns());
  within.to_ns = std::clamp(options.to_ns, within.from_ns, timeline.end_ns());
  return within;
}

std::vector<uint64_t> Borders(const Timeline& timeline, const Waits& waits) {
  const size_t step = 1 + waits.entities().size() * kEventsPerThread / kEventsPerBorder;
  std::vector<uint64_t> borders;
  for (size_t i = step - 1; i < timeline.borders().size(); i += step) {
    borders.push_back(timeline.borders()[i]);
  }
  return borders;
}

// The part of an entity's times that lies within the range.
void ClipTimes(const Waits& waits, EntityId id, const WaitForGraphOptions& range, Entity& entity) {
  const uint64_t begin_ns = std::clamp(entity.begin_ns, range.from_ns, range.to_ns);
  const uint64_t end_ns = std::clamp(entity.end_ns, range.from_ns, range.to_ns);
  if (begin_ns == entity.begin_ns && end_ns == entity.end_ns) return;
  uint64_t* const times[] = {&entity.unknown_ns, &entity.run_ns, &entity.runnable_ns,
                             &entity.wait_ns, &entity.spin_ns};
  for (uint64_t* time_ns : times) *time_ns = 0;
  for (SegmentCursor at = waits.SegmentsFrom(id, begin_ns); !at.done() && at.start_ns() < end_ns;
       at.Next()) {
    const uint64_t from_ns = std::max(at.start_ns(), begin_ns);
    const uint64_t to_ns = std::min(at.end_ns(), end_ns);
    if (from_ns < to_ns) *times[static_cast<size_t>(at.segment().kind)] += to_ns - from_ns;
  }
  entity.begin_ns = begin_ns;
  entity.end_ns = end_ns;
}

void AddDevices(std::vector<DeviceUse> uses, WaitForGraph& graph) {
  for (DeviceUse& use : uses) {
    Entity& entity = graph.entities[use.device];
    entity.busy_ns = use.busy_ns;
    entity.several_ns = use.several_ns;
    entity.bytes = use.bytes;
    entity.operations = use.operations;
    entity.requests_without_end = use.requests_without_end;
    graph.edges.insert(graph.edges.end(), use.idle_edges.begin(), use.idle_edges.end());
  }
  std::sort(graph.edges.begin(), graph.edges.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
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

WaitForGraph BuildWaitForGraph(const Waits& waits, const WaitForGraphOptions& options,
                               const Progress& progress) {
  const Timeline& timeline = waits.timeline();
  const WaitForGraphOptions range = WithinRecording(timeline, options);
  CascadeResult cascade = Cascade(
      [&waits](uint64_t from_ns, uint64_t to_ns, std::vector<WaitInterval>& collected) {
        waits.Collect(from_ns, to_ns, collected);
      },
      {.from_ns = range.from_ns,
       .to_ns = range.to_ns,
       .borders = Borders(timeline, waits),
       .entities = waits.entities().size(),
       .threads = options.threads,
       .progress = progress});
  WaitForGraph graph{.start_ns = range.from_ns,
                     .end_ns = range.to_ns,
                     .cpus = timeline.cpus(),
                     .nodes = timeline.nodes(),
                     .entities = waits.entities(),
                     .edges = std::move(cascade.edges),
                     .events = timeline.events(),
                     .lost = timeline.lost(),
                     .missing_blocks = timeline.missing_blocks(),
                     .blocks = timeline.blocks(),
                     .cyclic_links = cascade.cyclic_links};
  ParallelFor(ThreadCount(options.threads), graph.entities.size(), [&](size_t id, int) {
    ClipTimes(waits, static_cast<EntityId>(id), range, graph.entities[id]);
  });
  AddDevices(UseOfDevices(waits, range.from_ns, range.to_ns), graph);
  return graph;
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
