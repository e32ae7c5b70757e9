// SPDX-License-Identifier: Apache-2.0
#include "jobs/issues/critical_path.h"

#include <algorithm>

namespace gordian {
namespace {

// From the end of the job back: each event leads to the one it waited for longest, until the job's
// start.
std::vector<CriticalStep> StepsOf(const Job& job, const Replay& replay) {
  std::vector<CriticalStep> steps;
  const Replayed& base = replay.baseline();
  const ReplayTimes& times = replay.times();
  const EventId joins = static_cast<EventId>(2 * job.phases.size());
  const auto add = [&steps](PhaseId phase, CriticalStep::Part part, int64_t length_ns) {
    if (length_ns != 0) steps.push_back({phase, part, length_ns});
  };
  EventId at = EndOf(0);
  while (at != StartOf(0)) {
    const PhaseId phase = at / 2;
    EventId from = 0;
    if (at < joins && at == EndOf(phase)) {
      from = StartOf(phase);
      for (const PhaseId child : replay.children()[phase]) {
        const bool later = from == StartOf(phase) || base.end_ns(child) > base.event_ns[from];
        if (later) from = EndOf(child);
      }
      // An end that a negative tail would put before the start is at the start.
      if (from != StartOf(phase) && base.event_ns[from] + times.tail_ns[phase] < base.event_ns[at])
        from = StartOf(phase);
      const bool leaf = replay.children()[phase].empty();
      add(phase, leaf ? CriticalStep::Part::kDuration : CriticalStep::Part::kTail,
          base.event_ns[at] - base.event_ns[from]);
    } else {
      const std::span<const EventId> before = replay.Before(at);
      from = at < joins ? StartOf(job.phases[phase].parent) : before[0];
      for (const EventId event : before) {
        if (base.event_ns[event] > base.event_ns[from]) from = event;
      }
      if (at < joins) add(phase, CriticalStep::Part::kDelay, times.delay_ns[phase]);
    }
    at = from;
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace

// The latest time of each event, from the end of the job back.
CriticalPath FindCriticalPath(const Job& job, const Replay& replay) {
  CriticalPath path;
  if (job.phases.empty()) return path;
  path.steps = StepsOf(job, replay);
  const Replayed& base = replay.baseline();
  const ReplayTimes& times = replay.times();
  const EventId joins = static_cast<EventId>(2 * job.phases.size());
  std::vector<int64_t> latest_ns(base.event_ns.size(), base.end_ns(0));
  const auto limit = [&latest_ns](EventId event, int64_t time_ns) {
    latest_ns[event] = std::min(latest_ns[event], time_ns);
  };
  for (size_t i = replay.order().size(); i-- > 0;) {
    const EventId at = replay.order()[i];
    const PhaseId phase = at / 2;
    if (at < joins && at == EndOf(phase)) {
      const bool leaf = replay.children()[phase].empty();
      limit(StartOf(phase), latest_ns[at] - (leaf ? times.duration_ns[phase] : 0));
      for (const PhaseId child : replay.children()[phase])
        limit(EndOf(child), latest_ns[at] - times.tail_ns[phase]);
      continue;
    }
    const int64_t delay_ns = at < joins ? times.delay_ns[phase] : 0;
    if (at < joins && job.phases[phase].parent != kNoId)
      limit(StartOf(job.phases[phase].parent), latest_ns[at] - delay_ns);
    for (const EventId event : replay.Before(at)) limit(event, latest_ns[at] - delay_ns);
  }
  path.slack_ns.reserve(job.phases.size());
  for (PhaseId phase = 0; phase < job.phases.size(); ++phase)
    path.slack_ns.push_back(latest_ns[EndOf(phase)] - base.end_ns(phase));
  return path;
}

}  // namespace gordian
