// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/pauses.h"

#include <algorithm>

namespace gordian {
namespace {

// Whether an event of a pause still says something behind it. A spin that ended in a pause counts
// as the lock's release: its thread is known, and the spin itself is cut off with the rest.
bool HoldsForLonger(TraceEvent& event) {
  switch (event.kind) {
    case EventKind::kTask:
    case EventKind::kFlow:
    case EventKind::kStack:
    case EventKind::kWaitObject:
    case EventKind::kLoss:
      return true;
    case EventKind::kProbe:
      break;
    default:
      return false;
  }
  switch (event.probe.kind) {
    case ProbeKind::kSpinEnd:
      event.probe.kind = ProbeKind::kSpinRelease;
      return true;
    case ProbeKind::kSpinRelease:
    case ProbeKind::kPhaseBegin:
    case ProbeKind::kPhaseEnd:
      return true;
    default:
      return false;
  }
}

}  // namespace

Pauses::Pauses(const pb::Session& session, uint64_t first_ns) {
  for (const pb::Pause& pause : session.pauses()) {
    if (pause.to_ns() <= first_ns) continue;
    const uint64_t from_ns = std::max(pause.from_ns(), first_ns);
    if (pause.to_ns() <= from_ns + 1) continue;
    if (!pauses_.empty() && from_ns <= pauses_.back().to_ns) continue;
    pauses_.push_back({from_ns, pause.to_ns(), total_ns_});
    total_ns_ += pauses_.back().cut_ns();
  }
}

Pauses::Pauses(const std::vector<std::pair<uint64_t, uint64_t>>& stretches) {
  for (const auto& [from_ns, to_ns] : stretches) {
    pauses_.push_back({from_ns, to_ns, total_ns_});
    total_ns_ += pauses_.back().cut_ns();
  }
}

const Pauses::Pause* Pauses::Before(uint64_t clock_ns) const {
  const auto behind = std::partition_point(
      pauses_.begin(), pauses_.end(), [&](const Pause& pause) { return pause.from_ns < clock_ns; });
  return behind == pauses_.begin() ? nullptr : &*(behind - 1);
}

const Pauses::Pause* Pauses::BeforeRecorded(uint64_t recorded_ns) const {
  const auto behind = std::partition_point(pauses_.begin(), pauses_.end(), [&](const Pause& pause) {
    return pause.recorded_from_ns() < recorded_ns;
  });
  return behind == pauses_.begin() ? nullptr : &*(behind - 1);
}

uint64_t Pauses::RecordedTime(uint64_t clock_ns) const {
  const Pause* const pause = Before(clock_ns);
  if (pause == nullptr) return clock_ns;
  if (clock_ns < pause->to_ns) return pause->recorded_from_ns();
  return clock_ns - pause->cut_before_ns - pause->cut_ns();
}

std::vector<std::pair<uint64_t, uint64_t>> Pauses::Stretches() const {
  std::vector<std::pair<uint64_t, uint64_t>> stretches;
  stretches.reserve(pauses_.size());
  for (const Pause& pause : pauses_) stretches.emplace_back(pause.from_ns, pause.to_ns);
  return stretches;
}

bool Pauses::Holds(uint64_t clock_ns) const {
  const Pause* const pause = Before(clock_ns);
  return pause != nullptr && clock_ns < pause->to_ns;
}

uint64_t Pauses::ClockTime(uint64_t recorded_ns) const {
  const Pause* const pause = BeforeRecorded(recorded_ns);
  return pause == nullptr ? recorded_ns : recorded_ns + pause->cut_before_ns + pause->cut_ns();
}

uint64_t Pauses::ClockTimeOfEnd(uint64_t recorded_ns) const {
  return recorded_ns == 0 ? 0 : ClockTime(recorded_ns - 1) + 1;
}

uint64_t Pauses::LastResume(uint64_t recorded_ns) const {
  const Pause* const pause = BeforeRecorded(recorded_ns);
  return pause == nullptr ? 0 : pause->recorded_from_ns() + 1;
}

uint64_t Pauses::NextPause(uint64_t recorded_ns, uint64_t none) const {
  const auto next = std::partition_point(pauses_.begin(), pauses_.end(), [&](const Pause& pause) {
    return pause.recorded_from_ns() < recorded_ns;
  });
  return next == pauses_.end() ? none : next->recorded_from_ns();
}

uint64_t Pauses::NextResume(uint64_t recorded_ns) const {
  const uint64_t begins_ns = NextPause(recorded_ns, kNever);
  return begins_ns == kNever ? kNever : begins_ns + 1;
}

void Pauses::CutOutOf(EventBlock& block) const {
  if (empty()) return;
  size_t kept = 0;
  for (TraceEvent& event : block.events) {
    if (Holds(event.time_ns) && !HoldsForLonger(event)) continue;
    const uint64_t time_ns = RecordedTime(event.time_ns);
    const auto shorten = [&](uint64_t& duration_ns) {
      duration_ns = time_ns - RecordedTime(event.time_ns - std::min(duration_ns, event.time_ns));
    };
    if (event.kind == EventKind::kBlockComplete && event.block.service_ns != 0) {
      shorten(event.block.service_ns);
      event.block.service_ns = std::max<uint64_t>(1, event.block.service_ns);  // still known
    }
    if (event.kind == EventKind::kLoss) shorten(event.loss.duration_ns);
    event.time_ns = time_ns;
    if (&block.events[kept] != &event) block.events[kept] = event;
    ++kept;
  }
  block.events.erase(block.events.begin() + static_cast<ptrdiff_t>(kept), block.events.end());
}

}  // namespace gordian
