// SPDX-License-Identifier: Apache-2.0
#include "path/verdict.h"

#include <algorithm>

#include "path/thresholds.h"

namespace gordian {

const char* PathStateName(PathState state) {
  static constexpr std::array<const char*, kPathStates> kNames = {
      "run", "ready", "disk", "network", "timer", "recorder", "other", "unknown"};
  return kNames[static_cast<size_t>(state)];
}

const char* PathLossName(PathLoss loss) {
  static constexpr std::array<const char*, kPathLosses> kNames = {
      "serial", "turns",   "barrier", "narrow", "disk",
      "idle",   "starved", "outside", "full",   "untold"};
  return kNames[static_cast<size_t>(loss)];
}

PathLoss VerdictOf(const std::array<double, kPathLosses>& loss_ns, double length_ns) {
  const auto ns = [&loss_ns](PathLoss loss) { return loss_ns[static_cast<size_t>(loss)]; };
  PathLoss most = PathLoss::kSerial;
  for (size_t i = 0; i < kPathLosses; ++i) {
    const auto loss = static_cast<PathLoss>(i);
    if (loss == PathLoss::kFull || loss == PathLoss::kUntold) continue;
    if (ns(loss) > ns(most)) most = loss;
  }
  if (ns(most) >= kGoodShare * length_ns) return most;
  const PathLoss rest =
      ns(PathLoss::kUntold) > ns(PathLoss::kFull) ? PathLoss::kUntold : PathLoss::kFull;
  return ns(most) > ns(rest) ? most : rest;
}

double GainBound(const JobPath& path) {
  const double cpus = std::max(path.cpus, 1u);
  const double lost_ns = path.loss_ns[static_cast<size_t>(path.verdict)];
  const double all_cpus_ns = path.work_ns / cpus;
  double least_ns = all_cpus_ns;
  switch (path.verdict) {
    case PathLoss::kSerial:
    case PathLoss::kTurns:
      // Amdahl: the rest, and the work of this part on all CPUs.
      least_ns = std::max(least_ns, path.length_ns - lost_ns * (1 - 1 / cpus));
      break;
    case PathLoss::kDisk:
    case PathLoss::kIdle:
    case PathLoss::kOutside:
    case PathLoss::kUntold:
      least_ns = std::max(least_ns, path.length_ns - lost_ns);
      break;
    case PathLoss::kStarved:
      least_ns = std::max({least_ns, path.length_ns - lost_ns, path.longest_piece_ns});
      break;
    case PathLoss::kBarrier:
      least_ns =
          std::max({least_ns, path.length_ns - lost_ns * (1 - 1 / cpus), path.longest_piece_ns});
      break;
    case PathLoss::kNarrow:
    case PathLoss::kFull:
      least_ns = std::max(least_ns, path.longest_piece_ns);
      break;
  }
  return least_ns > 0 ? std::max(1.0, path.length_ns / least_ns) : 1;
}

}  // namespace gordian
