// SPDX-License-Identifier: Apache-2.0
#include "jobs/issues/replay.h"

#include <algorithm>

namespace gordian {
namespace {

int64_t RecordedStart(const Job& job, PhaseId phase) {
  return static_cast<int64_t>(job.phases[phase].start_ns);
}
int64_t RecordedEnd(const Job& job, PhaseId phase) {
  return static_cast<int64_t>(std::max(job.phases[phase].start_ns, job.phases[phase].end_ns));
}

// A phase that uses nothing only waits: its duration is a delay.
bool OnlyWaits(const Job& job, PhaseTypeId type) {
  bool any_consumable = false;
  for (ResourceTypeId resource = 0; resource < job.model.resources.size(); ++resource) {
    if (job.model.resources[resource].kind != ResourceKind::kConsumable) continue;
    any_consumable = true;
    if (job.model.rule(type, resource).kind != RuleKind::kNone) return false;
  }
  return any_consumable;
}

}  // namespace

Replay::Replay(const Job& job, const PhaseReplayOptions& options)
    : job_(job),
      jobs_(job.jobs.empty() ? std::vector<PhaseId>{0} : job.jobs),
      children_(ChildrenOf(job)),
      dropped_(job.phases.size(), false) {
  const PhaseOrder phase_order = OrderOf(job, children_, options.tolerance_ns);
  contradicted_ = phase_order.contradicted;
  SortEvents(phase_order);
  TakeRecordedTimes();
  DropDelays(options.without_delays);
  Calibrate();
}

// Kahn's algorithm. If precedences go round in a circle (only contradictory models make one), the
// first phase of those left starts without waiting any longer. Parents come before children, so the
// phases around that phase have started, and each round takes an event: it ends.
void Replay::SortEvents(const PhaseOrder& phase_order) {
  const size_t events = 2 * job_.phases.size() + phase_order.joins;
  std::vector<std::vector<EventId>> next(events);
  std::vector<uint32_t> missing(events, 0);
  const auto connect = [&](EventId before, EventId after) {
    next[before].push_back(after);
    ++missing[after];
  };
  for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
    connect(StartOf(phase), EndOf(phase));
    if (job_.phases[phase].parent == kNoId) continue;
    connect(StartOf(job_.phases[phase].parent), StartOf(phase));
    connect(EndOf(phase), EndOf(job_.phases[phase].parent));
  }
  for (const OrderEdge& edge : phase_order.edges) connect(edge.before, edge.after);

  std::vector<uint32_t> position(events, UINT32_MAX);
  std::vector<EventId> ready;
  for (EventId event = 0; event < events; ++event) {
    if (missing[event] == 0) ready.push_back(event);
  }
  PhaseId first_left = 0;
  order_.reserve(events);
  while (order_.size() < events) {
    if (ready.empty()) {
      while (position[StartOf(first_left)] != UINT32_MAX) ++first_left;
      ready.push_back(StartOf(first_left));
    }
    const EventId event = ready.back();
    ready.pop_back();
    if (position[event] != UINT32_MAX) continue;
    position[event] = static_cast<uint32_t>(order_.size());
    order_.push_back(event);
    for (const EventId after : next[event]) {
      if (--missing[after] == 0) ready.push_back(after);
    }
  }

  before_at_.assign(events + 1, 0);
  std::vector<OrderEdge> kept;
  for (const OrderEdge& edge : phase_order.edges) {
    if (position[edge.before] < position[edge.after]) {
      kept.push_back(edge);
      ++before_at_[edge.after + 1];
    } else {
      ++contradicted_;
    }
  }
  for (size_t event = 0; event < events; ++event) before_at_[event + 1] += before_at_[event];
  before_.resize(kept.size());
  std::vector<size_t> at = before_at_;
  for (const OrderEdge& edge : kept) before_[at[edge.after]++] = edge.before;
}

int64_t Replay::StartBeforeDelay(PhaseId phase, const Replayed& replayed) const {
  const PhaseId parent = job_.phases[phase].parent;
  if (parent == kNoId) return RecordedStart(job_, phase);
  int64_t start_ns = replayed.start_ns(parent);
  for (const EventId event : Before(StartOf(phase)))
    start_ns = std::max(start_ns, replayed.event_ns[event]);
  return start_ns;
}

int64_t Replay::LastEndWithin(PhaseId phase, const Replayed& replayed) const {
  int64_t end_ns = INT64_MIN;
  for (const PhaseId child : children_[phase]) end_ns = std::max(end_ns, replayed.end_ns(child));
  return end_ns;
}

int64_t Replay::TimeOf(EventId event, const ReplayTimes& times, const Replayed& replayed) const {
  if (event >= 2 * job_.phases.size()) {
    int64_t latest_ns = INT64_MIN;
    for (const EventId before : Before(event))
      latest_ns = std::max(latest_ns, replayed.event_ns[before]);
    return latest_ns;
  }
  const PhaseId phase = event / 2;
  if (event == StartOf(phase)) return StartBeforeDelay(phase, replayed) + times.delay_ns[phase];
  const int64_t start_ns = replayed.start_ns(phase);
  if (children_[phase].empty()) return start_ns + times.duration_ns[phase];
  return std::max(start_ns, LastEndWithin(phase, replayed) + times.tail_ns[phase]);
}

Replayed Replay::Run(const ReplayTimes& times) const {
  Replayed replayed;
  replayed.event_ns.assign(order_.size(), 0);
  for (const EventId event : order_) replayed.event_ns[event] = TimeOf(event, times, replayed);
  return replayed;
}

void Replay::TakeRecordedTimes() {
  Replayed recorded;
  recorded.event_ns.assign(order_.size(), 0);
  for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
    recorded.event_ns[StartOf(phase)] = RecordedStart(job_, phase);
    recorded.event_ns[EndOf(phase)] = RecordedEnd(job_, phase);
  }
  const size_t count = job_.phases.size();
  times_ = {std::vector<int64_t>(count, 0), std::vector<int64_t>(count, 0),
            std::vector<int64_t>(count, 0)};
  for (const EventId event : order_) {
    if (event >= 2 * count) recorded.event_ns[event] = TimeOf(event, times_, recorded);
  }
  for (PhaseId phase = 0; phase < count; ++phase) {
    times_.delay_ns[phase] = recorded.start_ns(phase) - StartBeforeDelay(phase, recorded);
    if (children_[phase].empty()) {
      times_.duration_ns[phase] = recorded.duration_ns(phase);
    } else {
      times_.tail_ns[phase] = recorded.end_ns(phase) - LastEndWithin(phase, recorded);
    }
  }
}

// From the root down: where a phase lasts as long without any delay within, they go, all of them.
void Replay::DropDelays(double without_delays) {
  if (job_.phases.empty()) return;
  ReplayTimes pure = times_;
  for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
    // A value below 0 is no delay but an overlap within the tolerance.
    if (!begins_job(phase)) pure.delay_ns[phase] = std::min<int64_t>(pure.delay_ns[phase], 0);
    pure.tail_ns[phase] = std::min<int64_t>(pure.tail_ns[phase], 0);
    if (OnlyWaits(job_, job_.phases[phase].type)) pure.duration_ns[phase] = 0;
  }
  const Replayed replayed = Run(pure);
  makespan_without_delays_ns_ = Makespan(replayed);
  for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
    const PhaseId parent = job_.phases[phase].parent;
    const bool around = parent != kNoId && dropped_[parent];
    const int64_t recorded_ns = RecordedEnd(job_, phase) - RecordedStart(job_, phase);
    dropped_[phase] = around || (!children_[phase].empty() &&
                                 static_cast<double>(replayed.duration_ns(phase)) >=
                                     without_delays * static_cast<double>(recorded_ns));
    if (!around) continue;
    times_.delay_ns[phase] = pure.delay_ns[phase];
    times_.tail_ns[phase] = pure.tail_ns[phase];
    times_.duration_ns[phase] = pure.duration_ns[phase];
  }
}

// Runs the baseline, and meanwhile sets the tails of phases whose delays within were left out, or
// that end early for another reason of that kind.
void Replay::Calibrate() {
  baseline_.event_ns.assign(order_.size(), 0);
  for (const EventId event : order_) {
    const PhaseId phase = event / 2;
    const bool is_end = event < 2 * job_.phases.size() && event == EndOf(phase);
    if (is_end && !children_[phase].empty()) {
      const PhaseId parent = job_.phases[phase].parent;
      if (parent == kNoId || !dropped_[parent]) {
        const int64_t recorded_ns = RecordedEnd(job_, phase) - RecordedStart(job_, phase);
        times_.tail_ns[phase] =
            baseline_.start_ns(phase) + recorded_ns - LastEndWithin(phase, baseline_);
      }
    }
    baseline_.event_ns[event] = TimeOf(event, times_, baseline_);
  }
}

}  // namespace gordian
