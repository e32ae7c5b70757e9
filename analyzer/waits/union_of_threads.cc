// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/union_of_threads.h"

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

constexpr uint8_t kNone = 5;

uint8_t Number(SegmentKind kind) { return static_cast<uint8_t>(kind); }

// Which of the threads' states is the state of the union.
constexpr SegmentKind kPrecedence[] = {SegmentKind::kRun, SegmentKind::kRunnable,
                                       SegmentKind::kSpin, SegmentKind::kUnknown};

}  // namespace

void UnionOfThreads::Add(SegmentCursor segments, uint64_t end_ns) {
  Change change{.from = kNone};
  for (; !segments.done(); segments.Next()) {
    change.to = Number(segments.segment().kind);
    change.after = segments.segment();
    order_.push_back({segments.start_ns(), static_cast<uint32_t>(changes_.size())});
    changes_.push_back(change);
    change.from = change.to;
    change.before = change.after;
  }
  change.to = kNone;
  order_.push_back({end_ns, static_cast<uint32_t>(changes_.size())});
  changes_.push_back(change);
}

uint8_t UnionOfThreads::Kind() const {
  for (const SegmentKind kind : kPrecedence) {
    if (threads_in_[Number(kind)] > 0) return Number(kind);
  }
  return Number(SegmentKind::kWait);
}

// The wait that is going on ends with this change of one of the threads.
void UnionOfThreads::Close(uint64_t time_ns, const Change& change) {
  ThreadSegment& wait = united_.back();
  if (change.from == kNone) {
    wait.waker = creator_;
    wait.cause = WaitCause::kCreator;
  } else {
    wait.waker = change.before.waker;
    wait.cause = change.before.cause;
    wait.state = change.before.state;
  }
  if (wait.start_ns == time_ns) united_.pop_back();
}

std::vector<ThreadSegment> UnionOfThreads::Segments() {
  std::vector<TimedIndex> scratch;
  SortByTime(order_, scratch);
  ThreadSegment first{.start_ns = start_ns_, .kind = SegmentKind::kWait};
  first.open_start = 1;
  united_.push_back(first);
  for (const TimedIndex& entry : order_) {
    const Change& change = changes_[entry.index];
    if (change.from != kNone) --threads_in_[change.from];
    if (change.to != kNone) ++threads_in_[change.to];
    const auto kind = static_cast<SegmentKind>(Kind());
    if (kind == united_.back().kind) continue;
    if (united_.back().kind == SegmentKind::kWait) {
      Close(entry.time_ns, change);
    } else if (united_.back().start_ns == entry.time_ns) {
      united_.pop_back();
    }
    if (!united_.empty() && united_.back().kind == kind) continue;
    ThreadSegment next{.start_ns = entry.time_ns, .kind = kind};
    if (kind == SegmentKind::kSpin && change.to == Number(kind)) {
      next.waker = change.after.waker;
      next.cause = change.after.cause;
    }
    united_.push_back(next);
  }
  ThreadSegment& last = united_.back();
  if (last.kind == SegmentKind::kWait) {
    last.waker = creator_;
    last.cause = WaitCause::kCreator;
    last.open_end = 1;
  }
  return std::move(united_);
}

}  // namespace gordian
