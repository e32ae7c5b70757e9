// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/paths.h"

#include <algorithm>
#include <cstddef>

#include "whatif/paths/gone_waits.h"

namespace gordian {
namespace {

constexpr size_t kNoStep = ~size_t{0};
// Who wakes a thread may have waited for another itself. Each pass sees one more of such a chain.
constexpr int kPasses = 4;

// Time that threads spend in their steps, and how much of it is gone.
class Sums {
 public:
  struct Times {
    double all_ns = 0, gone_ns = 0;
  };

  explicit Sums(const Score& score) : score_(score), sums_(score.steps.size() + 1) {}

  void Set(size_t step, double gone_share) {
    const auto length_ns = static_cast<double>(score_.steps[step].duration_ns);
    sums_[step + 1] = {sums_[step].all_ns + length_ns,
                       sums_[step].gone_ns + length_ns * gone_share};
  }

  // Of a thread's steps before `end`, since that time. Of the first one only its later part.
  Times Since(EntityId thread, uint64_t from_ns, size_t end) const {
    const auto first =
        score_.steps.begin() + static_cast<std::ptrdiff_t>(score_.first_step[thread]);
    const auto last = score_.steps.begin() + static_cast<std::ptrdiff_t>(end);
    const auto at = std::partition_point(first, last, [&](const Step& step) {
      return step.recorded_ns + step.duration_ns <= from_ns;
    });
    const auto begin = static_cast<size_t>(at - score_.steps.begin());
    Times times = {sums_[end].all_ns - sums_[begin].all_ns,
                   sums_[end].gone_ns - sums_[begin].gone_ns};
    if (at == last || at->recorded_ns >= from_ns) return times;
    const double before =
        static_cast<double>(from_ns - at->recorded_ns) / static_cast<double>(at->duration_ns);
    times.all_ns -= before * (sums_[begin + 1].all_ns - sums_[begin].all_ns);
    times.gone_ns -= before * (sums_[begin + 1].gone_ns - sums_[begin].gone_ns);
    return times;
  }

 private:
  const Score& score_;
  std::vector<Times> sums_;  // of all steps before
};

class Finder {
 public:
  Finder(const Score& score, const Variation& variation, std::span<const Path> paths,
         std::span<const uint32_t> vertices)
      : score_(score),
        variation_(variation),
        vertices_(vertices),
        run_gone_(score.threads()),
        hand_over_step_(score.pair_of_hand_over.size(), kNoStep),
        left_(score.pair_of_hand_over.size(), 1),
        sums_(score) {
    for (EntityId thread = 0; thread < score.threads(); ++thread) {
      const uint32_t vertex = score.VertexOf(thread, vertices);
      for (const Path& path : paths)
        if (path.vertex == vertex) run_gone_[thread] = std::max(run_gone_[thread], path.run_share);
    }
    for (size_t i = 0; i < score.steps.size(); ++i) {
      if (score.steps[i].kind == StepKind::kHandOver) hand_over_step_[score.steps[i].number] = i;
    }
  }

  std::vector<float> Find() {
    for (int pass = 0; pass < kPasses; ++pass) {
      for (EntityId thread = 0; thread < score_.threads(); ++thread) Sum(thread);
      bool same = true;
      for (EntityId thread = 0; thread < score_.threads(); ++thread) {
        for (const Step& step : score_.StepsOf(thread))
          if (IsForItsKind(step)) same &= !Look(step);
      }
      if (same) break;
    }
    return std::move(left_);
  }

 private:
  bool IsForItsKind(const Step& step) const {
    if (step.kind != StepKind::kAwait) return false;
    const uint32_t number = score_.pair_of_hand_over[step.number];
    const HandOverPair& pair = score_.pairs[number];
    const bool stays =
        variation_.pair_drops.empty() || variation_.pair_drops[number] == DropKind::kKept;
    const uint32_t waiter = score_.VertexOf(pair.waiter, vertices_);
    return stays && pair.count > 0 && !pair.carried && pair.link == kNobody &&
           waiter == score_.VertexOf(pair.waker, vertices_) &&
           score_.kernel_thread[pair.waiter] == 0 && score_.like[pair.waiter] != kNobody;
  }

  void Sum(EntityId thread) {
    bool after_gone = false;
    for (size_t i = score_.first_step[thread]; i < score_.first_step[thread + 1]; ++i) {
      const Step& step = score_.steps[i];
      double gone = 0;
      if (step.kind == StepKind::kRun) {
        gone = run_gone_[thread];
        after_gone = false;
      } else if (step.kind == StepKind::kOffCpu) {
        gone = after_gone && step.after_wait ? 1 : 0;
      } else if (step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk) {
        after_gone = IsGone(score_, variation_, thread, step);
        gone = after_gone ? 1 : step.kind == StepKind::kAwait ? 1 - left_[step.number] : 0;
      }
      sums_.Set(i, gone);
    }
  }

  // Whether it is known better now.
  bool Look(const Step& wait) {
    const size_t end = hand_over_step_[wait.number];
    if (end == kNoStep) return false;
    const EntityId waker = score_.PairOf(wait.number).waker;
    const Sums::Times times = sums_.Since(waker, wait.recorded_ns, end);
    if (times.all_ns <= 0) return false;
    const auto left = static_cast<float>(1 - times.gone_ns / times.all_ns);
    const bool better = left < left_[wait.number] - 0.01F;
    left_[wait.number] = left;
    return better;
  }

  const Score& score_;
  const Variation& variation_;
  const std::span<const uint32_t> vertices_;
  std::vector<double> run_gone_;  // by thread: share of its CPU time
  std::vector<size_t> hand_over_step_;
  std::vector<float> left_;  // by hand-over
  Sums sums_;
};

}  // namespace

ShrunkWaits::ShrunkWaits(const Score& score, const Variation& variation,
                         std::span<const Path> paths, std::span<const uint32_t> vertex_of_entity)
    : score_(score), left_(Finder(score, variation, paths, vertex_of_entity).Find()) {
  any_ = std::any_of(left_.begin(), left_.end(), [](float left) { return left < 1; });
}

std::vector<uint8_t> ShrunkWaits::NotMet(double gain) const {
  std::vector<uint8_t> not_met(left_.size());
  std::vector<double> owed(score_.pairs.size(), 0.5);
  for (size_t i = 0; i < left_.size(); ++i) {
    double& of_pair = owed[score_.pair_of_hand_over[i]];
    of_pair += 1 - std::min(1.0, gain * left_[i]);
    if (of_pair < 1) continue;
    not_met[i] = 1;
    of_pair -= 1;
  }
  return not_met;
}

}  // namespace gordian
