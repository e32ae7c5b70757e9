// SPDX-License-Identifier: Apache-2.0
// Replays of one recording, timed between the same events of progress, and read as gains.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "whatif/paths/paths.h"
#include "whatif/replay/part_times.h"
#include "whatif/replay/replay.h"

namespace gordian {

class TimedReplays {
 public:
  // All must outlive this object. `prepared` may be null: nothing is shared.
  TimedReplays(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
               const ReplayOptions& options, PreparedReplays* prepared);

  // As recorded.
  const Score& score() const { return *score_; }
  double recorded_rate() const;
  // Of a wake; 0 for more requests at a time, whose readings save it otherwise.
  uint64_t wake_cost_ns() const { return wake_cost_ns_; }
  // Of going to sleep and coming back, likewise.
  uint64_t sleep_cost_ns() const { return sleep_cost_ns_; }
  // The most steps that went on by force in one replay.
  uint64_t forced_steps() const { return forced_steps_; }
  bool IsCandidate(EntityId entity) const;

  // The events of progress that are timed, where all streams are one: of more requests at a time,
  // and of jobs.
  const MarkRange& marks() const { return streams_.front(); }

  PlayOutcome Play(const Score& score, const Variation& variation) {
    return Play(score, variation, streams_);
  }
  PlayOutcome Play(const Score& score, const Variation& variation,
                   std::span<const MarkRange> streams);
  // What happens as often as the gain says.
  struct MetLess {
    const ShrunkWaits* shrunk = nullptr;
    const PolledWaits* polled = nullptr;
  };
  // With pauses as much shorter as the whole is.
  PlayOutcome PlayKeepingPace(const Score& score, Variation& variation, const Unchanged& unchanged,
                              const MetLess& met_less);
  Unchanged PlayUnchanged(bool order_free);

  // `outcome` timed `share` of the marks that `unchanged` timed.
  Reading ReadingOf(const Score& score, const PlayOutcome& outcome, const Unchanged& unchanged,
                    double share = 1) const;

 private:
  bool UsesPrepared() const;
  // Before other programs are settled.
  std::shared_ptr<const Score> RecordedScore(std::span<const uint32_t> pollers,
                                             std::span<const uint8_t> is_other);
  std::vector<uint8_t> OfOtherPrograms() const;
  // Of each stream of marks, in order of time.
  std::vector<std::vector<uint64_t>> TimesOfStreams() const;
  MarkRange RangeOf(size_t marks) const;
  void TimeRecording();
  PlayOutcome PlayUnchangedOnce(const Score& score, bool order_free);

  const Timeline& timeline_;
  const std::span<const uint32_t> vertices_;
  const ReplayOptions& options_;
  PreparedReplays* const prepared_;
  std::shared_ptr<const Score> score_;
  std::vector<MarkRange> streams_;
  double recorded_ns_ = 1;
  Parts recorded_parts_{};
  uint64_t forced_steps_ = 0;
  uint64_t wake_cost_ns_ = 0;
  uint64_t sleep_cost_ns_ = 0;
};

}  // namespace gordian
