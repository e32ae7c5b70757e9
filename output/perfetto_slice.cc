// SPDX-License-Identifier: Apache-2.0
#include "output/perfetto_slice.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/segment_words.h"
#include "words/clean_text.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

class SliceWriter {
 public:
  SliceWriter(const Timeline& timeline, const Slice& slice, PerfettoTrace& trace)
      : timeline_(timeline),
        slice_(slice),
        trace_(trace),
        track_of_thread_(timeline.thread_count()),
        arrow_to_(slice.stretches.size()) {}

  // Arrows are told at their beginning, before they are used at their end.
  void AddArrow(uint32_t cause, uint32_t effect) {
    const SliceStretch& from = slice_.stretches[cause];
    const SliceStretch& to = slice_.stretches[effect];
    arrow_to_[effect] = trace_.AddWake(
        from.thread,
        timeline_.pauses().ClockTimeOfEnd(std::clamp(to.from_ns, from.from_ns, from.to_ns)),
        NameOfThread(to.thread));
  }

  void AddTrackOf(EntityId thread) {
    if (track_of_thread_[thread]) return;
    track_of_thread_[thread] = true;
    const Entity& entity = timeline_.entities()[thread];
    // Two nodes may use the same numbers.
    constexpr int32_t kNumbersOfNode = 1 << 22;
    const int32_t first = static_cast<int32_t>(entity.node % 512) * kNumbersOfNode;
    const std::string process =
        timeline_.nodes().empty()
            ? entity.process_name
            : absl::StrCat(timeline_.nodes()[entity.node], "/", entity.process_name);
    trace_.AddThread(thread, first + entity.tid, first + entity.tgid, entity.name, process);
  }

  void AddStates(const SliceStretch& stretch) {
    uint64_t arrow = arrow_to_[stretch.number];
    for (SegmentCursor at = timeline_.SegmentsFrom(stretch.thread, stretch.from_ns);
         !at.done() && at.start_ns() < stretch.to_ns; at.Next()) {
      const uint64_t from_ns = std::max(at.start_ns(), stretch.from_ns);
      const uint64_t to_ns = std::min(at.end_ns(), stretch.to_ns);
      if (from_ns >= to_ns) continue;
      trace_.AddState(stretch.thread, timeline_.pauses().ClockTime(from_ns),
                      timeline_.pauses().ClockTimeOfEnd(to_ns), StateName(at.segment().kind),
                      arrow);
      arrow = 0;
    }
  }

 private:
  std::string NameOfThread(EntityId thread) const {
    const Entity& entity = timeline_.entities()[thread];
    return CleanText(ThreadLabel(entity.name, entity.tid));
  }

  const Timeline& timeline_;
  const Slice& slice_;
  PerfettoTrace& trace_;
  std::vector<bool> track_of_thread_;
  std::vector<uint64_t> arrow_to_;
};

}  // namespace

void WritePerfettoSlice(const Timeline& timeline, const Slice& slice, bool forward,
                        PerfettoTrace& trace) {
  SliceWriter writer(timeline, slice, trace);
  std::vector<SliceStretch> in_time = slice.stretches;
  std::sort(in_time.begin(), in_time.end(), [](const SliceStretch& a, const SliceStretch& b) {
    return a.from_ns != b.from_ns ? a.from_ns < b.from_ns : a.number < b.number;
  });
  for (const SliceStretch& stretch : in_time) writer.AddTrackOf(stretch.thread);
  for (const SliceStretch& stretch : in_time) {
    if (stretch.parent == kNoStretch) continue;
    if (forward) {
      writer.AddArrow(stretch.parent, stretch.number);
    } else {
      writer.AddArrow(stretch.number, stretch.parent);
    }
  }
  for (const SliceStretch& stretch : in_time) writer.AddStates(stretch);
}

}  // namespace gordian
