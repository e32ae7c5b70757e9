// SPDX-License-Identifier: Apache-2.0
#include "output/perfetto_timeline.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "report/segment_words.h"

namespace gordian {
namespace {

class TimelineWriter {
 public:
  TimelineWriter(const Timeline& timeline, const TimeRange& range, PerfettoTrace& trace)
      : timeline_(timeline),
        range_(range),
        trace_(trace),
        names_(EntityNames(timeline.entities())),
        has_track_(names_.size()) {}

  void WriteThread(EntityId thread) {
    uint64_t arrow = 0;  // of the wake that the next segment answers
    for (SegmentCursor at = timeline_.SegmentsFrom(thread, range_.from_ns);
         !at.done() && at.start_ns() < range_.to_ns; at.Next()) {
      const uint64_t start_ns = std::max(at.start_ns(), range_.from_ns);
      const uint64_t end_ns = std::min(at.end_ns(), range_.to_ns);
      if (start_ns >= end_ns) continue;
      const ThreadSegment& segment = at.segment();
      NeedTrack(thread);
      // Others' tracks, which people may look at beside these, know no recorded time.
      const Pauses& pauses = timeline_.pauses();
      trace_.AddState(thread, pauses.ClockTime(start_ns), pauses.ClockTimeOfEnd(end_ns),
                      StateOf(segment), arrow);
      const bool woken = segment.kind == SegmentKind::kWait && segment.waker != kNobody &&
                         at.end_ns() < range_.to_ns;
      arrow = 0;
      if (!woken) continue;
      NeedTrack(segment.waker);
      arrow = trace_.AddWake(segment.waker, pauses.ClockTimeOfEnd(end_ns), names_[thread]);
    }
  }

 private:
  std::string StateOf(const ThreadSegment& segment) const {
    const bool waits = segment.kind == SegmentKind::kWait || segment.kind == SegmentKind::kSpin;
    if (!waits) return std::string(StateName(segment.kind));
    return absl::StrCat(segment.kind == SegmentKind::kWait ? "waits for " : "spins for ",
                        segment.waker == kNobody ? "somebody" : names_[segment.waker]);
  }

  void NeedTrack(EntityId id) {
    if (has_track_[id]) return;
    has_track_[id] = true;
    const Entity& entity = timeline_.entities()[id];
    if (entity.kind == EntityKind::kThread) {
      // Two nodes may use the same numbers.
      constexpr int32_t kMostPids = 1 << 22;
      const int32_t first = static_cast<int32_t>(entity.node % 512) * kMostPids;
      const std::string process =
          timeline_.nodes().empty()
              ? entity.process_name
              : absl::StrCat(timeline_.nodes()[entity.node], "/", entity.process_name);
      trace_.AddThread(id, first + entity.tid, first + entity.tgid, entity.name, process);
    } else {
      trace_.AddDevice(id, entity.name);
    }
  }

  const Timeline& timeline_;
  const TimeRange range_;
  PerfettoTrace& trace_;
  const std::vector<std::string> names_;
  std::vector<bool> has_track_;
};

}  // namespace

namespace {

void AddPath(const Timeline& timeline, const pb::JobPath& path, const TimeRange& range,
             PerfettoTrace& trace) {
  const auto at_ns = [&](double second) {
    return timeline.start_ns() + static_cast<uint64_t>(std::llround(second * kNsPerSecond));
  };
  for (const pb::PathStretch& stretch : path.stretches()) {
    const uint64_t from_ns = std::max(at_ns(stretch.start_s()), range.from_ns);
    const uint64_t to_ns = std::min(at_ns(stretch.start_s() + stretch.seconds()), range.to_ns);
    if (from_ns < to_ns)
      trace.AddPath(stretch, timeline.pauses().ClockTime(from_ns),
                    timeline.pauses().ClockTimeOfEnd(to_ns));
  }
}

}  // namespace

void WritePerfettoTimeline(const Timeline& timeline, const pb::Report& report,
                           const TimeRange& range, PerfettoTrace& trace) {
  trace.AddFindings(report, timeline.pauses().ClockTime(range.from_ns),
                    timeline.pauses().ClockTimeOfEnd(range.to_ns));
  if (report.has_path()) AddPath(timeline, report.path(), range, trace);
  TimelineWriter writer(timeline, range, trace);
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) writer.WriteThread(thread);
}

}  // namespace gordian
