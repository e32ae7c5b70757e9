// SPDX-License-Identifier: Apache-2.0
// The vertices of the execution graph: a thread from its wake, or birth, to its next wait.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analyzer/waits/stays.h"
#include "causes/span_cause.h"
#include "query/tables.h"

namespace gordian {
namespace {

// Why a wait ended that no edge is known for, by WaitCause.
constexpr std::array<std::string_view, 10> kEndNames = {"unknown", "disk",    "nic",     "timer",
                                                        "irq",     "unknown", "unknown", "unknown",
                                                        "unknown", "unknown"};

// How far to look back for the wait before a span, at first; then kBackoff times further each time.
// Any values give the same rows: they only decide how much is read twice.
constexpr uint64_t kFirstLookBackNs = 10'000;
constexpr uint64_t kBackoff = 8;

struct SpanRow {
  EntityId thread = kNobody;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t run_ns = 0;
  uint64_t runnable_ns = 0;
  std::string_view cause;  // empty: it began before the recording
  SpanCause from;
  int64_t number = 0;
};

class SpanRows : public SqlRows {
 public:
  SpanRows(QueriedRecording& queried, const RowLimits& limits)
      : graph_(queried.graph()),
        timeline_(queried.timeline()),
        limits_(limits),
        threads_(AskedThreads(limits, timeline_.thread_count())) {}

  bool Next() override {
    while (true) {
      if (!at_) {
        if (next_thread_ == threads_.size()) return false;
        Begin(threads_[next_thread_++]);
      }
      if (TakeSpan() && limits_.HoldsKind(span_.cause)) return true;
    }
  }

  void Tell(size_t column, SqlValue& value) const override {
    switch (column) {
      case 0:
        return value.Integer(span_.thread);
      case 1:
        return value.Integer(SinceStart(timeline_, span_.begin_ns));
      case 2:
        return value.Integer(SinceStart(timeline_, span_.end_ns));
      case 3:
        return value.Integer(span_.run_ns);
      case 4:
        return value.Integer(span_.runnable_ns);
      case 5:
        return span_.cause.empty() ? value.Null() : value.StaticText(span_.cause);
      case 6:
        return TellEntity(span_.from.from, value);
      default:
        return span_.from.edge ? value.Integer(SinceStart(timeline_, span_.from.from_ns))
                               : value.Null();
    }
  }
  int64_t Number() const override { return span_.number; }

 private:
  // At the thread's first span that may be wanted.
  void Begin(EntityId thread) {
    span_.thread = thread;
    wait_.reset();
    const Entity& entity = timeline_.entities()[thread];
    const uint64_t wanted_ns = std::min(
        TimelineTime(timeline_, std::max(limits_.begin.from, limits_.end.from)), entity.end_ns);
    is_first_ = true;
    for (uint64_t back_ns = kFirstLookBackNs;
         wanted_ns > entity.begin_ns && wanted_ns - entity.begin_ns > back_ns;
         back_ns = std::min(back_ns, std::numeric_limits<uint64_t>::max() / kBackoff) * kBackoff) {
      if (!HasWaitWithin(thread, wanted_ns - back_ns, wanted_ns)) continue;
      at_ = timeline_.SegmentsFrom(thread, wanted_ns - back_ns);
      is_first_ = false;
      return;
    }
    at_ = timeline_.SegmentsFrom(thread);
  }
  // Whether one ends before or at wanted_ns.
  bool HasWaitWithin(EntityId thread, uint64_t from_ns, uint64_t wanted_ns) const {
    for (SegmentCursor at = timeline_.SegmentsFrom(thread, from_ns);
         !at.done() && at.end_ns() < wanted_ns; at.Next()) {
      if (at.start_ns() < at.end_ns() && StayOf(timeline_, thread, at).is_wait) return true;
    }
    return false;
  }

  // Goes on to the end of the next span; false if the thread has none left (then at_ is empty), or
  // if it is the rest of one.
  bool TakeSpan() {
    for (; !at_->done() && (IsEmpty() || IsWait()); at_->Next()) {
      if (!IsEmpty()) wait_ = *at_;
    }
    const bool is_behind = at_->done() || SinceStart(timeline_, at_->start_ns()) > limits_.begin.to;
    if (is_behind) {
      at_.reset();
      return false;
    }
    span_ = {.thread = span_.thread, .begin_ns = at_->start_ns(), .number = NumberOfSegment()};
    for (; !at_->done() && (IsEmpty() || !IsWait()); at_->Next()) {
      const uint64_t length_ns = at_->end_ns() - at_->start_ns();
      if (at_->segment().kind == SegmentKind::kRun) span_.run_ns += length_ns;
      if (at_->segment().kind == SegmentKind::kRunnable) span_.runnable_ns += length_ns;
      span_.end_ns = at_->end_ns();
    }
    const bool is_rest = !wait_ && !is_first_;
    if (is_rest) return false;
    TellCause();
    return true;
  }
  // Segments without a length are no part of anything.
  bool IsEmpty() const { return at_->start_ns() >= at_->end_ns(); }
  bool IsWait() const { return StayOf(timeline_, span_.thread, *at_).is_wait; }
  void TellCause() {
    if (!wait_) {
      span_.from = CauseOfBirth(graph_, span_.thread);
    } else {
      span_.from = CauseOfWaitEnd(graph_, span_.thread, *wait_);
    }
    if (span_.from.edge) {
      span_.cause = kCauseEdgeNames[static_cast<size_t>(*span_.from.edge)];
    } else if (wait_) {
      span_.cause = kEndNames[static_cast<size_t>(wait_->segment().cause)];
    }
  }
  int64_t NumberOfSegment() const {
    const SegmentCursor begin = timeline_.SegmentsFrom(0);
    const intptr_t first = begin.done() ? 0 : reinterpret_cast<intptr_t>(&begin.segment());
    return (reinterpret_cast<intptr_t>(&at_->segment()) - first) /
           static_cast<intptr_t>(sizeof(ThreadSegment));
  }

  const ExecutionGraph& graph_;
  const Timeline& timeline_;
  RowLimits limits_;
  std::vector<EntityId> threads_;
  size_t next_thread_ = 0;
  std::optional<SegmentCursor> at_;
  std::optional<SegmentCursor> wait_;  // the last one
  bool is_first_ = true;               // the walk began at the thread's birth
  SpanRow span_;
};

absl::StatusOr<std::unique_ptr<SqlRows>> OpenSpans(QueriedRecording& queried,
                                                   const RowLimits& limits) {
  return std::make_unique<SpanRows>(queried, limits);
}

}  // namespace

SqlTable SpanTable() {
  return {
      .name = "span",
      .about = "Each thread from its wake, or birth, to its next wait: what slices are made of",
      .example = "SELECT cause, count(*), avg(end_ns - begin_ns) FROM span GROUP BY cause",
      .columns = {{"thread", SqlType::kInteger, "thread.id"},
                  {"begin_ns", SqlType::kInteger, "when it could go on, or was born"},
                  {"end_ns", SqlType::kInteger, "when it waited again, or ended"},
                  {"run_ns", SqlType::kInteger, "on a CPU meanwhile"},
                  {"runnable_ns", SqlType::kInteger, "waiting for a CPU meanwhile"},
                  {"cause", SqlType::kText,
                   "wake, message, disk, create, lock; timer, irq, nic, unknown; null: it "
                   "began before the recording"},
                  {"from_thread", SqlType::kInteger,
                   "thread.id of who had the turn: the span of it that holds the nanosecond "
                   "before from_ns led here"},
                  {"from_ns", SqlType::kInteger, "when that one let it go on, or sent, or asked"}},
      .key = 0,
      .kind = 5,
      .begin = 1,
      .end = 2,
      .order = {0, 1},
      .open = OpenSpans};
}

}  // namespace gordian
