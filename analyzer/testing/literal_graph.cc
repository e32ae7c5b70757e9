// SPDX-License-Identifier: Apache-2.0
#include "analyzer/testing/literal_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/devices/disk_requests.h"
#include "analyzer/devices/idle_shares.h"
#include "analyzer/devices/thresholds.h"
#include "base/time_units.h"

namespace gordian {
namespace {

struct LiteralRange {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  bool Holds(uint64_t time_ns) const { return from_ns <= time_ns && time_ns < to_ns; }
  uint64_t length_ns() const { return to_ns - from_ns; }
  // How much of that lies within.
  uint64_t Part(uint64_t start_ns, uint64_t end_ns) const {
    start_ns = std::max(start_ns, from_ns);
    end_ns = std::min(end_ns, to_ns);
    return start_ns < end_ns ? end_ns - start_ns : 0;
  }
};

using LiteralEdges = std::map<std::pair<EntityId, EntityId>, Edge>;

Edge& EdgeOf(const WaitInterval& wait, LiteralEdges& edges) {
  Edge& edge = edges[{wait.waiter, wait.waker}];
  edge.from = wait.waiter;
  edge.to = wait.waker;
  return edge;
}

// From time_ns until end_ns no wait begins or ends. Links in order of (start, waiter); those that
// would close a cycle are left out.
void WeighInstant(std::vector<WaitInterval> active, LiteralRange span, LiteralEdges& edges,
                  uint64_t& cyclic_links) {
  std::sort(active.begin(), active.end(), [](const WaitInterval& a, const WaitInterval& b) {
    return std::tie(a.start_ns, a.waiter) < std::tie(b.start_ns, b.waiter);
  });
  std::map<EntityId, EntityId> parents;
  for (const WaitInterval& wait : active) {
    EntityId at = wait.waker;
    while (at != wait.waiter && parents.contains(at)) at = parents[at];
    if (at != wait.waiter) {
      parents[wait.waiter] = wait.waker;
    } else if (wait.start_ns == span.from_ns) {
      ++cyclic_links;
    }
  }
  std::map<EntityId, uint64_t> sizes;
  for (const WaitInterval& wait : active) {
    for (EntityId at = wait.waiter; parents.contains(at); at = parents[at]) ++sizes[parents[at]];
  }
  for (const WaitInterval& wait : active)
    EdgeOf(wait, edges).weight_ns += (sizes[wait.waiter] + 1) * span.length_ns();
}

void AddLiteralEdges(const Waits& waits, LiteralRange range, WaitForGraph& graph) {
  std::vector<WaitInterval> all;
  waits.Collect(range.from_ns, range.to_ns, all);
  LiteralEdges edges;
  std::set<uint64_t> changes = {range.from_ns, range.to_ns};
  for (const WaitInterval& wait : all) {
    const uint64_t own_ns = range.Part(wait.start_ns, wait.end_ns);
    Edge& edge = EdgeOf(wait, edges);
    edge.own_ns += own_ns;
    ++edge.count;
    edge.longest_ns = std::max(edge.longest_ns, own_ns);
    changes.insert(std::clamp(wait.start_ns, range.from_ns, range.to_ns));
    changes.insert(std::clamp(wait.end_ns, range.from_ns, range.to_ns));
  }
  for (auto at = changes.begin(); std::next(at) != changes.end(); ++at) {
    std::vector<WaitInterval> active;
    for (const WaitInterval& wait : all) {
      if (wait.start_ns <= *at && *at < wait.end_ns) active.push_back(wait);
    }
    WeighInstant(std::move(active), {*at, *std::next(at)}, edges, graph.cyclic_links);
  }
  for (const auto& [key, edge] : edges) graph.edges.push_back(edge);
}

void ClipLiterally(const Waits& waits, EntityId id, LiteralRange range, Entity& entity) {
  const uint64_t begin_ns = std::clamp(entity.begin_ns, range.from_ns, range.to_ns);
  const uint64_t end_ns = std::clamp(entity.end_ns, range.from_ns, range.to_ns);
  if (begin_ns == entity.begin_ns && end_ns == entity.end_ns) return;
  uint64_t* const times[] = {&entity.unknown_ns, &entity.run_ns, &entity.runnable_ns,
                             &entity.wait_ns, &entity.spin_ns};
  for (uint64_t* time_ns : times) *time_ns = 0;
  for (SegmentCursor at = waits.SegmentsFrom(id); !at.done(); at.Next()) {
    *times[static_cast<size_t>(at.segment().kind)] +=
        LiteralRange{begin_ns, end_ns}.Part(at.start_ns(), at.end_ns());
  }
  entity.begin_ns = begin_ns;
  entity.end_ns = end_ns;
}

uint64_t SumWithin(const std::vector<Stretch>& stretches, LiteralRange range) {
  uint64_t sum_ns = 0;
  for (const Stretch& stretch : stretches) sum_ns += range.Part(stretch.from_ns, stretch.to_ns);
  return sum_ns;
}

// From the state at issue_ns on.
uint64_t WaitedUntil(const Timeline& timeline, EntityId thread, uint64_t issue_ns) {
  if (thread >= timeline.thread_count()) return UINT64_MAX;
  for (SegmentCursor at = timeline.SegmentsFrom(thread, issue_ns); !at.done(); at.Next()) {
    const ThreadSegment& segment = at.segment();
    if (segment.kind != SegmentKind::kWait || at.start_ns() < issue_ns) continue;
    return segment.cause == WaitCause::kDisk && !segment.open_end ? at.end_ns() : UINT64_MAX;
  }
  return UINT64_MAX;
}

void UseDisk(const Waits& waits, EntityId id, LiteralRange range, WaitForGraph& graph) {
  const Timeline& timeline = waits.timeline();
  Entity& disk = graph.entities[id];
  std::vector<BlockRecord> records;
  for (const BlockRecord& record : timeline.block_records()) {
    if (record.device == disk.device) records.push_back(record);
  }
  std::vector<Stretch> disk_waits;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      if (segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kDisk &&
          segment.waker == id)
        disk_waits.push_back({at.start_ns(), at.end_ns()});
    }
  }
  const DiskTimes times = BusyTimes(
      records, disk_waits, timeline.pauses(), timeline.start_ns(), timeline.end_ns(),
      [&](EntityId thread, uint64_t issue_ns) { return WaitedUntil(timeline, thread, issue_ns); });
  disk.busy_ns = SumWithin(times.busy, range);
  disk.several_ns = SumWithin(times.several, range);
  disk.requests_without_end = times.requests_without_end;
  std::map<EntityId, Work> work_of;
  std::set<uint64_t> ended;  // idle stretches, each by one thread
  for (const BlockRecord& record : records) {
    if (record.complete || !range.Holds(record.time_ns)) continue;
    disk.bytes += record.bytes;
    ++disk.operations;
    uint64_t idle_since_ns = range.from_ns;
    bool begins = false;
    for (const Stretch& busy : times.busy) {
      begins |= busy.from_ns == record.time_ns;
      if (busy.to_ns < record.time_ns) idle_since_ns = std::max(range.from_ns, busy.to_ns);
    }
    if (!begins || record.thread == kNobody || !ended.insert(record.time_ns).second) continue;
    const uint64_t idle_ns = record.time_ns - idle_since_ns;
    Work& work = work_of[waits.Representative(record.thread)];
    work.given += idle_ns;
    ++work.count;
    work.longest_ns = std::max(work.longest_ns, idle_ns);
  }
  for (const Edge& edge : ShareIdleTime(id, range.length_ns() - disk.busy_ns, work_of))
    graph.edges.push_back(edge);
}

void UseNic(const Waits& waits, EntityId id, LiteralRange range, WaitForGraph& graph) {
  const Timeline& timeline = waits.timeline();
  Entity& nic = graph.entities[id];
  uint64_t bytes[2] = {};  // by direction
  std::map<EntityId, Work> work_of;
  for (const PacketRecord& record : timeline.packet_rows()[nic.node]) {
    if (record.interface != nic.device || !range.Holds(record.time_ns)) continue;
    ++nic.operations;
    bytes[record.sent ? 1 : 0] += record.bytes;
    if (!record.sent || record.thread == kNobody) continue;
    Work& work = work_of[waits.Representative(record.thread)];
    work.given += std::max<uint64_t>(record.bytes, kLeastBytes);
    ++work.count;
    work.longest_ns = range.length_ns();
  }
  nic.bytes = bytes[0] + bytes[1];
  for (const pb::Interface& interface : timeline.session().interfaces()) {
    if (interface.index() != nic.device) continue;
    if (interface.loopback() || interface.bits_per_second() == 0) break;
    const auto bits = static_cast<unsigned __int128>(std::max(bytes[0], bytes[1])) * 8;
    const unsigned __int128 needed_ns = bits * kNsPerSecond / interface.bits_per_second();
    nic.busy_ns = static_cast<uint64_t>(std::min<unsigned __int128>(needed_ns, range.length_ns()));
    break;
  }
  for (const Edge& edge : ShareIdleTime(id, range.length_ns() - nic.busy_ns, work_of))
    graph.edges.push_back(edge);
}

auto TimesOf(const Entity& entity) {
  return std::tie(entity.begin_ns, entity.end_ns, entity.run_ns, entity.runnable_ns, entity.wait_ns,
                  entity.spin_ns, entity.unknown_ns, entity.busy_ns, entity.several_ns,
                  entity.bytes, entity.operations, entity.requests_without_end, entity.merged_into);
}

std::string Told(const Entity& entity) {
  return absl::StrCat(entity.name, " [", entity.begin_ns, ", ", entity.end_ns, ") run ",
                      entity.run_ns, " runnable ", entity.runnable_ns, " wait ", entity.wait_ns,
                      " spin ", entity.spin_ns, " unknown ", entity.unknown_ns, " busy ",
                      entity.busy_ns, " several ", entity.several_ns, " bytes ", entity.bytes,
                      " operations ", entity.operations, " without end ",
                      entity.requests_without_end);
}

std::string Told(const Edge& edge) {
  return absl::StrCat(edge.from, " -> ", edge.to, " ", edge.weight_ns, " ", edge.own_ns, " ",
                      edge.count, " ", edge.longest_ns);
}

bool AreSame(const Edge& a, const Edge& b) {
  return std::tie(a.from, a.to, a.weight_ns, a.own_ns, a.count, a.longest_ns) ==
         std::tie(b.from, b.to, b.weight_ns, b.own_ns, b.count, b.longest_ns);
}

}  // namespace

WaitForGraph LiteralGraph(const Waits& waits, uint64_t from_ns, uint64_t to_ns) {
  const LiteralRange range = {from_ns, to_ns};
  WaitForGraph graph{.start_ns = from_ns, .end_ns = to_ns, .entities = waits.entities()};
  if (from_ns < to_ns) AddLiteralEdges(waits, range, graph);
  for (EntityId id = 0; id < graph.entities.size(); ++id) {
    ClipLiterally(waits, id, range, graph.entities[id]);
    if (graph.entities[id].kind == EntityKind::kDisk) UseDisk(waits, id, range, graph);
    if (graph.entities[id].kind == EntityKind::kNic) UseNic(waits, id, range, graph);
  }
  std::sort(graph.edges.begin(), graph.edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  return graph;
}

std::string Difference(const WaitForGraph& a, const WaitForGraph& b) {
  if (a.start_ns != b.start_ns || a.end_ns != b.end_ns) return "the ranges differ";
  if (a.entities.size() != b.entities.size()) return "the entities differ in number";
  for (size_t id = 0; id < a.entities.size(); ++id) {
    if (TimesOf(a.entities[id]) != TimesOf(b.entities[id]))
      return absl::StrCat(Told(a.entities[id]), "; ", Told(b.entities[id]));
  }
  for (size_t i = 0; i < std::min(a.edges.size(), b.edges.size()); ++i) {
    if (!AreSame(a.edges[i], b.edges[i]))
      return absl::StrCat(Told(a.edges[i]), "; ", Told(b.edges[i]));
  }
  if (a.edges.size() != b.edges.size())
    return absl::StrCat(a.edges.size(), " edges; ", b.edges.size());
  if (a.cyclic_links != b.cyclic_links)
    return absl::StrCat(a.cyclic_links, " cyclic links; ", b.cyclic_links);
  return "";
}

}  // namespace gordian
