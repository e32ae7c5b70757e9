// SPDX-License-Identifier: Apache-2.0
// Runs the phases of a job again, with other durations (Grade10, Section III-F).
//
// A phase starts when the phase around it has started and all it waits for has ended (order.h),
// plus its delay; one without phases within lasts its duration; one with phases within ends with
// the last of them, plus its tail. Delays and tails are times that the model does not explain. The
// paper has no such times. Here they are kept unless the phase lasts as long without them
// (without_delays of its recorded duration): then they were waiting, and would only hide the gain
// of a change. The missing time is added at the end of such a phase, so that a replay with nothing
// changed takes exactly as long as recorded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "jobs/issues/order.h"
#include "jobs/issues/thresholds.h"
#include "jobs/job/job.h"

namespace gordian {

// The inputs of a replay; a change is a copy with other values.
struct ReplayTimes {
  std::vector<int64_t> duration_ns;  // by phase; only of those without phases within
  std::vector<int64_t> delay_ns;     // before the phase starts; below 0 within the tolerance
  std::vector<int64_t> tail_ns;      // between the end of the last phase within and its own
};

// By event.
struct Replayed {
  std::vector<int64_t> event_ns;

  int64_t start_ns(PhaseId phase) const { return event_ns[StartOf(phase)]; }
  int64_t end_ns(PhaseId phase) const { return event_ns[EndOf(phase)]; }
  int64_t duration_ns(PhaseId phase) const { return end_ns(phase) - start_ns(phase); }
};

struct PhaseReplayOptions {
  double without_delays = kLastsWithoutDelays;
  uint64_t tolerance_ns = kOrderToleranceNs;  // see OrderOf
};

class Replay {
 public:
  // The job must have passed CheckJob.
  Replay(const Job& job, const PhaseReplayOptions& options);

  const ReplayTimes& times() const { return times_; }  // with nothing changed
  const Replayed& baseline() const { return baseline_; }
  Replayed Run(const ReplayTimes& times) const;

  int64_t makespan_ns() const { return Makespan(baseline_); }
  static int64_t Makespan(const Replayed& replayed) {
    return replayed.event_ns.empty() ? 0 : replayed.duration_ns(0);
  }
  // The phases whose durations count: the root, or of several jobs each one's.
  const std::vector<PhaseId>& jobs() const { return jobs_; }
  // Whether the phase's delay is when its job began: no change moves that.
  bool begins_job(PhaseId phase) const {
    return phase != 0 && std::find(jobs_.begin(), jobs_.end(), phase) != jobs_.end();
  }
  // As the paper does it: no delays at all. How near it comes to the recorded makespan says how
  // much of the job the model explains.
  int64_t makespan_without_delays_ns() const { return makespan_without_delays_ns_; }

  const std::vector<std::vector<PhaseId>>& children() const { return children_; }
  // Whether the delays within the phase (and all phases within) were left out.
  bool delays_dropped(PhaseId phase) const { return dropped_[phase]; }
  // The events that an event waits for, besides the start of the phase around it.
  std::span<const EventId> Before(EventId event) const {
    return std::span(before_).subspan(before_at_[event], before_at_[event + 1] - before_at_[event]);
  }
  // All events, each after the events it waits for.
  const std::vector<EventId>& order() const { return order_; }
  // Precedences that the recording contradicts, or that go round in a circle.
  uint64_t contradicted() const { return contradicted_; }

 private:
  void SortEvents(const PhaseOrder& phase_order);
  void TakeRecordedTimes();
  // One event, given those before it.
  int64_t TimeOf(EventId event, const ReplayTimes& times, const Replayed& replayed) const;
  int64_t StartBeforeDelay(PhaseId phase, const Replayed& replayed) const;
  int64_t LastEndWithin(PhaseId phase, const Replayed& replayed) const;
  void DropDelays(double without_delays);
  void Calibrate();

  const Job& job_;
  std::vector<PhaseId> jobs_;
  std::vector<std::vector<PhaseId>> children_;
  std::vector<size_t> before_at_;
  std::vector<EventId> before_;
  std::vector<EventId> order_;
  uint64_t contradicted_ = 0;
  ReplayTimes times_;
  Replayed baseline_;
  std::vector<bool> dropped_;
  int64_t makespan_without_delays_ns_ = 0;
};

}  // namespace gordian
