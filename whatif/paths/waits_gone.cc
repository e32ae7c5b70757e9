// SPDX-License-Identifier: Apache-2.0
// The path of waits that are gone, from the runs between them, and taking paths out.
#include <algorithm>
#include <cstddef>
#include <map>

#include "whatif/edit/thresholds.h"
#include "whatif/paths/gone_waits.h"
#include "whatif/paths/paths.h"
#include "whatif/paths/thresholds.h"
#include "whatif/paths/wait_experiment.h"

namespace gordian {

bool IsFree(const Variation& variation, uint32_t disk) {
  return !variation.service_factor.empty() && variation.service_factor[disk] < kAsGoodAsGone;
}

bool IsDiskGone(const Score& score, const Variation& variation, EntityId thread, uint32_t disk) {
  return disk != kNoDisk &&
         (IsFree(variation, disk) || variation.DropsDisk(thread, disk, score.disks.size()));
}

bool IsGone(const Score& score, const Variation& variation, EntityId thread, const Step& step) {
  if (step.kind == StepKind::kAwait) {
    const uint32_t pair = score.pair_of_hand_over[step.number];
    return (!variation.pair_drops.empty() && variation.pair_drops[pair] != DropKind::kKept) ||
           IsDiskGone(score, variation, thread, score.relayed_disk[step.number]);
  }
  return step.kind == StepKind::kAwaitDisk && !score.requests[step.number].stays &&
         IsDiskGone(score, variation, thread, score.requests[step.number].disk);
}

namespace {

// The runs of a vertex' threads between one wait that is gone and the next.
struct RunTimes {
  uint64_t all_ns = 0;
  bool waits_so = false;
  uint64_t gone_waits = 0;
  std::vector<uint64_t> between_ns;
  WaitExperiment experiment;
};

// The CPU time of the waits that are gone, as threads tell that happened not to wait.
double ShareByExperiment(const RunTimes& times) {
  const auto each_ns = times.experiment.RunNsOfAWait();
  if (!each_ns || times.all_ns == 0) return 0;
  return std::min(
      1.0, *each_ns * static_cast<double>(times.gone_waits) / static_cast<double>(times.all_ns));
}

bool IsWait(const Step& step) {
  return step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk ||
         step.kind == StepKind::kPause;
}

// What a wait is for.
uint32_t KindOf(const Score& score, const Step& step, std::span<const uint32_t> vertices) {
  if (step.kind == StepKind::kAwait)
    return score.VertexOf(score.PairOf(step.number).waker, vertices);
  if (step.kind == StepKind::kAwaitDisk)
    return vertices[score.disks[score.requests[step.number].disk].entity];
  return step.number == kNobody ? kNobody : vertices[step.number];
}

void Add(const Score& score, const Variation& variation, EntityId thread,
         std::span<const uint32_t> vertices, RunTimes& times) {
  bool after_gone = false;
  uint64_t since_wait_ns = 0;
  times.experiment.BeginThread();
  for (const Step& step : score.StepsOf(thread)) {
    switch (step.kind) {
      case StepKind::kRun:
        times.all_ns += step.duration_ns;
        since_wait_ns += step.duration_ns;
        times.experiment.AddRun(step.duration_ns);
        break;
      case StepKind::kRequest:
      case StepKind::kMark:
      case StepKind::kOffCpu:
        break;
      default:
        const bool gone = IsGone(score, variation, thread, step);
        times.waits_so |= gone;
        times.gone_waits += gone ? 1 : 0;
        if (gone) times.experiment.AddWait();
        // Who slept by the clock looks whether there is something to do. Without an operation it
        // did not do the same without waiting: it found nothing.
        if (step.kind == StepKind::kPause && step.by_timer) {
          times.experiment.BeginThread();
        } else if (!gone && IsWait(step)) {
          times.experiment.EndStretch(KindOf(score, step, vertices));
        }
        if (gone && after_gone) times.between_ns.push_back(since_wait_ns);
        after_gone = gone;
        since_wait_ns = 0;
    }
  }
}

// A system call that waits several times runs little in between; whole rounds of a loop run longer.
// Runs well under the mean count as the former.
double ShareInCalls(const RunTimes& times) {
  if (times.between_ns.size() < kFewestRunsBetween) return 0;
  uint64_t sum_ns = 0, in_calls_ns = 0;
  for (const uint64_t run_ns : times.between_ns) sum_ns += run_ns;
  for (const uint64_t run_ns : times.between_ns) {
    if (static_cast<double>(run_ns * times.between_ns.size()) <
        kShortRun * static_cast<double>(sum_ns))
      in_calls_ns += run_ns;
  }
  return times.all_ns == 0 ? 0
                           : static_cast<double>(in_calls_ns) / static_cast<double>(times.all_ns);
}

// Hand-overs of a kernel thread that waits for the disks that are gone.
struct RelayCounts {
  uint64_t all = 0;
  uint64_t gone = 0;
  double Share() const { return static_cast<double>(gone) / static_cast<double>(all); }
};

// Only vertices that pass on at least one completion that no thread waits for any more.
void CountRelays(const Score& score, const Variation& variation,
                 std::span<const uint32_t> vertex_of_entity,
                 std::map<uint32_t, RelayCounts>& relays) {
  for (const bool counts_all : {false, true}) {
    for (size_t i = 0; i < score.pair_of_hand_over.size(); ++i) {
      const HandOverPair& pair = score.PairOf(static_cast<uint32_t>(i));
      const uint32_t vertex = score.VertexOf(pair.waker, vertex_of_entity),
                     disk = score.relayed_disk[i];
      if (counts_all) {
        const auto relay = relays.find(vertex);
        if (relay != relays.end()) ++relay->second.all;
      } else if (IsDiskGone(score, variation, pair.waiter, disk)) {
        ++relays[vertex].gone;
      }
    }
  }
}

}  // namespace

std::vector<Path> PathsOf(const Score& score, const Variation& variation,
                          std::span<const Path> given, std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, RunTimes> by_vertex;
  std::map<uint32_t, RelayCounts> relays;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    Add(score, variation, thread, vertex_of_entity,
        by_vertex[score.VertexOf(thread, vertex_of_entity)]);
  CountRelays(score, variation, vertex_of_entity, relays);
  std::vector<Path> paths(given.begin(), given.end());
  for (const auto& [vertex, times] : by_vertex) {
    if (!times.waits_so) continue;
    const auto relay = relays.find(vertex);
    const bool is_relay = relay != relays.end();
    const double share = is_relay ? relay->second.Share() : ShareInCalls(times);
    const double by_experiment = is_relay ? 0 : ShareByExperiment(times);
    const auto known =
        std::find_if(paths.begin(), paths.end(),
                     [vertex = vertex](const Path& path) { return path.vertex == vertex; });
    if (known != paths.end()) {
      known->least_share = std::max(known->least_share, share);
      known->run_share = std::max(known->run_share, share);
      if (by_experiment > 0) known->run_share = std::min(by_experiment, 1 - known->own_share);
      known->least_share = std::min(known->least_share, known->run_share);
      known->most_share = std::max({known->most_share, known->run_share, share});
    } else if (share > 0 || by_experiment > 0) {
      const double likely = by_experiment > 0 ? by_experiment : share;
      paths.push_back({.vertex = vertex,
                       .run_share = likely,
                       .least_share = std::min(share, likely),
                       .most_share = std::max(share, likely),
                       .kernel_relay = is_relay});
    }
  }
  return paths;
}

void RemovePaths(const Score& score, std::span<const Path> paths,
                 std::span<const uint32_t> vertex_of_entity, Variation& variation) {
  VariationMaker maker(score, vertex_of_entity, variation);
  for (const Path& path : paths) {
    maker.ScaleRuns(path.vertex, 1 - std::clamp(path.run_share, 0.0, 1.0));
    for (const Path::Waits& waits : path.waits) {
      maker.ScalePauses(path.vertex, waits.to, 1 - waits.share);
      if (waits.share < kNearlyAllWaits) continue;
      maker.DropDisk(path.vertex, waits.to, DiskDrop::kWait);
      maker.DropHandOvers(path.vertex, waits.to, DropKind::kAhead);
    }
  }
}

}  // namespace gordian
