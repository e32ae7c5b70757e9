// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "whatif/replay/thresholds.h"

namespace gordian {

void SetInterval(const Changes& changes, ReplayResult& result) {
  result.calls_gone = std::any_of(changes.waits.begin(), changes.waits.end(),
                                  [](const WaitChange& wait) { return !wait.keeps_up; });
  const bool alone_is_no_middle = result.calls_gone || result.divides_in_rounds;
  double least = alone_is_no_middle ? result.with_path.gain : result.wait_alone.gain, most = least;
  result.low = result.high = least;
  const auto widen = [&](const Reading& reading) {
    least = std::min(least, reading.gain);
    most = std::max(most, reading.gain);
    const double off =
        std::exp(reading.chance) * std::max(1 + reading.self_check, 1 / (1 + reading.self_check));
    result.low = std::min(result.low, reading.gain / off);
    result.high = std::max(result.high, reading.gain * off);
  };
  if (!result.calls_gone) widen(result.wait_alone);
  widen(result.with_path);
  for (const Reading& reading : result.other_paths) widen(reading);
  result.expected = std::sqrt((alone_is_no_middle ? result.with_path.gain : least) * most);
}

double Unexplained(const Score& score, const Timeline& timeline,
                   std::span<const ProgressMark> marks) {
  std::vector<uint8_t> makes_progress(score.threads());
  for (const ProgressMark& mark : marks) {
    if (mark.thread < score.threads()) makes_progress[mark.thread] = 1;
  }
  double unexplained_ns = 0, life_ns = 0;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (makes_progress[thread] == 0) continue;
    const Entity& entity = timeline.entities()[thread];
    life_ns += static_cast<double>(entity.end_ns - entity.begin_ns);
    for (const Step& step : score.StepsOf(thread)) {
      if (step.kind == StepKind::kPause && !step.by_timer)
        unexplained_ns += static_cast<double>(step.duration_ns);
    }
  }
  return life_ns > 0 ? unexplained_ns / life_ns : 0;
}

}  // namespace gordian
