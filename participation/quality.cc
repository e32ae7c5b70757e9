// SPDX-License-Identifier: Apache-2.0
#include "participation/quality.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/waits/stays.h"
#include "base/parallel.h"
#include "participation/thresholds.h"

namespace gordian {
namespace {

using Span = std::pair<uint64_t, uint64_t>;  // from, to; in order, apart from each other

std::vector<Span> Overlap(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::vector<Span> both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t from_ns = std::max(a[i].first, b[j].first);
    const uint64_t to_ns = std::min(a[i].second, b[j].second);
    if (from_ns < to_ns) both.emplace_back(from_ns, to_ns);
    ++(a[i].second < b[j].second ? i : j);
  }
  return both;
}

std::vector<Span> Joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Span> joined;
  for (const Span& span : spans) {
    if (!joined.empty() && span.first <= joined.back().second) {
      joined.back().second = std::max(joined.back().second, span.second);
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

// A union of spans that come in any order. Joins them when they have doubled, so that adding n
// takes O(n log n) and memory follows the union's size.
class SpanUnion {
 public:
  void Add(Span span) {
    spans_.push_back(span);
    if (spans_.size() < join_at_) return;
    spans_ = Joined(std::move(spans_));
    join_at_ = std::max(kFewSpans, 2 * spans_.size());
  }
  std::vector<Span> Take() { return Joined(std::move(spans_)); }

 private:
  static constexpr size_t kFewSpans = 1024;
  std::vector<Span> spans_;
  size_t join_at_ = kFewSpans;
};

// What of that range is in none of them.
std::vector<Span> Rest(Span range, const std::vector<Span>& joined) {
  std::vector<Span> rest;
  uint64_t since_ns = range.first;
  for (const auto& [from_ns, to_ns] : joined) {
    if (since_ns < from_ns) rest.emplace_back(since_ns, from_ns);
    since_ns = std::max(since_ns, to_ns);
  }
  if (since_ns < range.second) rest.emplace_back(since_ns, range.second);
  return rest;
}

class QualityOfRange {
 public:
  QualityOfRange(const Timeline& timeline, std::span<const uint8_t> is_target, uint64_t from_ns,
                 uint64_t to_ns)
      : timeline_(timeline), is_target_(is_target), from_ns_(from_ns), to_ns_(to_ns) {
    quality_.range_ns = to_ns - from_ns;
  }

  RecordingQuality Find(int threads) {
    std::vector<QualityOfRange> parts(static_cast<size_t>(threads), *this);
    ParallelFor(threads, timeline_.thread_count(), [&](size_t thread, int worker) {
      if (thread < is_target_.size() && is_target_[thread] != 0)
        parts[static_cast<size_t>(worker)].AddThread(static_cast<EntityId>(thread));
    });
    for (QualityOfRange& part : parts) AddPart(part);
    AddRequests();
    // Somebody waits, nobody works, and nothing is under way.
    for (const auto& [from_ns, to_ns] :
         Overlap(Rest({from_ns_, to_ns_}, busy_.Take()), without_cause_.Take())) {
      ++quality_.stalls;
      quality_.stalled_ns += to_ns - from_ns;
      quality_.longest_stall_ns = std::max(quality_.longest_stall_ns, to_ns - from_ns);
    }
    return quality_;
  }

 private:
  // Of other threads.
  void AddPart(QualityOfRange& part) {
    const RecordingQuality& more = part.quality_;
    quality_.threads_ns += more.threads_ns;
    quality_.unknown_ns += more.unknown_ns;
    quality_.waits += more.waits;
    quality_.waits_ns += more.waits_ns;
    quality_.waits_without_cause += more.waits_without_cause;
    quality_.waits_without_cause_ns += more.waits_without_cause_ns;
    quality_.open_waits += more.open_waits;
    for (const Span& span : part.busy_.Take()) busy_.Add(span);
    for (const Span& span : part.without_cause_.Take()) without_cause_.Add(span);
  }

  void AddThread(EntityId thread) {
    const Entity& entity = timeline_.entities()[thread];
    if (entity.begin_ns >= entity.end_ns || entity.begin_ns >= to_ns_ || entity.end_ns <= from_ns_)
      return;
    Span busy;  // empty: from == to
    for (SegmentCursor at = timeline_.SegmentsFrom(thread, from_ns_);
         !at.done() && at.start_ns() < to_ns_; at.Next()) {
      const uint64_t from_ns = std::max(at.start_ns(), from_ns_);
      const uint64_t to_ns = std::min(at.end_ns(), to_ns_);
      if (from_ns >= to_ns) continue;
      if (AddStay(StayOf(timeline_, thread, at), at.segment().kind, from_ns, to_ns)) continue;
      if (busy.second != from_ns) {
        if (busy.first < busy.second) busy_.Add(busy);
        busy.first = from_ns;
      }
      busy.second = to_ns;
    }
    if (busy.first < busy.second) busy_.Add(busy);
  }

  // Whether nothing tells what goes on in it.
  bool AddStay(const StayOfThread& is, SegmentKind kind, uint64_t from_ns, uint64_t to_ns) {
    const uint64_t length_ns = to_ns - from_ns;
    quality_.threads_ns += length_ns;
    if (kind == SegmentKind::kUnknown) quality_.unknown_ns += length_ns;
    if (kind != SegmentKind::kWait) return false;
    if (is.is_open || is.until_ns > to_ns_) {
      ++quality_.open_waits;
      return is.is_open || is.stay == Stay::kUnknown;
    }
    ++quality_.waits;
    quality_.waits_ns += length_ns;
    if (is.stay != Stay::kUnknown) return false;
    ++quality_.waits_without_cause;
    quality_.waits_without_cause_ns += length_ns;
    without_cause_.Add({from_ns, to_ns});
    return true;
  }

  // The times in which a thread of the target had a request at a disk.
  void AddRequests() {
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> issued_ns;  // by device and sector
    const auto records = timeline_.block_records();
    auto record = std::partition_point(records.begin(), records.end(), [&](const BlockRecord& one) {
      return one.time_ns < from_ns_;
    });
    for (; record != records.end() && record->time_ns < to_ns_; ++record) {
      const std::pair<uint32_t, uint64_t> place = {record->device, record->sector};
      if (!record->complete) {
        const bool is_ours = record->thread < is_target_.size() && is_target_[record->thread] != 0;
        if (is_ours) issued_ns.try_emplace(place, record->time_ns);
        continue;
      }
      const auto issue = issued_ns.find(place);
      if (issue == issued_ns.end()) continue;
      if (issue->second < record->time_ns) busy_.Add({issue->second, record->time_ns});
      issued_ns.erase(issue);
    }
  }

  const Timeline& timeline_;
  std::span<const uint8_t> is_target_;
  uint64_t from_ns_;
  uint64_t to_ns_;
  RecordingQuality quality_;
  SpanUnion busy_;           // something is known to go on
  SpanUnion without_cause_;  // waits of any thread
};

bool IsWorthTelling(uint64_t part_ns, uint64_t whole_ns) {
  return part_ns > 0 &&
         static_cast<double>(part_ns) >= kDoubtWorthTelling * static_cast<double>(whole_ns);
}

bool MayBeNoCause(EntityKind kind) {
  return kind == EntityKind::kUnknown || kind == EntityKind::kRemote ||
         kind == EntityKind::kHeldBack;
}

}  // namespace

RecordingQuality QualityOf(const Timeline& timeline, std::span<const uint8_t> is_target,
                           uint64_t from_ns, uint64_t to_ns, int threads) {
  if (from_ns >= to_ns) return {};
  return QualityOfRange(timeline, is_target, from_ns, to_ns).Find(threads);
}

// A wait without a cause is an edge to such an entity, and a stall is a part of such waits. But the
// waits of threads that became one virtual thread are edges only where all of them waited.
bool MayBeWorthTelling(const WaitForGraph& graph, std::span<const uint8_t> is_target) {
  const auto of_target = [&](EntityId id) { return id < is_target.size() && is_target[id] != 0; };
  uint64_t threads_ns = 0;
  uint64_t doubted_ns = 0;
  for (EntityId id = 0; id < graph.entities.size(); ++id) {
    if (!of_target(id)) continue;
    const Entity& thread = graph.entities[id];
    if (thread.merged_into != kNobody) return true;
    threads_ns += std::max(thread.begin_ns, thread.end_ns) - thread.begin_ns;
    doubted_ns += thread.unknown_ns;
  }
  for (const Edge& edge : graph.edges) {
    if (of_target(edge.from) && MayBeNoCause(graph.entities[edge.to].kind))
      doubted_ns += edge.own_ns;
  }
  return IsWorthTelling(doubted_ns, threads_ns) ||
         IsWorthTelling(doubted_ns, graph.end_ns - graph.start_ns);
}

std::vector<NamedCount> CountersOf(const RecordingQuality& quality) {
  std::vector<NamedCount> counters;
  const auto add = [&](std::string_view name, uint64_t part_ns, uint64_t whole_ns) {
    if (IsWorthTelling(part_ns, whole_ns)) counters.push_back({name, part_ns});
  };
  add("target_unknown_ns", quality.unknown_ns, quality.threads_ns);
  add("target_waits_without_cause_ns", quality.waits_without_cause_ns, quality.threads_ns);
  add("target_stalled_ns", quality.stalled_ns, quality.range_ns);
  return counters;
}

}  // namespace gordian
