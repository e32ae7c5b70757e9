// SPDX-License-Identifier: Apache-2.0
// Turns the records of one thread into its segments (see timeline.h for the rules).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/hidden_switches.h"
#include "analyzer/timeline/lives.h"
#include "analyzer/timeline/lock_holders.h"
#include "analyzer/timeline/lossy_stretches.h"
#include "analyzer/timeline/thread_record.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/timeline/wake_cause.h"

namespace gordian {

// The inputs of histories; the same for all threads.
struct HistoryContext {
  const Lives& lives;
  const PseudoThreads& pseudo_threads;
  const LockHolders& lock_holders;
  const LossyStretches& lossy_stretches;
  const LossyStretches& hidden_switches;
  // Of a recording that goes on: up to when a CPU's hidden switches are known. Null: all are.
  const HiddenSwitches* known_switches = nullptr;
  const Pauses& pauses;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
};

struct HistoryCounts {
  uint64_t waits_without_wake = 0;
  uint64_t contradicting_switches = 0;
  uint64_t unmatched_probes = 0;
  uint64_t spins_without_holder = 0;
  uint64_t waits_for_itself = 0;
  uint64_t lossy_runs = 0;
  // Only of streams (TakeSettled): how often too much was unsettled.
  uint64_t forgotten_waits = 0;
  uint64_t forgotten_spins = 0;
  uint64_t late_switches = 0;  // hidden switches that were told too late
  uint64_t forgotten() const { return forgotten_waits + forgotten_spins; }
  HistoryCounts& operator+=(const HistoryCounts& other);
};

// By their counters' names; without those of streams.
std::vector<NamedCount> NamedCounts(const HistoryCounts& counts);

// One thread, from its first record to its last. Its records come window by window, so that a
// recording's windows are read and written in order of time, all threads together.
//
// A piece is the thread's part of a window: its records, in order of time. Each record makes at
// most one segment, which begins at the record's time, so the segments of a piece are written over
// those of its records that were already read. What a later record tells of earlier segments (the
// end of a wait, a joined wait, the holder of a spun lock) goes back to the pieces where they
// stand.
class ThreadHistory {
 public:
  // `pieces` are the thread's row: the first is one free slot, the others are its records.
  ThreadHistory(EntityId thread, std::span<std::span<ThreadSegment>> pieces,
                const HistoryContext& context);

  // Reads the next `count` pieces.
  void Read(size_t count);
  // Behind the last piece. The pieces that hold segments are now the first of the row, cut to fit;
  // returns their number. Sets begin, end and `ended` of the thread.
  uint32_t Finish(Entity& entity, bool& ended);

  // For streams, whose row has two pieces: what is unsettled, and a window's records. Appends to
  // `settled` the segments that no later record can change; the others move to `unsettled`, which
  // is the first piece from then on, and the second is read next. If more than `most` would be
  // kept, the thread's latest wait is joined no more, and the spin at hand gets its waker only from
  // here on.
  void TakeSettled(size_t most, std::vector<ThreadSegment>& settled,
                   std::vector<ThreadSegment>& unsettled);
  // What its life tells now, of a recording that goes on. What it tells of the beginning counts
  // only before the first record.
  void Hear(const Life& life);
  bool has_read() const { return has_read_; }
  // If the recording ended then: its end, and its last segment. Not of one that is gone.
  uint64_t EndIfEndedAt(uint64_t time_ns) const;
  ThreadSegment LastIfEndedAt(uint64_t time_ns) const;
  // Whether it has left for good: then this is its end.
  bool is_gone() const { return state_ == State::kGone; }
  uint64_t gone_ns() const { return end_ns_; }

  const HistoryCounts& counts() const { return counts_; }

 private:
  // kUntold: as kUnheardOf, but its first event tells only of the time behind it.
  enum class State : uint8_t { kUnheardOf, kUntold, kRunning, kRunnable, kWaiting, kGone };
  // Where a segment stands.
  struct Place {
    uint32_t piece = 0;
    uint32_t slot = 0;
    auto operator<=>(const Place&) const = default;  // NOLINT: clang-tidy 14 errs
  };

  void Begin(const Life& life);
  void ReadPiece();
  void Apply(const ThreadRecord& record);
  void ComeIn(const ThreadRecord& record);
  void Leave(const ThreadRecord& record);
  void Wake(const ThreadRecord& record);
  void Resume(const ThreadRecord& record);
  uint64_t NextResume() const;
  void ForgetIfUntold(uint64_t time_ns, bool told);
  void BecomeUnheardOf();
  void EndLast(uint64_t time_ns);
  void Probe(const ThreadRecord& record);
  void CountUnmatched();
  void BeginSpin(const ThreadRecord& record);
  void EndSpin(const ThreadRecord& record);
  void Sleep(uint64_t time_ns, uint16_t state);
  void SleepAfterAll();
  bool ContinuesWait() const { return has_wait_ && (join_waits_ || slept_in_cond_wait_); }
  void ContinueWait();
  void BeginWait();
  void EndWait(const ThreadRecord& wake);
  EntityId OtherBehind(const ThreadRecord& wake) const;
  void SettleUnheardOf(const ThreadRecord& record);
  void EndRun(uint64_t end_ns);
  void PushRun(uint64_t start_ns);

  // A run that ended, or a wait that ended without a wake, while it was not known yet whether its
  // CPU had hidden a switch by then.
  struct Doubt {
    Place place;
    uint16_t cpu = 0;
    uint64_t to_ns = 0;
    bool was_joined = false;  // the wait, to a later sleep
  };
  bool IsInDoubt(uint16_t cpu, uint64_t to_ns) const {
    return context_.known_switches != nullptr && context_.known_switches->KnownUntil(cpu) < to_ns;
  }
  void SettleDoubts(bool all_is_known);
  void FindHidden(const Doubt& doubt);
  Place FirstUnsettled() const;
  void ForgetWhatReachesBack();

  ThreadSegment& Push(uint64_t start_ns, SegmentKind kind);
  void TruncateAfter(Place place);
  ThreadSegment& At(Place place) { return pieces_[place.piece][place.slot]; }
  ThreadSegment& Last() { return At(last_); }

  const HistoryContext& context_;
  HistoryCounts counts_;
  EntityId thread_ = kNobody;
  int32_t tid_ = 0;
  std::span<std::span<ThreadSegment>> pieces_;
  uint32_t next_piece_ = 1;       // the first that is not read
  std::vector<uint32_t> filled_;  // the pieces that hold segments
  Place last_;
  bool has_read_ = false;  // a record
  State state_ = State::kUnheardOf;
  uint16_t cpu_ = 0;
  uint64_t last_time_ns_ = 0;
  uint64_t end_ns_ = 0;
  bool was_heard_told_ = false;  // Hear, or Begin, told of the state it had
  bool was_told_ = false;        // its state when the recording began is known:
  bool was_sleeping_ = false;    // … this
  uint64_t told_ns_ = 0;         // … when that was so
  uint16_t switches_ =
      0;  // how often it has left a CPU since it was told, and before: the last bits
  bool switches_known_ = false;
  uint64_t next_resume_ns_ = 0;         // of the first pause that its records have not passed …
  uint64_t passed_ns_ = 0;              // … from here on
  Place unheard_;                       // of the segment in which it may be kUnheardOf
  bool may_have_begun_unseen_ = false;  // a spin, or a wait that a probe tells of, in a pause
  bool first_was_wake_ = false;         // the wake was its first event: it may have been running
  bool woken_while_running_ = false;
  EntityId early_waker_ = kNobody;       // the thread that did it, if one did
  bool answered_by_early_wake_ = false;  // runnable since its switch-out because of such a wake
  bool has_wait_ = false;                // last_wait_ is its latest wait
  Place last_wait_;
  bool join_waits_ = false;    // the next sleep continues last_wait_
  bool in_cond_wait_ = false;  // every sleep continues the first one in here
  bool slept_in_cond_wait_ = false;
  bool spinning_ = false;
  uint32_t lock_ = 0;
  std::vector<Place> spins_;  // the segments of the spin at hand
  std::vector<Doubt> doubts_;
};

}  // namespace gordian
