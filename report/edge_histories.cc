// SPDX-License-Identifier: Apache-2.0
#include "report/edge_histories.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <unordered_map>
#include <utility>

#include "analyzer/devices/devices.h"

namespace gordian {
namespace {

constexpr size_t kBuckets = 64;

uint64_t EdgeKey(uint32_t from, uint32_t to) { return uint64_t{from} << 32 | to; }

// One edge's waits, counted into bins of time and buckets of length.
struct History {
  std::vector<uint64_t> waited_ns;  // by bin
  std::array<uint64_t, kBuckets> counts{};

  void Add(uint64_t start_ns, uint64_t end_ns, const TimeRange& range) {
    ++counts[std::bit_width(std::max<uint64_t>(1, end_ns - start_ns)) - 1];
    start_ns = std::max(start_ns, range.from_ns);
    end_ns = std::min(end_ns, range.to_ns);
    const uint64_t bin_ns = BinNs(range);
    // Ends: each turn reaches the end of a bin.
    while (start_ns < end_ns) {
      const size_t bin =
          std::min<size_t>((start_ns - range.from_ns) / bin_ns, waited_ns.size() - 1);
      const bool last = bin + 1 == waited_ns.size();
      const uint64_t bin_end_ns =
          last ? end_ns : std::min(end_ns, range.from_ns + (bin + 1) * bin_ns);
      waited_ns[bin] += bin_end_ns - start_ns;
      start_ns = bin_end_ns;
    }
  }
  uint64_t BinNs(const TimeRange& range) const {
    return std::max<uint64_t>(1, range.length_ns() / waited_ns.size());
  }
};

using Histories = std::unordered_map<uint64_t, History>;

// Empty histories of the findings' edges and of the heaviest others.
Histories Chosen(const pb::Report& report, const HistoryOptions& options) {
  std::vector<uint64_t> keys;
  for (const pb::Finding& finding : report.findings()) {
    if (finding.has_edge()) keys.push_back(EdgeKey(finding.edge().from(), finding.edge().to()));
    for (const pb::EdgeRef& edge : finding.edges()) keys.push_back(EdgeKey(edge.from(), edge.to()));
  }
  std::vector<const pb::ReportEdge*> edges;
  for (const pb::ReportEdge& edge : report.edges()) edges.push_back(&edge);
  std::sort(edges.begin(), edges.end(),
            [](const auto* a, const auto* b) { return a->weight_s() > b->weight_s(); });
  for (const pb::ReportEdge* edge : edges) keys.push_back(EdgeKey(edge->from(), edge->to()));
  Histories histories;
  for (const uint64_t key : keys) {
    if (histories.size() == options.most_edges) break;
    histories.try_emplace(key).first->second.waited_ns.resize(options.strip_bins);
  }
  return histories;
}

void AddThreads(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                const TimeRange& range, Histories& histories) {
  std::set<uint32_t> waiters;
  for (const auto& [key, history] : histories) waiters.insert(static_cast<uint32_t>(key >> 32));
  const std::vector<Entity>& entities = waits.entities();
  for (EntityId id = 0; id < entities.size(); ++id) {
    const bool thread =
        entities[id].kind == EntityKind::kThread || entities[id].kind == EntityKind::kVirtual;
    if (!thread || waits.Representative(id) != id || waiters.count(vertex_of_entity[id]) == 0)
      continue;
    for (SegmentCursor at = waits.SegmentsFrom(id, range.from_ns);
         !at.done() && at.start_ns() < range.to_ns; at.Next()) {
      const ThreadSegment& segment = at.segment();
      const bool waiting = segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
      if (!waiting || segment.waker == kNobody) continue;
      const uint32_t to = vertex_of_entity[waits.Representative(segment.waker)];
      const auto found = histories.find(EdgeKey(vertex_of_entity[id], to));
      if (found != histories.end()) found->second.Add(at.start_ns(), at.end_ns(), range);
    }
  }
}

// A disk waits while it is idle, for all its users alike, so all its edges show the same stretches.
void AddDisks(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
              const TimeRange& range, Histories& histories) {
  for (const DeviceUse& use : UseOfDevices(waits, range.from_ns, range.to_ns)) {
    if (waits.entities()[use.device].kind != EntityKind::kDisk) continue;
    for (const Edge& edge : use.idle_edges) {
      const auto found =
          histories.find(EdgeKey(vertex_of_entity[edge.from], vertex_of_entity[edge.to]));
      const bool filled = found != histories.end() &&
                          std::any_of(found->second.counts.begin(), found->second.counts.end(),
                                      [](uint64_t n) { return n > 0; });
      if (found == histories.end() || filled) continue;
      uint64_t idle_since_ns = range.from_ns;
      const auto add = [&](uint64_t until_ns) {
        if (idle_since_ns < until_ns) found->second.Add(idle_since_ns, until_ns, range);
      };
      for (const Stretch& busy : use.busy) {
        add(std::clamp(busy.from_ns, range.from_ns, range.to_ns));
        idle_since_ns = std::clamp(busy.to_ns, range.from_ns, range.to_ns);
      }
      add(range.to_ns);
    }
  }
}

void Put(uint64_t key, const History& history, const TimeRange& range, pb::PageData& page) {
  pb::EdgeHistory& put = *page.add_histories();
  put.set_from(static_cast<uint32_t>(key >> 32));
  put.set_to(static_cast<uint32_t>(key));
  for (size_t bin = 0; bin < history.waited_ns.size(); ++bin) {
    if (history.waited_ns[bin] == 0) continue;
    put.add_bins(static_cast<uint32_t>(bin));
    put.add_waited(static_cast<float>(static_cast<double>(history.waited_ns[bin]) /
                                      static_cast<double>(history.BinNs(range))));
  }
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (history.counts[bucket] == 0) continue;
    put.add_buckets(static_cast<uint32_t>(bucket));
    put.add_bucket_counts(history.counts[bucket]);
  }
}

}  // namespace

void AddEdgeHistories(const Waits& waits, const std::vector<uint32_t>& vertex_of_entity,
                      const HistoryOptions& options, pb::PageData& page) {
  Histories histories = Chosen(page.report(), options);
  AddThreads(waits, vertex_of_entity, options.range, histories);
  AddDisks(waits, vertex_of_entity, options.range, histories);
  page.set_strip_bins(options.strip_bins);
  // In the report's order: the same report gives the same page.
  for (const pb::ReportEdge& edge : page.report().edges()) {
    const auto found = histories.find(EdgeKey(edge.from(), edge.to()));
    if (found != histories.end()) Put(found->first, found->second, options.range, page);
  }
}

}  // namespace gordian
