// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/disk_jobs.h"

#include <utility>

#include "whatif/edit/score_parts.h"
#include "whatif/edit/thresholds.h"

namespace gordian {
namespace {

bool IsAnyWait(const Step& step) {
  return step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk ||
         step.kind == StepKind::kPause;
}

// Kernel threads pass on the ends of journals' commits and of writes, seldom of reads.
bool Stores(const Score& score, const Step& wait) {
  return wait.kind == StepKind::kAwait || score.requests[wait.number].stores;
}

// Runs between one such wait and the next that are shorter are within a system call.
uint64_t ShortRunNs(const Score& score, std::span<const Step> steps, uint32_t vertex,
                    std::span<const uint32_t> vertex_of_entity) {
  uint64_t sum_ns = 0, since_ns = 0, runs = 0;
  bool after_such = false;
  for (const Step& step : steps) {
    if (step.kind == StepKind::kRun) since_ns += step.duration_ns;
    const bool such = IsDiskWait(score, step, vertex, vertex_of_entity);
    if (such && after_such) {
      sum_ns += since_ns;
      ++runs;
    }
    if (!such && !IsAnyWait(step)) continue;
    after_such = such;
    since_ns = 0;
  }
  if (runs < kFewestRunsBetween) return 0;
  return static_cast<uint64_t>(kShortRun * static_cast<double>(sum_ns) / static_cast<double>(runs));
}

}  // namespace

bool IsOnDisk(const Score& score, uint32_t disk, uint32_t vertex,
              std::span<const uint32_t> vertex_of_entity) {
  return disk != kNoDisk && vertex_of_entity[score.disks[disk].entity] == vertex;
}

bool IsDiskWait(const Score& score, const Step& step, uint32_t vertex,
                std::span<const uint32_t> vertex_of_entity) {
  if (step.kind == StepKind::kAwaitDisk)
    return IsOnDisk(score, score.requests[step.number].disk, vertex, vertex_of_entity);
  return step.kind == StepKind::kAwait &&
         IsOnDisk(score, score.relayed_disk[step.number], vertex, vertex_of_entity);
}

std::vector<DiskJob> DiskJobsOf(const Score& score, std::span<const Step> steps, uint32_t vertex,
                                std::span<const uint32_t> vertex_of_entity) {
  const uint64_t short_run_ns = ShortRunNs(score, steps, vertex, vertex_of_entity);
  std::vector<DiskJob> jobs;
  uint64_t since_ns = 0;
  bool goes_on = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    if (step.kind == StepKind::kRun) since_ns += step.duration_ns;
    if (!IsDiskWait(score, step, vertex, vertex_of_entity)) {
      goes_on &= !IsAnyWait(step) && step.kind != StepKind::kMark;
      continue;
    }
    if (!goes_on || since_ns >= short_run_ns) jobs.emplace_back();
    jobs.back().waits.push_back(i);
    jobs.back().stores |= Stores(score, step);
    goes_on = true;
    since_ns = 0;
  }
  return jobs;
}

Score KeepOneIn(const Score& score, const WaitChange& change,
                std::span<const uint32_t> vertex_of_entity) {
  Score kept = score;
  uint32_t since = 0;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (score.VertexOf(thread, vertex_of_entity) != change.from) continue;
    const std::span<const Step> steps = score.StepsOf(thread);
    for (const DiskJob& job : DiskJobsOf(score, steps, change.to, vertex_of_entity)) {
      if (++since < change.keeps_one_in) continue;
      since = 0;
      for (const size_t wait : job.waits) {
        const uint32_t number = steps[wait].number;
        if (steps[wait].kind == StepKind::kAwaitDisk) {
          kept.requests[number].stays = true;
        } else {
          kept.relayed_disk[number] = kNoDisk;
        }
      }
    }
  }
  return kept;
}

}  // namespace gordian
