// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/thread_halves.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "analyzer/sums/window_sums.h"

namespace gordian {
namespace {

constexpr uint64_t kParts = 8;

class Sums {
 public:
  Sums(const Waits& waits, EntityId thread) : waits_(waits), thread_(thread) {}

  void Add(const ThreadSegment& segment, uint64_t time_ns) {
    times_.life_ns += time_ns;
    switch (segment.kind) {
      case SegmentKind::kRun:
      case SegmentKind::kSpin:
        times_.run_ns += time_ns;
        break;
      case SegmentKind::kRunnable:
        times_.runnable_ns += time_ns;
        break;
      case SegmentKind::kWait:
        if (segment.waker != kNobody) wait_ns_for_[segment.waker] += time_ns;
        break;
      case SegmentKind::kUnknown:
        break;
    }
  }

  ThreadTimes Take() {
    std::map<EntityId, uint64_t> waits_for;
    for (const auto& [waker, own_ns] : wait_ns_for_)
      waits_for[waits_.Representative(waker)] += own_ns;
    for (const auto& [to, own_ns] : waits_for)
      times_.waits.push_back({.from = thread_, .to = to, .own_ns = own_ns});
    return std::move(times_);
  }

 private:
  const Waits& waits_;
  const EntityId thread_;
  ThreadTimes times_;
  absl::flat_hash_map<EntityId, uint64_t> wait_ns_for_;  // by waker
};

struct Parts {
  uint64_t from_ns = 0;
  uint64_t part_ns = 0;
};

void AddWindow(const Waits& waits, EntityId thread, uint64_t from_ns, uint64_t to_ns,
               const Parts& parts, std::array<Sums, 2>& halves) {
  for (SegmentCursor at = waits.SegmentsFrom(thread, from_ns); !at.done() && at.start_ns() < to_ns;
       at.Next()) {
    // A long segment lies in several parts: at most one more than there are.
    uint64_t begin_ns = std::max(at.start_ns(), from_ns);
    const uint64_t end_ns = std::min(at.end_ns(), to_ns);
    while (begin_ns < end_ns) {
      const uint64_t part = (begin_ns - parts.from_ns) / parts.part_ns;
      const uint64_t until_ns = std::min(end_ns, parts.from_ns + (part + 1) * parts.part_ns);
      halves[part % 2].Add(at.segment(), until_ns - begin_ns);
      begin_ns = until_ns;
    }
  }
}

}  // namespace

std::vector<std::array<ThreadTimes, 2>> TimesInHalvesOf(const Waits& waits,
                                                        std::span<const EntityId> threads,
                                                        uint64_t from_ns, uint64_t to_ns) {
  std::vector<std::array<Sums, 2>> sums;
  sums.reserve(threads.size());
  for (const EntityId thread : threads) sums.push_back({Sums(waits, thread), Sums(waits, thread)});
  const uint64_t part_ns = std::max<uint64_t>(1, (to_ns - std::min(from_ns, to_ns)) / kParts);
  const std::vector<uint64_t> borders = SweepBorders(waits, from_ns, to_ns);
  for (size_t window = 0; window + 1 < borders.size(); ++window) {
    for (size_t i = 0; i < threads.size(); ++i)
      AddWindow(waits, threads[i], borders[window], borders[window + 1],
                {.from_ns = from_ns, .part_ns = part_ns}, sums[i]);
  }
  std::vector<std::array<ThreadTimes, 2>> times;
  times.reserve(sums.size());
  for (std::array<Sums, 2>& halves : sums) times.push_back({halves[0].Take(), halves[1].Take()});
  return times;
}

}  // namespace gordian
