// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/thread_history.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr uint16_t kStateGone = kStateDead | kStateExitDead | kStateExitZombie;

}  // namespace

std::vector<NamedCount> NamedCounts(const HistoryCounts& counts) {
  return {{"waits_without_wake", counts.waits_without_wake},
          {"contradicting_switches", counts.contradicting_switches},
          {"lossy_runs", counts.lossy_runs},
          {"unmatched_probes", counts.unmatched_probes},
          {"spins_without_holder", counts.spins_without_holder},
          {"waits_for_itself", counts.waits_for_itself}};
}

HistoryCounts& HistoryCounts::operator+=(const HistoryCounts& other) {
  waits_without_wake += other.waits_without_wake;
  contradicting_switches += other.contradicting_switches;
  unmatched_probes += other.unmatched_probes;
  spins_without_holder += other.spins_without_holder;
  waits_for_itself += other.waits_for_itself;
  lossy_runs += other.lossy_runs;
  forgotten_waits += other.forgotten_waits;
  forgotten_spins += other.forgotten_spins;
  late_switches += other.late_switches;
  return *this;
}

// There always is room: the record being applied was read, and its slot is free.
ThreadSegment& ThreadHistory::Push(uint64_t start_ns, SegmentKind kind) {
  if (last_.piece == next_piece_) {
    ++last_.slot;
  } else {
    last_ = {.piece = next_piece_};
    filled_.push_back(next_piece_);
  }
  ThreadSegment& segment = Last();
  segment = ThreadSegment{.start_ns = start_ns, .kind = kind};
  return segment;
}

void ThreadHistory::TruncateAfter(Place place) {
  last_ = place;
  while (filled_.back() > place.piece) filled_.pop_back();
  if (place.piece < next_piece_) pieces_[place.piece] = pieces_[place.piece].first(place.slot + 1);
  std::erase_if(spins_, [place](const Place& spin) { return spin > place; });
  std::erase_if(doubts_, [place](const Doubt& doubt) { return doubt.place > place; });
}

void ThreadHistory::PushRun(uint64_t start_ns) {
  ThreadSegment& run = Push(start_ns, spinning_ ? SegmentKind::kSpin : SegmentKind::kRun);
  run.state = cpu_;
  if (!spinning_) return;
  run.cause = WaitCause::kSpin;
  spins_.push_back(last_);
}

// The last segment is a run or spin that ends now.
void ThreadHistory::EndRun(uint64_t end_ns) {
  ThreadSegment& run = Last();
  if (context_.lossy_stretches.Touches(run.state, run.start_ns, end_ns)) {
    run.kind = SegmentKind::kUnknown;
    ++counts_.lossy_runs;
  } else if (context_.hidden_switches.Touches(run.state, run.start_ns, end_ns)) {
    // Others had its CPU meanwhile. Where they contradict themselves they are counted.
    run.kind = SegmentKind::kUnknown;
  } else if (IsInDoubt(run.state, end_ns)) {
    doubts_.push_back({.place = last_, .cpu = run.state, .to_ns = end_ns});
  }
}

ThreadHistory::ThreadHistory(EntityId thread, std::span<std::span<ThreadSegment>> pieces,
                             const HistoryContext& context)
    : context_(context), thread_(thread), pieces_(pieces), filled_({0}) {
  Begin(context.lives.lives()[thread]);
}

void ThreadHistory::Read(size_t count) {
  if (next_piece_ == 1 && count > 0 && state_ != State::kGone)
    Last().start_ns = std::min(Last().start_ns, RecordIn(pieces_[1].front()).time_ns);
  next_resume_ns_ = NextResume();
  has_read_ |= count > 0;
  for (size_t i = 0; i < count; ++i) ReadPiece();
}

void ThreadHistory::ReadPiece() {
  const std::span<ThreadSegment> piece = pieces_[next_piece_];
  for (size_t i = 0; i < piece.size(); ++i) {
    const ThreadRecord record = RecordIn(piece[i]);
    if (record.kind == RecordKind::kIn && i + 1 < piece.size()) {
      // At equal times CPUs tell their events in any order, but no thread gets a CPU before its
      // wake.
      const ThreadRecord next = RecordIn(piece[i + 1]);
      if (next.kind == RecordKind::kWake && next.time_ns == record.time_ns) {
        Apply(next);
        ++i;
      }
    }
    Apply(record);
  }
  if (last_.piece == next_piece_) pieces_[next_piece_] = piece.first(last_.slot + 1);
  ++next_piece_;
}

void ThreadHistory::Begin(const Life& life) {
  tid_ = life.tid;
  const uint64_t begin_ns = std::clamp(life.begin_ns, context_.start_ns, context_.end_ns);
  Last() = ThreadSegment{.start_ns = begin_ns};
  passed_ns_ = begin_ns;
  next_resume_ns_ = context_.pauses.NextResume(passed_ns_);
  state_ = State::kUnheardOf;
  if (life.born) {
    Last().kind = SegmentKind::kRunnable;
    state_ = State::kRunnable;
  }
  cpu_ = kNoCpu;
  last_time_ns_ = begin_ns;
  end_ns_ = context_.end_ns;
  was_told_ = was_heard_told_ = life.state_told;
  was_sleeping_ = life.told_state != kStateRunning;
  told_ns_ = life.born ? 0 : life.told_ns;
  switches_known_ = life.born || (life.state_told && life.told_switches);
  if (!life.born) switches_ = static_cast<uint16_t>(life.told_switches.value_or(0));
}

namespace {

bool TellsWhatComesNext(RecordKind kind) {
  return kind == RecordKind::kIn || kind == RecordKind::kOut || kind == RecordKind::kPreempted ||
         kind == RecordKind::kResumed;
}

}  // namespace

void ThreadHistory::Apply(const ThreadRecord& record) {
  if (record.time_ns >= next_resume_ns_)
    ForgetIfUntold(record.time_ns, record.kind == RecordKind::kResumed);
  if (state_ == State::kGone) {
    // Another life of its tid, which no record tells of.
    if (record.kind == RecordKind::kIn) ++counts_.contradicting_switches;
    return;
  }
  last_time_ns_ = record.time_ns;
  if (state_ == State::kUntold && !TellsWhatComesNext(record.kind)) return;
  switch (record.kind) {
    case RecordKind::kIn:
      return ComeIn(record);
    case RecordKind::kOut:
    case RecordKind::kPreempted:
      return Leave(record);
    case RecordKind::kWake:
      return Wake(record);
    case RecordKind::kResumed:
      return Resume(record);
    default:
      return Probe(record);
  }
}

// The first event of a thread tells its state before.
void ThreadHistory::SettleUnheardOf(const ThreadRecord& record) {
  ThreadSegment& before = Last();
  if (record.kind == RecordKind::kIn) {
    if (!was_told_ || told_ns_ > record.time_ns) return;
    before.kind = was_sleeping_ ? SegmentKind::kWait : SegmentKind::kRunnable;
    before.open_start = was_sleeping_;
    if (was_sleeping_) state_ = State::kWaiting;
    return;
  }
  if (record.kind == RecordKind::kWake) {
    before.kind = SegmentKind::kWait;
    before.open_start = 1;
    state_ = State::kWaiting;
    first_was_wake_ = true;
    return;
  }
  // It left its CPU, or a probe spoke of it: it was running.
  before.kind = SegmentKind::kRun;
  cpu_ = record.kind == RecordKind::kOut || record.kind == RecordKind::kPreempted
             ? static_cast<uint16_t>(record.other)
             : kNoCpu;
  before.state = cpu_;
  state_ = State::kRunning;
}

void ThreadHistory::ComeIn(const ThreadRecord& record) {
  if (state_ == State::kUnheardOf) SettleUnheardOf(record);
  if (state_ == State::kRunning) {
    Last().kind = SegmentKind::kUnknown;
    ++counts_.contradicting_switches;
  } else if (state_ == State::kWaiting) {
    ++counts_.waits_without_wake;
    ThreadSegment& wait = Last();
    const auto lost_switches = [&](uint16_t cpu) {
      return context_.lossy_stretches.Touches(cpu, wait.start_ns, record.time_ns) ||
             context_.hidden_switches.Touches(cpu, wait.start_ns, record.time_ns);
    };
    if (lost_switches(static_cast<uint16_t>(record.other)) || lost_switches(cpu_)) {
      // It may have run meanwhile, unseen.
      wait = ThreadSegment{.start_ns = wait.start_ns};
      has_wait_ = false;
    } else {
      wait.waker = context_.pseudo_threads.unknown();
      wait.cause = WaitCause::kUnknown;
      if (IsInDoubt(cpu_, record.time_ns))
        doubts_.push_back({.place = last_, .cpu = cpu_, .to_ns = record.time_ns});
    }
  }
  first_was_wake_ = answered_by_early_wake_ = false;
  cpu_ = static_cast<uint16_t>(record.other);
  state_ = State::kRunning;
  PushRun(record.time_ns);
}

void ThreadHistory::Leave(const ThreadRecord& record) {
  if (record.time_ns >= told_ns_) ++switches_;
  if (state_ == State::kUnheardOf) {
    SettleUnheardOf(record);
  } else if (first_was_wake_) {
    // It was running from the beginning, and the wake came early.
    early_waker_ = kNobody;
    TruncateAfter(unheard_);
    Last() = ThreadSegment{.start_ns = Last().start_ns,
                           .state = static_cast<uint16_t>(record.other),
                           .kind = SegmentKind::kRun};
    has_wait_ = false;
    woken_while_running_ = true;
    state_ = State::kRunning;
  }
  first_was_wake_ = answered_by_early_wake_ = false;
  if (state_ == State::kRunning) {
    if (Last().state == kNoCpu) Last().state = static_cast<uint16_t>(record.other);
    EndRun(record.time_ns);
  } else if (state_ != State::kUntold) {
    Last().kind = SegmentKind::kUnknown;
    ++counts_.contradicting_switches;
  }
  const bool early_wake = woken_while_running_;
  woken_while_running_ = false;
  if ((record.state & kStateGone) != 0 && record.kind == RecordKind::kOut) {
    state_ = State::kGone;
    end_ns_ = record.time_ns;
    return;
  }
  if (record.kind == RecordKind::kPreempted || record.state == kStateRunning) {
    Push(record.time_ns, SegmentKind::kRunnable);
    state_ = State::kRunnable;
  } else if (early_wake) {
    ThreadSegment& runnable = Push(record.time_ns, SegmentKind::kRunnable);
    runnable.state = record.state;
    runnable.waker = early_waker_;
    answered_by_early_wake_ = true;
    state_ = State::kRunnable;
  } else {
    Sleep(record.time_ns, record.state);
  }
}

void ThreadHistory::Sleep(uint64_t time_ns, uint16_t state) {
  if (ContinuesWait()) return ContinueWait();
  Push(time_ns, SegmentKind::kWait).state = state;
  BeginWait();
}

// The thread has slept since its last segment, runnable, began.
void ThreadHistory::SleepAfterAll() {
  if (ContinuesWait()) return ContinueWait();
  ThreadSegment& since = Last();
  since =
      ThreadSegment{.start_ns = since.start_ns, .state = since.state, .kind = SegmentKind::kWait};
  BeginWait();
}

void ThreadHistory::BeginWait() {
  state_ = State::kWaiting;
  last_wait_ = last_;
  has_wait_ = true;
  join_waits_ = false;
  slept_in_cond_wait_ = in_cond_wait_;
}

void ThreadHistory::ContinueWait() {
  TruncateAfter(last_wait_);
  for (Doubt& doubt : doubts_) doubt.was_joined |= doubt.place == last_;
  Last().waker = kNobody;
  Last().cause = WaitCause::kUnknown;  // until its wake comes
  BeginWait();
}

void ThreadHistory::Wake(const ThreadRecord& record) {
  if (state_ == State::kUnheardOf) {
    SettleUnheardOf(record);
    last_wait_ = last_;
    has_wait_ = true;
  }
  if (state_ == State::kRunning) {
    if (!woken_while_running_) early_waker_ = OtherBehind(record);
    woken_while_running_ = true;
  } else if (state_ == State::kWaiting) {
    EndWait(record);
  } else if (state_ == State::kRunnable && answered_by_early_wake_) {
    // The early wake was spent before the sleep: this one ends it.
    answered_by_early_wake_ = false;
    SleepAfterAll();
    EndWait(record);
  }
}

// kNobody if no other thread woke it.
EntityId ThreadHistory::OtherBehind(const ThreadRecord& wake) const {
  if (wake.cause != WaitCause::kThread) return kNobody;
  const EntityId thread = context_.lives.Find(static_cast<int32_t>(wake.other), wake.time_ns);
  return thread == thread_ ? kNobody : thread;
}

void ThreadHistory::EndWait(const ThreadRecord& wake) {
  ThreadSegment& wait = Last();
  wait.cause = wake.cause;
  const bool by_thread = wake.cause == WaitCause::kThread;
  wait.waker = by_thread ? context_.lives.Find(static_cast<int32_t>(wake.other), wake.time_ns)
                         : context_.pseudo_threads.Find({wake.cause, wake.other});
  if (wait.waker == thread_ || wait.waker == kNobody) {
    if (wait.waker == thread_) ++counts_.waits_for_itself;
    wait.waker = context_.pseudo_threads.unknown();
    wait.cause = WaitCause::kUnknown;
  }
  Push(wake.time_ns, SegmentKind::kRunnable);
  state_ = State::kRunnable;
}

// Its last segment is not known any further: the recording ends, or pauses.
void ThreadHistory::EndLast(uint64_t time_ns) {
  ThreadSegment& last = Last();
  if (state_ == State::kRunning) {
    EndRun(time_ns);
    last.open_end = last.kind == SegmentKind::kSpin;
  } else if (state_ == State::kWaiting) {
    last.open_end = 1;
  } else if (state_ == State::kUnheardOf && was_told_ && was_sleeping_) {
    last.kind = SegmentKind::kWait;
    last.open_start = last.open_end = 1;
  }
}

uint32_t ThreadHistory::Finish(Entity& entity, bool& ended) {
  const Life& life = context_.lives.lives()[thread_];
  ended = state_ == State::kGone;
  if (!ended) end_ns_ = context_.end_ns;
  if (!ended && life.exit_ns != 0) {
    // Its exit was told, its last switch was lost, or had not come when the recording ended.
    end_ns_ = std::max(life.exit_ns, last_time_ns_);
    ended = true;
  }
  end_ns_ = std::max(end_ns_, last_time_ns_);
  SettleDoubts(true);
  next_resume_ns_ = NextResume();
  if (end_ns_ > next_resume_ns_) ForgetIfUntold(end_ns_, false);
  EndLast(end_ns_);
  entity.begin_ns = pieces_[0].front().start_ns;
  entity.end_ns = end_ns_;
  for (size_t i = 0; i < filled_.size(); ++i) pieces_[i] = pieces_[filled_[i]];
  const auto count = static_cast<uint32_t>(filled_.size());
  filled_ = {};
  return count;
}

}  // namespace gordian
