// SPDX-License-Identifier: Apache-2.0
#include "recorder/clocks/node_clock_table.h"

#include <algorithm>
#include <cstdlib>

namespace gordian {

NodeClockTable::NodeClockTable(const std::string& node, const std::string& reference) {
  clock_.set_node(node);
  clock_.set_reference(reference);
  clock_.set_drift_ppb(kDriftPpb);
}

void NodeClockTable::Add(const MeasuredClock& measured) {
  if (measured.boot_id != clock_.reference_boot_id()) {
    // The first one, or the reference was booted again: its old clock ended with the old boot.
    if (clock_.offsets_size() > 0) clock_.set_contradictions(clock_.contradictions() + 1);
    clock_.clear_offsets();
    clock_.set_reference_boot_id(measured.boot_id);
  }
  if (clock_.offsets_size() > 0) {
    const pb::ClockOffset& last = clock_.offsets(clock_.offsets_size() - 1);
    const int64_t apart_ns = measured.offset.offset_ns() - last.offset_ns();
    const uint64_t allowed_ns =
        BoundAt(last, measured.offset.monotonic_ns()) + measured.offset.bound_ns();
    if (static_cast<uint64_t>(std::llabs(apart_ns)) > allowed_ns) {
      clock_.set_contradictions(clock_.contradictions() + 1);
    }
  }
  if (clock_.offsets_size() >= kMaxOffsets) ThinOut();
  *clock_.add_offsets() = measured.offset;
}

// The first stays: without it the beginning of the session would be far from any measurement.
void NodeClockTable::ThinOut() {
  auto& offsets = *clock_.mutable_offsets();
  int kept = 1;
  for (int i = 1; i < offsets.size(); i += 2) {
    const bool next_is_better =
        i + 1 < offsets.size() && offsets.Get(i + 1).bound_ns() < offsets.Get(i).bound_ns();
    offsets.SwapElements(kept++, next_is_better ? i + 1 : i);
  }
  offsets.DeleteSubrange(kept, offsets.size() - kept);
}

// Older ones are further away than any clock drifts in the meantime.
std::optional<pb::ClockOffset> BestOffset(const pb::NodeClock& clock, uint64_t monotonic_ns) {
  constexpr int kLookedAt = 16;
  std::optional<pb::ClockOffset> best;
  for (int i = std::max(0, clock.offsets_size() - kLookedAt); i < clock.offsets_size(); ++i) {
    const pb::ClockOffset& offset = clock.offsets(i);
    if (!best || BoundAt(offset, monotonic_ns) <= BoundAt(*best, monotonic_ns)) best = offset;
  }
  return best;
}

uint64_t BoundAt(const pb::ClockOffset& measured, uint64_t monotonic_ns) {
  const uint64_t measured_ns = measured.monotonic_ns();
  const uint64_t away_ns =
      monotonic_ns > measured_ns ? monotonic_ns - measured_ns : measured_ns - monotonic_ns;
  // In whole microseconds, rounded up: 2^64 ns times the drift would not fit.
  return measured.bound_ns() + (away_ns / 1000 + 1) * kDriftPpb / 1'000'000;
}

}  // namespace gordian
