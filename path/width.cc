// SPDX-License-Identifier: Apache-2.0
#include "path/width.h"

namespace gordian {

void WidthSweep::CollectStays(uint64_t from_ns, uint64_t to_ns) {
  stays_.clear();
  begins_.clear();
  ends_.clear();
  for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
    const Entity& entity = timeline_.entities()[thread];
    if (entity.begin_ns >= to_ns || entity.end_ns <= from_ns) continue;
    const ProcessId process = processes_.Of(thread);
    const bool is_of_job = job_.members[process] != 0;
    const uint64_t own_ns = processes_.process(process).recorder_until_ns;
    for (auto at = timeline_.SegmentsFrom(thread, from_ns); !at.done() && at.start_ns() < to_ns;
         at.Next()) {
      const bool is_mine = is_of_job && at.end_ns() > own_ns;
      const SegmentKind kind = at.segment().kind;
      What what = is_mine ? What::kRunning : What::kOther;
      if (kind == SegmentKind::kRunnable && is_mine) {
        what = What::kReady;
      } else if (IsDiskWait(at.segment()) && is_mine) {
        what = What::kDisk;
      } else if (kind != SegmentKind::kRun && kind != SegmentKind::kSpin) {
        continue;
      }
      const uint64_t begin_ns = std::max({at.start_ns(), from_ns, is_mine ? own_ns : 0});
      const uint64_t end_ns = std::min(at.end_ns(), to_ns);
      if (begin_ns >= end_ns) continue;
      const auto index = static_cast<uint32_t>(stays_.size());
      stays_.push_back({thread, what});
      begins_.push_back({begin_ns, index});
      ends_.push_back({end_ns, index});
    }
  }
  SortByTime(begins_, scratch_);
  SortByTime(ends_, scratch_);
}

void WidthSweep::Apply(const Stay& stay, bool begins, JobLoad& load) {
  const auto count = [begins](uint32_t& number) { begins ? ++number : --number; };
  switch (stay.what) {
    case What::kRunning:
      return count(load.running);
    case What::kReady:
      return count(load.ready);
    case What::kDisk:
      return count(load.disk);
    case What::kOther:
      if (begins) return load.others.push_back(stay.thread);
      std::erase(load.others, stay.thread);
  }
}

}  // namespace gordian
