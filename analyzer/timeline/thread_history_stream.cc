// SPDX-License-Identifier: Apache-2.0
// Which of a thread's segments are settled: no record that comes later changes them.
//
// Five things reach back. The last segment's end, kind and waker are open. A sleep may join the
// latest wait, and then all between the two goes. The first event behind an unheard stretch may
// have been a wake that came early. A spin's segments get their waker when it ends. And, in a
// recording that goes on, a CPU's next switch may tell that it hid one before. Whatever comes
// before all of these stays as it is.
#include <algorithm>

#include "analyzer/timeline/thread_history.h"

namespace gordian {

ThreadHistory::Place ThreadHistory::FirstUnsettled() const {
  Place first = last_;
  if (state_ == State::kGone) {
    ++first.slot;
  } else {
    if (has_wait_) first = std::min(first, last_wait_);
    if (first_was_wake_) first = std::min(first, unheard_);
    if (spinning_ && !spins_.empty()) first = std::min(first, spins_.front());
  }
  for (const Doubt& doubt : doubts_) first = std::min(first, doubt.place);
  return first;
}

// A doubt is settled when the CPU's next switch is known, or shows before.
void ThreadHistory::SettleDoubts(bool all_is_known) {
  std::erase_if(doubts_, [&](const Doubt& doubt) {
    const uint64_t from_ns = At(doubt.place).start_ns;
    if (!context_.hidden_switches.Touches(doubt.cpu, from_ns, doubt.to_ns))
      return all_is_known || !IsInDoubt(doubt.cpu, doubt.to_ns);
    FindHidden(doubt);
    return true;
  });
}

// As EndRun and ComeIn would have done, had they known.
void ThreadHistory::FindHidden(const Doubt& doubt) {
  ThreadSegment& segment = At(doubt.place);
  if (doubt.was_joined) {
    ++counts_.late_switches;  // it was no wait to join
  } else if (segment.kind == SegmentKind::kWait) {
    segment = ThreadSegment{.start_ns = segment.start_ns};
    if (last_wait_ == doubt.place) has_wait_ = false;
  } else {
    segment.kind = SegmentKind::kUnknown;
  }
}

// A wait that is over is not joined any more, and the earlier parts of a spin get no waker.
void ThreadHistory::ForgetWhatReachesBack() {
  if (has_wait_ && last_wait_ < last_) {
    has_wait_ = join_waits_ = slept_in_cond_wait_ = false;
    ++counts_.forgotten_waits;
  }
  if (spinning_ && !spins_.empty() && spins_.front() < last_) {
    std::erase_if(spins_, [this](const Place& spin) { return spin < last_; });
    ++counts_.forgotten_spins;
  }
  counts_.late_switches +=
      std::erase_if(doubts_, [this](const Doubt& doubt) { return doubt.place < last_; });
}

// Its state is told once, and the count of its switches goes on from there.
void ThreadHistory::Hear(const Life& life) {
  if (!has_read_) return Begin(life);
  if (was_heard_told_ || life.born || !life.state_told) return;
  was_heard_told_ = true;
  told_ns_ = life.told_ns;
  switches_known_ = life.told_switches.has_value();
  switches_ = static_cast<uint16_t>(life.told_switches.value_or(0));
}

// As Finish would find it.
uint64_t ThreadHistory::EndIfEndedAt(uint64_t time_ns) const {
  const uint64_t exit_ns = context_.lives.lives()[thread_].exit_ns;
  return std::max(exit_ns != 0 ? exit_ns : time_ns, last_time_ns_);
}

// As Finish would make it.
ThreadSegment ThreadHistory::LastIfEndedAt(uint64_t time_ns) const {
  time_ns = EndIfEndedAt(time_ns);
  ThreadSegment last = pieces_[last_.piece][last_.slot];
  if (time_ns > NextResume()) return ThreadSegment{.start_ns = last.start_ns};
  if (state_ == State::kRunning) {
    last.open_end = last.kind == SegmentKind::kSpin;
    if (context_.lossy_stretches.Touches(last.state, last.start_ns, time_ns) ||
        context_.hidden_switches.Touches(last.state, last.start_ns, time_ns))
      last.kind = SegmentKind::kUnknown;
  } else if (state_ == State::kWaiting) {
    last.open_end = 1;
  } else if (state_ == State::kUnheardOf && was_told_ && was_sleeping_) {
    last.kind = SegmentKind::kWait;
    last.open_start = last.open_end = 1;
  }
  return last;
}

void ThreadHistory::TakeSettled(size_t most, std::vector<ThreadSegment>& settled,
                                std::vector<ThreadSegment>& unsettled) {
  next_piece_ = 1;
  if (pieces_[0].empty()) return;  // it is gone, and was given
  SettleDoubts(false);
  const auto rows = std::span(pieces_).first(2);
  rows[last_.piece] = rows[last_.piece].first(last_.slot + 1);
  const size_t in_first = rows[0].size();
  const size_t count = in_first + (last_.piece == 1 ? rows[1].size() : 0);
  // Both pieces as one row.
  const auto number = [in_first](Place place) {
    return place.piece == 0 ? place.slot : in_first + place.slot;
  };
  if (count - number(FirstUnsettled()) > most) ForgetWhatReachesBack();
  const size_t first = number(FirstUnsettled());

  std::vector<ThreadSegment> kept;
  kept.reserve(count - first);
  for (size_t i = 0; i < count; ++i)
    (i < first ? settled : kept).push_back(i < in_first ? rows[0][i] : rows[1][i - in_first]);
  // Places before the first unsettled one are used no more.
  const auto move = [&](Place& place) {
    const size_t at = std::max(number(place), first) - first;
    place = {.piece = 0, .slot = static_cast<uint32_t>(at)};
  };
  if (!spinning_) spins_.clear();
  for (Place* const place : {&last_, &last_wait_, &unheard_}) move(*place);
  for (Place& spin : spins_) move(spin);
  for (Doubt& doubt : doubts_) move(doubt.place);
  unsettled = std::move(kept);
  pieces_[0] = unsettled;
  filled_ = {0};
}

}  // namespace gordian
