// SPDX-License-Identifier: Apache-2.0
// How a thread's history goes on behind a pause of the recording.
#include "analyzer/timeline/thread_history.h"

namespace gordian {

// Only the last 16 bits of the kernel's count of a thread's switches are kept. A thread that
// switched exactly a multiple of 65,536 times in a pause seems to have slept.
void ThreadHistory::Resume(const ThreadRecord& record) {
  const bool unswitched = switches_known_ && record.state == switches_;
  const bool sleeps = ToldAsleep(record);
  switches_ = record.state;
  switches_known_ = true;
  told_ns_ = record.time_ns + record.other;
  may_have_begun_unseen_ = true;
  // A thread that ran has not left its CPU; a thread that slept still sleeps. A thread that was
  // woken, or ready to run, may have come to a CPU meanwhile.
  const bool goes_on =
      unswitched && (state_ == State::kRunning || (state_ == State::kWaiting && sleeps));
  if (goes_on) return;
  const bool slept_all_along = state_ == State::kUnheardOf && was_told_ && was_sleeping_;
  if (slept_all_along && unswitched && sleeps) return;
  EndLast(record.time_ns);
  Push(record.time_ns, SegmentKind::kUnknown);
  BecomeUnheardOf();
  was_told_ = true;
  was_sleeping_ = sleeps;
}

// Of a recording that goes on the pauses are known only as far as it was read.
uint64_t ThreadHistory::NextResume() const {
  return next_resume_ns_ == Pauses::kNever ? context_.pauses.NextResume(passed_ns_)
                                           : next_resume_ns_;
}

// Its records reached time_ns, behind a pause. Behind each pause all living threads are told anew,
// a few milliseconds late: who was born in the pause or slept in it, and ends before that, is not
// told. What it did since its last record is not known: also not until the pause began, since a
// segment that ends there would need a slot of its own.
void ThreadHistory::ForgetIfUntold(uint64_t time_ns, bool told) {
  const uint64_t resumed_ns = next_resume_ns_;
  passed_ns_ = time_ns;
  next_resume_ns_ = context_.pauses.NextResume(passed_ns_);
  if ((told && resumed_ns == time_ns) || state_ == State::kGone) return;
  Last() = ThreadSegment{.start_ns = Last().start_ns};
  std::erase_if(doubts_, [this](const Doubt& doubt) { return doubt.place == last_; });
  BecomeUnheardOf();
  const bool begins_with_pause = Last().start_ns + 1 >= resumed_ns;
  if (!begins_with_pause) state_ = State::kUntold;
  was_told_ = switches_known_ = false;
  may_have_begun_unseen_ = true;
}

void ThreadHistory::BecomeUnheardOf() {
  unheard_ = last_;
  state_ = State::kUnheardOf;
  cpu_ = kNoCpu;
  first_was_wake_ = woken_while_running_ = answered_by_early_wake_ = false;
  has_wait_ = join_waits_ = in_cond_wait_ = slept_in_cond_wait_ = spinning_ = false;
  spins_.clear();
}

}  // namespace gordian
