// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "analyzer/stacks/stacks.h"
#include "base/parallel.h"
#include "base/time_units.h"

namespace gordian {
namespace {

// Sums of one chunk are added up on their own, and then in order of chunks: so the last digits do
// not depend on the order of the workers.
constexpr size_t kChunks = 64;

struct SumKey {
  uint32_t from;
  uint32_t to;
  uint32_t stack_id;
  StackSide side;
  uint32_t object_id = 0;
  bool operator==(const SumKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H hash, const SumKey& key) {
    return H::combine(std::move(hash), key.from, key.to, key.stack_id, key.side, key.object_id);
  }
};

struct SumValue {
  uint64_t samples = 0;
  double estimate_ns = 0;
};

using SumTable = absl::flat_hash_map<SumKey, SumValue>;

void AddTo(SumTable& table, const SumKey& key, const SumValue& value) {
  SumValue& sum = table[key];
  sum.samples += value.samples;
  sum.estimate_ns += value.estimate_ns;
}

class SampleSummer {
 public:
  SampleSummer(const Timeline& timeline, const Waits& waits,
               std::span<const uint32_t> vertex_of_entity, const StackSumOptions& options)
      : timeline_(timeline), waits_(waits), vertices_(vertex_of_entity), options_(options) {
    const uint32_t sample_hz = timeline.session().options().sample_hz();
    running_ns_ = sample_hz == 0 ? 0 : static_cast<double>(kNsPerSecond) / sample_hz;
    if (options.from_ns > timeline.start_ns() || options.to_ns < timeline.end_ns()) FindBorders();
  }

  // False if the sample's wait does not exist.
  bool Add(const StackSample& sample, SumTable& table) const {
    if (sample.thread == kNobody) return false;
    const uint64_t time_ns = timeline_.start_ns() + sample.since_start_ns;
    if (sample.moment() == StackMoment::kCpu) {
      AddRunning(sample, time_ns, table);
      return true;
    }
    const bool waker = sample.moment() == StackMoment::kWake;
    if (!borders_.empty() && !IsOfRange(waits_.Representative(sample.thread), time_ns, waker))
      return true;
    if (!AddWait(sample.thread, time_ns, sample, waker, nullptr)) return false;
    AddWait(waits_.Representative(sample.thread), time_ns, sample, waker, &table);
    return true;
  }

 private:
  // Of a thread, the segments that the range cuts: when that at its beginning began, and that at
  // its end will end.
  struct Borders {
    uint64_t first_start_ns = 0;
    uint64_t last_end_ns = 0;
  };
  // So samples of waits that only reach into the range are known by their time, and the rest of the
  // recording need not be looked at.
  void FindBorders() {
    borders_.resize(waits_.entities().size());
    for (EntityId id = 0; id < borders_.size(); ++id) {
      const SegmentCursor first = waits_.SegmentsFrom(id, options_.from_ns);
      if (!first.done()) borders_[id].first_start_ns = first.start_ns();
      const SegmentCursor last =
          waits_.SegmentsFrom(id, options_.to_ns - std::min<uint64_t>(options_.to_ns, 1));
      if (!last.done()) borders_[id].last_end_ns = last.end_ns();
    }
  }
  // A wait's sample has the time of its beginning, a wake's that of its end.
  bool IsOfRange(EntityId thread, uint64_t time_ns, bool waker) const {
    if (waker)
      return (time_ns > options_.from_ns && time_ns <= options_.to_ns) ||
             time_ns == borders_[thread].last_end_ns;
    return (time_ns >= options_.from_ns && time_ns < options_.to_ns) ||
           time_ns == borders_[thread].first_start_ns;
  }

  void AddRunning(const StackSample& sample, uint64_t time_ns, SumTable& table) const {
    if (time_ns < options_.from_ns || time_ns >= options_.to_ns) return;
    const uint32_t vertex = vertices_[waits_.Representative(sample.thread)];
    AddTo(table, {vertex, vertex, sample.stack_id, StackSide::kRunning}, {1, running_ns_});
  }

  // Whether a wait of `waiter` begins (or, for a waker, ends) just then; added to `table`, if any.
  bool AddWait(EntityId waiter, uint64_t time_ns, const StackSample& sample, bool waker,
               SumTable* table) const {
    if (waker && time_ns == 0) return false;
    // Passes over waits without length: a time belongs to the segment that follows it.
    const SegmentCursor at = waits_.SegmentsFrom(waiter, waker ? time_ns - 1 : time_ns);
    if (at.done() || at.segment().kind != SegmentKind::kWait) return false;
    if ((waker ? at.end_ns() : at.start_ns()) != time_ns) return false;
    if (table == nullptr || at.segment().waker == kNobody) return true;
    EntityId ended_by = waits_.CountsFor(waiter, at);
    // The thread went to sleep for the disk; who woke it only passed on that the disk was done.
    if (const auto passed_on = waits_.PassedOnEnd(at); passed_on && !waker)
      ended_by = passed_on->disk;
    if (ended_by == waiter) return true;
    const uint64_t start_ns = std::max(at.start_ns(), options_.from_ns);
    const uint64_t end_ns = std::min(at.end_ns(), options_.to_ns);
    if (start_ns >= end_ns) return true;
    const double estimate_ns =
        std::ldexp(static_cast<double>(end_ns - start_ns), static_cast<int>(sample.weight_log2));
    AddTo(*table,
          {vertices_[waiter], vertices_[ended_by], sample.stack_id,
           waker ? StackSide::kWaker : StackSide::kWaiter, waker ? 0 : sample.object_id},
          {1, estimate_ns});
    return true;
  }

  const Timeline& timeline_;
  const Waits& waits_;
  const std::span<const uint32_t> vertices_;
  const StackSumOptions& options_;
  double running_ns_ = 0;
  std::vector<Borders> borders_;  // by thread; empty: all of the recording counts
};

auto PlaceOf(const StackSum& sum) { return std::tuple(sum.from, sum.to, sum.side); }

}  // namespace

StackSums::StackSums(const Timeline& timeline, const Waits& waits,
                     std::span<const uint32_t> vertex_of_entity, const StackSumOptions& options) {
  const std::span<const StackSample> samples = timeline.stack_samples();
  const SampleSummer summer(timeline, waits, vertex_of_entity, options);
  std::vector<SumTable> tables(kChunks);
  std::vector<uint64_t> without_wait(kChunks);
  ParallelFor(ThreadCount(options.threads), kChunks, [&](size_t chunk, int) {
    const size_t end = samples.size() * (chunk + 1) / kChunks;
    for (size_t i = samples.size() * chunk / kChunks; i < end; ++i) {
      if (!summer.Add(samples[i], tables[chunk])) ++without_wait[chunk];
    }
  });
  SumTable whole;
  for (size_t chunk = 0; chunk < kChunks; ++chunk) {
    for (const auto& [key, value] : tables[chunk]) AddTo(whole, key, value);
    samples_without_wait_ += without_wait[chunk];
    SumTable().swap(tables[chunk]);
  }
  sums_.reserve(whole.size());
  for (const auto& [key, value] : whole) {
    sums_.push_back({key.from, key.to, key.side, key.stack_id, value.samples, value.estimate_ns,
                     key.object_id});
  }
  std::sort(sums_.begin(), sums_.end(), [](const StackSum& a, const StackSum& b) {
    return std::tuple(a.from, a.to, a.side, -a.estimate_ns, a.stack_id, a.object_id) <
           std::tuple(b.from, b.to, b.side, -b.estimate_ns, b.stack_id, b.object_id);
  });
}

std::span<const StackSum> StackSums::Of(uint32_t from, uint32_t to, StackSide side) const {
  const StackSum wanted{.from = from, .to = to, .side = side};
  const auto [first, last] = std::equal_range(
      sums_.begin(), sums_.end(), wanted,
      [](const StackSum& a, const StackSum& b) { return PlaceOf(a) < PlaceOf(b); });
  return {first, last};
}

}  // namespace gordian
