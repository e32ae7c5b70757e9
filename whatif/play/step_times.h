// SPDX-License-Identifier: Apache-2.0
// How long the steps of a score take in one replay.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "whatif/play/play.h"

namespace gordian {

inline uint64_t ScaledNs(uint64_t duration_ns, double factor) {
  if (factor == 1) return duration_ns;
  return static_cast<uint64_t>(std::llround(static_cast<double>(duration_ns) * factor));
}

inline uint64_t RunNs(const Variation& variation, EntityId thread, const Step& step) {
  return ScaledNs(step.duration_ns,
                  variation.run_factor.empty() ? 1 : variation.run_factor[thread]);
}

// What other programs took of it counts only if they are no part of the replay.
inline uint64_t OffCpuNs(const Variation& variation, bool others_apart, EntityId thread,
                         const Step& step) {
  return ScaledNs(step.duration_ns + (others_apart ? step.number : 0),
                  variation.off_cpu_factor.empty() ? 1 : variation.off_cpu_factor[thread]);
}

// So long a hand-over is under way; 0 within a node.
inline uint64_t FlightNs(const Score& score, const Variation& variation, uint32_t hand_over) {
  if (score.flight_ns.empty()) return 0;
  return ScaledNs(score.flight_ns[hand_over],
                  variation.flight_factor.empty()
                      ? 1
                      : variation.flight_factor[score.pair_of_hand_over[hand_over]]);
}

inline uint64_t PauseNs(const Variation& variation, EntityId thread, const Step& step) {
  const bool keeps_pace = variation.keeps_pace.empty() || variation.keeps_pace[thread] != 0;
  double factor = step.by_timer || !keeps_pace ? 1 : variation.outside_factor;
  if (step.by_timer && !variation.sleep_factor.empty()) factor = variation.sleep_factor[thread];
  if (!variation.pause_factors.empty()) {
    for (const auto& [waits_for, its_factor] : variation.pause_factors[thread]) {
      if (waits_for == step.number) factor *= its_factor;
    }
  }
  const uint64_t length_ns = ScaledNs(step.duration_ns, factor);
  // The time by which a sleep lasts too long does not shrink with it.
  return step.by_timer && factor < 1 && length_ns > 0
             ? std::min(step.duration_ns, length_ns + variation.sleeps_late_ns)
             : length_ns;
}

}  // namespace gordian
