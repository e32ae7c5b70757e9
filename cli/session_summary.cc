// SPDX-License-Identifier: Apache-2.0
#include "cli/session_summary.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analyzer/timeline/pauses.h"
#include "base/time_units.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr int32_t kNobodyKnown = -1;
constexpr int32_t kWhoeverIsFirst = -2;

// 0, which is no kind, for one that this version does not know.
size_t KindIndex(EventKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kEventKinds ? index : 0;
}

class SummaryTally {
 public:
  explicit SummaryTally(Pauses pauses) : pauses_(std::move(pauses)) {}

  void TakeBlock(const EventBlock& block) {
    for (const TraceEvent& event : block.events) TakeEvent(event, block);
  }

  // The thread that the stream's first switch switches away from has run since `time_ns`.
  void BeginStream(uint64_t time_ns) {
    running_tid_ = kWhoeverIsFirst;
    running_since_ns_ = time_ns;
  }
  // The CPU's thread is not known from here to its next switch.
  void LoseTrack() { running_tid_ = kNobodyKnown; }
  // The thread that runs last runs on to `time_ns`.
  void EndStream(uint64_t time_ns) {
    if (running_tid_ > 0) threads[running_tid_].cpu_ns += RanUntil(time_ns);
  }

  SessionSummary summary;
  absl::flat_hash_map<int32_t, ThreadTally> threads;

 private:
  void TakeEvent(const TraceEvent& event, const EventBlock& block) {
    ++summary.events_total;
    ++summary.events[KindIndex(event.kind)];
    switch (event.kind) {
      case EventKind::kSwitch:
        TakeSwitch(event);
        break;
      case EventKind::kWake:
        ++threads[event.wake.wakee_tid].wakes;
        break;
      case EventKind::kTask:
        TakeName(event.time_ns, block.tasks[event.task.index]);
        break;
      case EventKind::kLoss:
        summary.lost[KindIndex(event.loss.kind)] += event.loss.count;
        if (event.loss.kind == EventKind::kSwitch) LoseTrack();
        break;
      default:
        break;
    }
  }

  // CPUs are read one after the other: a later name may come first.
  void TakeName(uint64_t time_ns, const TaskRecord& task) {
    ThreadTally& thread = threads[task.tid];
    if (task.comm.empty() || time_ns < thread.named_ns) return;
    thread.comm = task.comm;
    thread.named_ns = time_ns;
  }

  void TakeSwitch(const TraceEvent& event) {
    const SwitchEvent& change = event.sched_switch;
    ThreadTally& prev = threads[change.prev_tid];
    ++prev.switches;
    const bool is_known = running_tid_ == change.prev_tid || running_tid_ == kWhoeverIsFirst;
    if (is_known) prev.cpu_ns += RanUntil(event.time_ns);
    threads.try_emplace(change.next_tid);
    running_tid_ = change.next_tid;
    running_since_ns_ = event.time_ns;
  }

  // Who ran on through a pause is not known.
  uint64_t RanUntil(uint64_t time_ns) const {
    if (time_ns <= running_since_ns_) return 0;
    return pauses_.RecordedTime(time_ns) - pauses_.RecordedTime(running_since_ns_);
  }

  const Pauses pauses_;
  int32_t running_tid_ = kNobodyKnown;
  uint64_t running_since_ns_ = 0;
};

std::vector<ThreadTally> Top(const absl::flat_hash_map<int32_t, ThreadTally>& threads,
                             size_t count) {
  std::vector<ThreadTally> order;
  for (const auto& [tid, tally] : threads) {
    if (tid == 0) continue;  // idle
    order.push_back(tally);
    order.back().tid = tid;
  }
  const auto more = [](const ThreadTally& a, const ThreadTally& b) {
    if (a.cpu_ns != b.cpu_ns) return a.cpu_ns > b.cpu_ns;
    if (a.switches != b.switches) return a.switches > b.switches;
    return a.tid < b.tid;
  };
  const size_t kept = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(kept), order.end(), more);
  order.resize(kept);
  return order;
}

// A recorder that could not write any more still counts losses that no loss event tells. A flight
// recorder's counters also cover events that gave way long ago: there the events are right.
void CountLosses(const pb::Session& about, uint64_t lost_in_unreadable, SessionSummary& summary) {
  uint64_t told_by_events = lost_in_unreadable;
  uint64_t told_by_either = 0;
  for (size_t kind = 0; kind < kEventKinds; ++kind) {
    told_by_events += summary.lost[kind];
    if (about.options().ring_bytes() == 0) {
      const std::string name = EventKindName(static_cast<EventKind>(kind));
      const uint64_t counted = CounterValue(about, "records_lost_" + name) +
                               CounterValue(about, "records_left_out_" + name);
      summary.lost[kind] = std::max(summary.lost[kind], counted);
    }
    told_by_either += summary.lost[kind];
  }
  summary.lost_total =
      std::max(told_by_events, told_by_either) + CounterValue(about, "events_not_written");
}

// Of the first event on any CPU, else of the records of threads; 0 if there is nothing at all.
uint64_t FirstTimeNs(const SessionReader& session) {
  std::vector<const EventStream*> streams;
  for (const auto& stream : session.cpus()) streams.push_back(stream.get());
  if (streams.empty() && session.tasks() != nullptr) streams.push_back(session.tasks());
  uint64_t first_time_ns = UINT64_MAX;
  for (const EventStream* stream : streams) {
    for (const BlockInfo& block : stream->blocks()) {
      first_time_ns = std::min(first_time_ns, block.first_time_ns);
    }
  }
  return first_time_ns == UINT64_MAX ? 0 : first_time_ns;
}

}  // namespace

uint64_t StartTimeNs(const SessionReader& session) {
  const pb::Session& about = session.session();
  const bool never_written = about.start_time_ns() == 0 && about.end_time_ns() == 0;
  return never_written ? FirstTimeNs(session) : about.start_time_ns();
}

double SessionSummary::seconds() const { return SecondsOf(end_time_ns - start_time_ns); }

double SessionSummary::recorded_seconds() const {
  return SecondsOf(end_time_ns - start_time_ns - paused_ns);
}

double SessionSummary::events_per_second() const {
  return end_time_ns == start_time_ns ? 0 : static_cast<double>(events_total) / seconds();
}

double SessionSummary::bytes_per_event() const {
  return events_total == 0 ? 0
                           : static_cast<double>(bytes_on_disk) / static_cast<double>(events_total);
}

SessionSummary Summarize(SessionReader& session, size_t top_threads,
                         const SummaryProgress& progress) {
  const pb::Session& about = session.session();
  const Pauses pauses(about, StartTimeNs(session));
  SummaryTally tally(pauses);
  SessionSummary& summary = tally.summary;
  summary.bytes_on_disk = session.bytes_on_disk();
  summary.start_time_ns = StartTimeNs(session);
  if (about.options().ring_bytes() > 0) {
    summary.start_time_ns = std::max(summary.start_time_ns, FirstTimeNs(session));
  }
  summary.end_time_ns = std::max(about.end_time_ns(), summary.start_time_ns);
  summary.cpus = about.host().cpus();

  std::vector<const EventStream*> streams;
  if (session.tasks() != nullptr) streams.push_back(session.tasks());
  uint32_t highest_cpu_count = 0;
  for (const auto& stream : session.cpus()) {
    streams.push_back(stream.get());
    if (stream->cpu() != kNoCpu) highest_cpu_count = stream->cpu() + 1u;
  }
  if (summary.cpus == 0) summary.cpus = highest_cpu_count;

  uint64_t done_bytes = 0;
  uint64_t lost_in_unreadable = 0;
  EventBlock block;
  for (const EventStream* stream : streams) {
    tally.BeginStream(summary.start_time_ns);
    for (size_t i = 0; i < stream->blocks().size(); ++i) {
      const BlockInfo& info = stream->blocks()[i];
      if (stream->Read(i, block).ok()) {
        tally.TakeBlock(block);
        summary.unknown_events += block.unknown_events;
        summary.end_time_ns = std::max(summary.end_time_ns, info.last_time_ns);
      } else {
        session.CountCorruptBlock(info.bytes);
        summary.unreadable_events += info.events;
        lost_in_unreadable += info.lost;
        tally.LoseTrack();
      }
      done_bytes += info.bytes;
      if (progress) progress(done_bytes, summary.bytes_on_disk);
    }
    tally.EndStream(summary.end_time_ns);
  }
  summary.paused_ns =
      (summary.end_time_ns - summary.start_time_ns) -
      (pauses.RecordedTime(summary.end_time_ns) - pauses.RecordedTime(summary.start_time_ns));
  CountLosses(about, lost_in_unreadable, summary);
  summary.damage = session.damage();
  summary.threads_seen = tally.threads.size() - tally.threads.count(0);
  summary.top_threads = Top(tally.threads, top_threads);
  return summary;
}

// By unsigned arithmetic: nonsense in a file may give nonsense here, but no overflow.
int64_t WallClockNs(const ClockSummary& clocks, uint64_t time_ns) {
  return static_cast<int64_t>(static_cast<uint64_t>(clocks.offset_ns) + time_ns);
}

ClockSummary SummarizeClocks(const pb::Session& session) {
  ClockSummary clocks;
  clocks.pairs = session.clocks_size();
  if (clocks.pairs == 0) return clocks;
  const pb::ClockPair& first = session.clocks(0);
  const pb::ClockPair& last = session.clocks(clocks.pairs - 1);
  const auto offset_ns = [](const pb::ClockPair& pair) {
    return static_cast<int64_t>(static_cast<uint64_t>(pair.realtime_ns()) - pair.monotonic_ns());
  };
  clocks.known = true;
  clocks.offset_ns = offset_ns(first);
  clocks.started_realtime_ns = WallClockNs(clocks, session.start_time_ns());
  for (const pb::ClockPair& pair : session.clocks()) {
    clocks.error_ns = std::max(clocks.error_ns, pair.error_ns());
  }
  if (last.monotonic_ns() > first.monotonic_ns()) {
    clocks.drift_known = true;
    const auto gained_ns = static_cast<int64_t>(static_cast<uint64_t>(offset_ns(last)) -
                                                static_cast<uint64_t>(offset_ns(first)));
    clocks.drift_ppm = static_cast<double>(gained_ns) /
                       static_cast<double>(last.monotonic_ns() - first.monotonic_ns()) * 1e6;
  }
  return clocks;
}

}  // namespace gordian
