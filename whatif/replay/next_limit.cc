// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/next_limit.h"

#include <algorithm>
#include <utility>

#include "whatif/replay/thresholds.h"

namespace gordian {
namespace {

void Raise(Limiter& most, const Limiter& other) {
  if (other.share > most.share) most = other;
}

// The thread that makes most of the progress stands for it.
EntityId MainThread(const ReplayOptions& options, EntityId threads) {
  std::vector<uint32_t> marks(threads);
  EntityId main = kNobody;
  for (const ProgressMark& mark : options.marks) {
    if (mark.thread >= threads) continue;
    ++marks[mark.thread];
    if (main == kNobody || marks[mark.thread] > marks[main]) main = mark.thread;
  }
  return main;
}

Limiter LargestPart(EntityId thread, const ThreadUse& use, double end_ns) {
  Limiter most;
  for (const auto& [kind, time_ns] : {std::pair{NextLimit::kThread, use.run_ns},
                                      {NextLimit::kCpus, use.ready_ns},
                                      {NextLimit::kDisk, use.disk_ns},
                                      {NextLimit::kSleep, use.sleep_ns},
                                      {NextLimit::kOutside, use.outside_ns},
                                      {NextLimit::kWaits, use.await_ns},
                                      {NextLimit::kLink, use.link_ns}})
    Raise(most, {kind, thread, static_cast<double>(time_ns) / end_ns});
  return most;
}

}  // namespace

Limiter FindNextLimit(const Score& score, const PlayOutcome& outcome, const ReplayOptions& options,
                      std::span<const uint32_t> vertex_of_entity) {
  const double end_ns = std::max(1.0, static_cast<double>(outcome.end_ns));
  const auto is_candidate = [&](EntityId entity) {
    return options.candidates.empty() ||
           std::find(options.candidates.begin(), options.candidates.end(),
                     vertex_of_entity[entity]) != options.candidates.end();
  };
  Limiter busiest;
  std::vector<uint64_t> run_of_node_ns(score.cpus.size());
  std::vector<uint64_t> run_of_seat_ns(outcome.threads.size());
  for (EntityId thread = 0; thread < outcome.threads.size(); ++thread) {
    const ThreadUse& use = outcome.threads[thread];
    if (score.cpu_class[thread] != CpuClass::kApart)
      run_of_node_ns[score.node[thread]] += use.run_ns;
    run_of_seat_ns[SeatOf(score, thread)] += use.run_ns;
  }
  for (EntityId thread = 0; thread < outcome.threads.size(); ++thread) {
    const EntityId recorded = score.like[thread];
    if (run_of_seat_ns[thread] > 0 && recorded != kNobody && is_candidate(recorded))
      Raise(busiest,
            {NextLimit::kThread, recorded, static_cast<double>(run_of_seat_ns[thread]) / end_ns});
  }
  for (size_t disk = 0; disk < score.disks.size(); ++disk) {
    if (!is_candidate(score.disks[disk].entity)) continue;
    Raise(busiest, {NextLimit::kDisk, score.disks[disk].entity,
                    static_cast<double>(outcome.disk_busy_ns[disk]) / end_ns});
  }
  std::vector<uint32_t> cpus = score.cpus;
  for (const CpuChange& change : options.changes.cpus) cpus[change.node] = change.count;
  for (uint32_t node = 0; node < cpus.size(); ++node) {
    const double share = static_cast<double>(run_of_node_ns[node]) / end_ns / cpus[node];
    Raise(busiest, {.kind = NextLimit::kCpus, .share = share, .node = node});
  }
  if (busiest.share >= kBusyAsLimit) return busiest;
  const EntityId main = MainThread(options, static_cast<EntityId>(outcome.threads.size()));
  return main == kNobody ? busiest : LargestPart(main, outcome.threads[main], end_ns);
}

}  // namespace gordian
