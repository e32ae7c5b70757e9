// SPDX-License-Identifier: Apache-2.0
// The work of threads that work alone, divided among several.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "whatif/edit/added_threads.h"
#include "whatif/edit/edit.h"
#include "whatif/edit/score_parts.h"
#include "whatif/edit/thresholds.h"

namespace gordian {
namespace {

bool IsUsersThread(const Score& score, EntityId thread) { return score.kernel_thread[thread] == 0; }

// Nobody waits for a part of its work, but at most for its end. What it wakes as it begins and ends
// are threads of a runtime, which get ready or are told to stop, and no one who waits for work.
bool WorksByItself(const Score& score, EntityId thread) {
  const std::span<const Step> steps = score.StepsOf(thread);
  if (steps.empty()) return true;
  const uint64_t first_ns = steps.front().recorded_ns, last_ns = steps.back().recorded_ns;
  const auto edge_ns =
      static_cast<uint64_t>(kBeginsOrEndsShare * static_cast<double>(last_ns - first_ns));
  uint64_t hand_overs = 0;
  for (const Step& step : steps) {
    if (step.kind != StepKind::kHandOver) continue;
    if (step.recorded_ns <= first_ns + edge_ns || step.recorded_ns + edge_ns >= last_ns) continue;
    const HandOverPair& pair = score.PairOf(step.number);
    const bool is_birth = pair.count == 0;
    if (!is_birth && IsUsersThread(score, pair.waiter)) ++hand_overs;
  }
  return hand_overs <= 1;
}

class Divider {
 public:
  Divider(const Score& score, EntityId thread, uint32_t helpers)
      : thread_(thread), edited_(TakeApart(score)), first_channel_(edited_.rest.channels) {
    edited_.rest.channels += 2 * helpers;
    for (uint32_t i = 0; i < helpers; ++i)
      helpers_.push_back(edited_.AddThread(thread, score.cpu_class[thread]));
  }

  Score Divide() {
    const std::vector<Step> steps = std::exchange(edited_.steps[thread_], {});
    for (const Step& step : steps) {
      if (step.kind == StepKind::kRun && step.duration_ns >= kWorthDividingNs) {
        DivideRun(step);
      } else {
        edited_.steps[thread_].push_back(step);
      }
    }
    return PutTogether(std::move(edited_));
  }

 private:
  void DivideRun(const Step& run) {
    Step part = run;
    part.duration_ns = run.duration_ns / (helpers_.size() + 1);
    for (size_t i = 0; i < helpers_.size(); ++i) {
      HandOn(thread_, helpers_[i], first_channel_ + 2 * i, run.recorded_ns);
      edited_.steps[helpers_[i]].push_back(part);
    }
    edited_.steps[thread_].push_back(part);
    for (size_t i = 0; i < helpers_.size(); ++i)
      HandOn(helpers_[i], thread_, first_channel_ + 2 * i + 1, run.recorded_ns + run.duration_ns);
  }

  void HandOn(EntityId from, EntityId to, size_t channel, uint64_t at_ns) {
    const uint32_t token = edited_.AddHandOver(
        {.waker = from, .waiter = to, .channel = static_cast<uint32_t>(channel)});
    edited_.steps[from].push_back({at_ns, 0, token, StepKind::kHandOver});
    edited_.steps[to].push_back({at_ns, 0, token, StepKind::kAwait});
  }

  const EntityId thread_;
  EditableScore edited_;
  const uint32_t first_channel_;
  std::vector<EntityId> helpers_;
};

// … rather than run for long enough that their runs can be divided.
bool MostlyWaitForDisks(const Score& score, std::span<const EntityId> threads) {
  uint64_t run_ns = 0, wait_ns = 0;
  for (const EntityId thread : threads) {
    for (const Step& step : score.StepsOf(thread)) {
      if (step.kind == StepKind::kAwaitDisk) wait_ns += step.duration_ns;
      if (step.kind == StepKind::kRun && step.duration_ns >= kWorthDividingNs)
        run_ns += step.duration_ns;
    }
  }
  return wait_ns > run_ns;
}

// A round ends with a wait for a disk. The first is in order of time, whoever did it.
Pool RoundsOf(const Score& score, std::span<const EntityId> threads) {
  Pool pool = {.threads = {threads.begin(), threads.end()}};
  for (const EntityId thread : threads) {
    const size_t end = score.first_step[thread + 1];
    size_t begin = score.first_step[thread];
    for (size_t i = begin; i < end; ++i) {
      if (score.steps[i].kind != StepKind::kAwaitDisk && i + 1 < end) continue;
      pool.pieces.push_back({begin, i + 1});
      begin = i + 1;
    }
  }
  std::stable_sort(pool.pieces.begin(), pool.pieces.end(),
                   [&](const Pool::Piece& a, const Pool::Piece& b) {
                     return score.steps[a.begin].recorded_ns < score.steps[b.begin].recorded_ns;
                   });
  return pool;
}

}  // namespace

std::optional<DividedWork> DivideWork(const Score& score, const AddedThreads& added,
                                      std::span<const uint32_t> vertex_of_entity) {
  std::vector<EntityId> threads;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (score.VertexOf(thread, vertex_of_entity) != added.vertex) continue;
    if (!IsUsersThread(score, thread) || !WorksByItself(score, thread)) return std::nullopt;
    threads.push_back(thread);
  }
  if (MostlyWaitForDisks(score, threads))
    return DividedWork{WithPool(score, RoundsOf(score, threads), added.count), true};
  if (threads.size() != 1) return std::nullopt;
  return DividedWork{Divider(score, threads.front(), added.count).Divide()};
}

}  // namespace gordian
