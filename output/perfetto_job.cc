// SPDX-License-Identifier: Apache-2.0
#include "output/perfetto_job.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

class JobWriter {
 public:
  JobWriter(const JobAnalysis& analysis, const Timeline* timeline, PerfettoTrace& trace)
      : analysis_(analysis), job_(analysis.job), timeline_(timeline), trace_(trace) {}

  // Each phase goes to the first track of its type that is free.
  void WritePhases() {
    const uint64_t group = trace_.AddGroup("Phases");
    std::vector<PhaseId> order(job_.phases.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [this](PhaseId a, PhaseId b) {
      const Phase& one = job_.phases[a];
      const Phase& other = job_.phases[b];
      return std::pair(one.type, one.start_ns) < std::pair(other.type, other.start_ns);
    });
    struct Track {
      uint64_t number = 0;
      uint64_t free_ns = 0;
    };
    std::map<PhaseTypeId, std::vector<Track>> tracks;
    for (const PhaseId id : order) {
      const Phase& phase = job_.phases[id];
      if (phase.end_ns <= phase.start_ns) continue;
      std::vector<Track>& of_type = tracks[phase.type];
      auto track = std::find_if(of_type.begin(), of_type.end(),
                                [&](const Track& one) { return one.free_ns <= phase.start_ns; });
      if (track == of_type.end()) {
        of_type.push_back({trace_.AddTrack(group, PathOf(job_.model, phase.type)), 0});
        track = of_type.end() - 1;
      }
      track->free_ns = phase.end_ns;
      trace_.AddSlice(track->number, ClockTime(phase.start_ns), ClockTimeOfEnd(phase.end_ns),
                      PathOf(job_, id));
    }
  }

  void WriteResources() {
    for (ResourceId id = 0; id < job_.resources.size(); ++id) {
      const ResourceColumns& columns = analysis_.attribution.resources[id];
      if (columns.use.empty() || !(columns.total_use > 0)) continue;
      const Resource& resource = job_.resources[id];
      const ResourceType& type = job_.model.resources[resource.type];
      const std::string name =
          absl::StrCat(resource.node, resource.node.empty() ? "" : " ", type.name,
                       resource.name.empty() || resource.name == type.name ? "" : " ",
                       resource.name == type.name ? "" : resource.name);
      const uint64_t group = trace_.AddGroup(name);
      WriteColumn(trace_.AddCounter(group, "use", type.unit), columns.use, 0);
      if (columns.capacity_known)
        WriteColumn(trace_.AddCounter(group, "capacity", type.unit), {columns.capacity}, 0);
      WriteColumn(trace_.AddCounter(group, "exact demand", type.unit), columns.exact_demand, 0);
      WriteColumn(trace_.AddCounter(group, "weight of the others", ""), columns.variable_demand, 0);
      for (const PhaseTypeId user : LeafTypesByUse(analysis_, id)) {
        const std::vector<PhaseId> phases = PhasesOfType(job_, user);
        const UseSeries series =
            SeriesOf(job_, analysis_.attribution, analysis_.measured, id, phases);
        WriteColumn(
            trace_.AddCounter(group, absl::StrCat("use by ", PathOf(job_.model, user)), type.unit),
            series.use, series.slices.begin);
      }
    }
  }

 private:
  // Only changes; 0 before and after.
  void WriteColumn(uint64_t counter, const std::vector<double>& values, uint64_t first) {
    const Timeslices& slices = analysis_.attribution.slices;
    const auto add = [&](uint64_t slice, double value) {
      trace_.AddCount(counter, ClockTime(slices.TimesOf({slice, slice}).begin), value);
    };
    double last = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0 ? values[i] == last : values[i] == 0 && values.size() > 1) continue;
      add(first + i, values[i]);
      last = values[i];
    }
    if (last != 0) add(values.size() == 1 ? slices.count : first + values.size(), 0);
  }

  // Other tracks know no recorded time, which stands still in pauses.
  uint64_t ClockTime(uint64_t time_ns) const {
    return timeline_ ? timeline_->pauses().ClockTime(time_ns) : time_ns;
  }
  uint64_t ClockTimeOfEnd(uint64_t time_ns) const {
    return timeline_ ? timeline_->pauses().ClockTimeOfEnd(time_ns) : time_ns;
  }

  const JobAnalysis& analysis_;
  const Job& job_;
  const Timeline* timeline_;
  PerfettoTrace& trace_;
};

}  // namespace

void WritePerfettoJob(const JobAnalysis& analysis, const Timeline* timeline, PerfettoTrace& trace) {
  JobWriter writer(analysis, timeline, trace);
  writer.WritePhases();
  writer.WriteResources();
}

}  // namespace gordian
