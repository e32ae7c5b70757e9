// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_listing.h"

#include <algorithm>
#include <string>

#include "base/time_units.h"
#include "report/segment_words.h"

namespace gordian {
namespace {

class Lister {
 public:
  Lister(const Timeline& timeline, const TimeRange& range) : timeline_(timeline), range_(range) {}

  void List(EntityId thread, pb::TimelineThread& listed) const {
    const Entity& entity = timeline_.entities()[thread];
    listed.set_tid(entity.tid);
    listed.set_pid(entity.tgid);
    listed.set_name(entity.name);
    if (!timeline_.nodes().empty()) listed.set_node(timeline_.nodes()[entity.node]);
    listed.set_process(entity.process_name);
    listed.set_begin_s(Seconds(entity.begin_ns));
    listed.set_end_s(Seconds(entity.end_ns));
    for (SegmentCursor at = timeline_.SegmentsFrom(thread, range_.from_ns);
         !at.done() && at.start_ns() < range_.to_ns; at.Next()) {
      const uint64_t start_ns = std::max(at.start_ns(), range_.from_ns);
      const uint64_t end_ns = std::min(at.end_ns(), range_.to_ns);
      if (start_ns < end_ns) AddSegment(at.segment(), start_ns, end_ns, listed);
    }
  }

 private:
  double Seconds(uint64_t time_ns) const {
    return time_ns > timeline_.start_ns() ? SecondsOf(time_ns - timeline_.start_ns()) : 0;
  }

  void AddSegment(const ThreadSegment& segment, uint64_t start_ns, uint64_t end_ns,
                  pb::TimelineThread& listed) const {
    pb::TimelineSegment& added = *listed.add_segments();
    added.set_start_s(Seconds(start_ns));
    added.set_end_s(Seconds(end_ns));
    added.set_state(std::string(StateName(segment.kind)));
    added.set_open_start(segment.open_start != 0);
    added.set_open_end(segment.open_end != 0);
    if (segment.kind != SegmentKind::kWait && segment.kind != SegmentKind::kSpin) return;
    added.set_cause(std::string(CauseName(segment.cause)));
    if (segment.kind == SegmentKind::kWait) added.set_kernel_state(KernelStateName(segment.state));
    if (segment.waker == kNobody) return;
    const Entity& waker = timeline_.entities()[segment.waker];
    added.set_waits_for(waker.name);
    if (!timeline_.nodes().empty() && waker.kind != EntityKind::kLink)
      added.set_waits_for_node(timeline_.nodes()[waker.node]);
    added.set_waits_for_tid(waker.tid);
  }

  const Timeline& timeline_;
  const TimeRange range_;
};

}  // namespace

pb::TimelineListing ListTimeline(const Timeline& timeline, int32_t tid, const TimeRange& range,
                                 const std::string& node) {
  std::vector<EntityId> threads;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    const bool elsewhere =
        !node.empty() && (timeline.nodes().empty() || timeline.nodes()[entity.node] != node);
    if (entity.tid == tid && !elsewhere) threads.push_back(thread);
  }
  return ListTimeline(timeline, threads, range);
}

pb::TimelineListing ListTimeline(const Timeline& timeline, const std::vector<EntityId>& threads,
                                 const TimeRange& range) {
  pb::TimelineListing listing;
  const Lister lister(timeline, range);
  for (const EntityId thread : threads) {
    const Entity& entity = timeline.entities()[thread];
    if (entity.begin_ns < range.to_ns && entity.end_ns > range.from_ns)
      lister.List(thread, *listing.add_threads());
  }
  return listing;
}

}  // namespace gordian
