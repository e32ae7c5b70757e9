// SPDX-License-Identifier: Apache-2.0
// The histories of all threads, read window by window. What is settled is given once; only what
// is not stays in memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/thread_history.h"
#include "analyzer/timeline/thread_shares.h"
#include "analyzer/timeline/timeline_stream.h"

namespace gordian {

// Those above zero, as counters.
std::vector<NamedCount> AboveZero(const HistoryCounts& counts);

// Adds a slice to its thread's times.
void AddUp(const SettledSlice& slice, Entity& thread);

class SettledHistories {
 public:
  // `context` lives as long as this.
  SettledHistories(const HistoryContext& context, const StreamOptions& options);

  // The thread with the next id; its life is known to the context.
  void Add();
  // The next id is no thread's.
  void SkipId() { threads_.emplace_back(); }
  // A thread's life tells more than it did (ThreadHistory::Hear).
  void Hear(EntityId thread) {
    if (threads_[thread] != nullptr) threads_[thread]->history.Hear(context_.lives.lives()[thread]);
  }
  bool HasRead(EntityId thread) const {
    return threads_[thread] == nullptr || threads_[thread]->history.has_read();
  }
  // A window's records: of each thread one share at most, whose memory is used up. What they settle
  // is in slices() then.
  void Read(std::span<const ThreadShare> shares);
  // Behind the last window: settles the rest, and adds it to slices().
  void Finish();

  // In order of ids.
  std::vector<SettledSlice> slices() const;
  std::vector<UnsettledThread> UnsettledBefore(uint64_t time_ns) const;
  HistoryCounts counts() const;
  uint32_t contradictions(EntityId thread) const;

 private:
  struct Thread {
    explicit Thread(EntityId thread, const HistoryContext& context)
        : row{unsettled}, history(thread, row, context) {}

    std::vector<ThreadSegment> unsettled{1};
    std::array<std::span<ThreadSegment>, 2> row;
    ThreadHistory history;
    bool is_given = false;  // all of it
    // Of the window at hand.
    bool is_due = false;
    SettledSlice slice;
    std::vector<ThreadSegment> settled;
    // Of the slices before.
    bool has_begun = false;
    uint64_t until_ns = 0;
  };
  void ReadShare(const ThreadShare& share);
  void LetGo(EntityId id);
  void FinishThread(EntityId id);
  static void CloseSlice(Thread& thread, uint64_t until_ns);

  const HistoryContext& context_;
  const int threads_count_;
  const size_t most_unsettled_;
  std::vector<std::unique_ptr<Thread>> threads_;  // by id; null: no thread, or gone and given
  std::vector<EntityId> due_;                     // that have a slice, in order
  HistoryCounts counts_;                          // of threads that are gone
  absl::flat_hash_map<EntityId, uint32_t> gone_contradictions_;
};

}  // namespace gordian
