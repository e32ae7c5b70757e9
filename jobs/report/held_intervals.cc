// SPDX-License-Identifier: Apache-2.0
// When phases were held, as intervals (BottleneckInterval in schema/job.proto).
//
// The times of each type (or phase), resource and kind of bottleneck are sorted and swept: a time
// joins the interval before it if the gap between them is small enough. At first that is no gap at
// all. While there are too many intervals, the gap grows twofold. It ends at the length of the job:
// then each has one interval, and more cannot be joined.
#include <algorithm>
#include <tuple>

#include "base/time_units.h"
#include "jobs/report/job_report.h"
#include "jobs/report/job_words.h"

namespace gordian {
namespace {

struct HeldTime {
  PhaseTypeId type = 0;
  ResourceId resource = 0;
  BottleneckKind kind = BottleneckKind::kSaturated;
  PhaseId of_phase = kNoId;  // kNoId: counted for the type
  Range time_ns;
  PhaseId phase = 0;

  auto Key() const { return std::tuple(type, resource, kind, of_phase); }
};

struct HeldInterval {
  HeldTime first;
  uint64_t end_ns = 0;
  uint64_t held_ns = 0;
  std::vector<PhaseId> phases;  // with repetitions
};

std::vector<HeldTime> SortedTimes(const JobAnalysis& analysis) {
  const std::vector<bool> detailed = PhasesInDetail(analysis.job);
  std::vector<HeldTime> times;
  for (const Held& held : analysis.bottlenecks.held) {
    HeldTime row{.type = analysis.job.phases[held.phase].type,
                 .resource = held.resource,
                 .kind = held.kind,
                 .phase = held.phase};
    for (const Range& time_ns : held.times_ns) {
      row.time_ns = time_ns;
      row.of_phase = kNoId;
      times.push_back(row);
      if (!detailed[held.phase]) continue;
      row.of_phase = held.phase;
      times.push_back(row);
    }
  }
  std::sort(times.begin(), times.end(), [](const HeldTime& a, const HeldTime& b) {
    return std::tuple(a.Key(), a.time_ns.begin, a.phase) <
           std::tuple(b.Key(), b.time_ns.begin, b.phase);
  });
  return times;
}

std::vector<HeldInterval> Joined(const std::vector<HeldTime>& times, uint64_t gap_ns) {
  std::vector<HeldInterval> intervals;
  for (const HeldTime& time : times) {
    if (intervals.empty() || intervals.back().first.Key() != time.Key() ||
        time.time_ns.begin > intervals.back().end_ns + gap_ns)
      intervals.push_back({.first = time, .end_ns = time.time_ns.end});
    HeldInterval& last = intervals.back();
    last.end_ns = std::max(last.end_ns, time.time_ns.end);
    last.held_ns += time.time_ns.size();
    last.phases.push_back(time.phase);
  }
  return intervals;
}

uint32_t CountDistinct(std::vector<PhaseId> phases) {
  std::sort(phases.begin(), phases.end());
  return static_cast<uint32_t>(std::unique(phases.begin(), phases.end()) - phases.begin());
}

}  // namespace

void AddHeldIntervals(const JobAnalysis& analysis, size_t most, pb::Report& report) {
  const Job& job = analysis.job;
  if (job.phases.empty()) return;
  const std::vector<HeldTime> times = SortedTimes(analysis);
  const uint64_t job_ns = Range{job.phases[0].start_ns, job.phases[0].end_ns}.size();
  uint64_t gap_ns = 0;
  std::vector<HeldInterval> intervals = Joined(times, gap_ns);
  while (intervals.size() > most && gap_ns < job_ns) {
    gap_ns = std::max(2 * gap_ns, std::max<uint64_t>(analysis.attribution.slices.slice_ns, 1));
    intervals = Joined(times, gap_ns);
  }
  const auto seconds = [&job](uint64_t time_ns) {
    return SecondsOf(time_ns - std::min(time_ns, job.phases[0].start_ns));
  };
  for (HeldInterval& interval : intervals) {
    pb::BottleneckInterval& row = *report.add_bottleneck_intervals();
    row.set_type(interval.first.type);
    if (interval.first.of_phase != kNoId) row.set_phase(interval.first.of_phase);
    row.set_resource(interval.first.resource);
    row.set_kind(BottleneckWord(interval.first.kind));
    row.set_start_s(seconds(interval.first.time_ns.begin));
    row.set_end_s(seconds(interval.end_ns));
    row.set_held_s(SecondsOf(interval.held_ns));
    row.set_phases(CountDistinct(std::move(interval.phases)));
  }
}

}  // namespace gordian
