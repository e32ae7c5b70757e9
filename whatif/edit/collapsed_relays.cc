// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/collapsed_relays.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "whatif/edit/score_parts.h"

namespace gordian {
namespace {

class Collapser {
 public:
  Collapser(const Score& score, std::span<const WaitChange> waits,
            std::span<const uint32_t> vertex_of_entity)
      : score_(score),
        waits_(waits),
        vertices_(vertex_of_entity),
        await_step_(score.pair_of_hand_over.size(), kNoStep),
        run_each_ns_(score.pair_of_hand_over.size()),
        collapsed_(score.pair_of_hand_over.size()),
        never_asked_(score.pair_of_hand_over.size()),
        gone_(score.steps.size()) {
    for (size_t i = 0; i < score.steps.size(); ++i) {
      if (score.steps[i].kind == StepKind::kAwait) await_step_[score.steps[i].number] = i;
    }
  }

  std::optional<Score> Collapse() {
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (score_.kernel_thread[thread] != 0) FindStretches(thread);
    }
    if (!any_) return std::nullopt;
    for (size_t i = 0; i < gone_.size(); ++i) {
      const Step& step = score_.steps[i];
      if (gone_[i] != 0 && step.kind == StepKind::kHandOver) never_asked_[step.number] = 1;
    }
    EditableScore edited = TakeApart(score_);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) Rewrite(thread, edited);
    return PutTogether(std::move(edited));
  }

 private:
  static constexpr size_t kNoStep = ~size_t{0};
  // Chains of kernel threads are shorter; a circle of damaged records ends here.
  static constexpr int kLongestChain = 8;

  static bool IsWait(const Step& step) {
    return step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk ||
           step.kind == StepKind::kPause;
  }
  // The change of the waits of that thread for that disk; null if they stay.
  const WaitChange* ChangeOf(EntityId thread, uint32_t disk) const {
    if (disk == kNoDisk) return nullptr;
    const uint32_t from = score_.VertexOf(thread, vertices_),
                   to = vertices_[score_.disks[disk].entity];
    const auto found = std::find_if(waits_.begin(), waits_.end(), [&](const WaitChange& wait) {
      return wait.from == from && wait.to == to;
    });
    return found == waits_.end() ? nullptr : &*found;
  }

  // Whether that hand-over leads to threads whose waits change only.
  bool LeadsToChangedWaits(uint32_t hand_over, int depth) const {
    const EntityId waiter = score_.PairOf(hand_over).waiter;
    const uint32_t disk = score_.relayed_disk[hand_over];
    if (disk == kNoDisk || depth > kLongestChain || await_step_[hand_over] == kNoStep) return false;
    if (score_.kernel_thread[waiter] == 0) return ChangeOf(waiter, disk) != nullptr;
    bool leads = false;
    const size_t end = score_.first_step[waiter + 1];
    for (size_t i = await_step_[hand_over] + 1; i < end && !IsWait(score_.steps[i]); ++i) {
      const Step& step = score_.steps[i];
      if (step.kind != StepKind::kHandOver || score_.relayed_disk[step.number] == kNoDisk) continue;
      if (!LeadsToChangedWaits(step.number, depth + 1)) return false;
      leads = true;
    }
    return leads;
  }

  struct Stretch {
    size_t begin = 0;
    bool waits_for_disk = false;
    bool is_part = true;  // hands over to no others
    uint64_t run_ns = 0;
    std::vector<uint32_t> hand_overs;  // that end waits
  };

  void FindStretches(EntityId thread) {
    const size_t end = score_.first_step[thread + 1];
    Stretch stretch = {.begin = score_.first_step[thread]};
    for (size_t i = stretch.begin; i < end; ++i) {
      const Step& step = score_.steps[i];
      if (IsWait(step) && !stretch.hand_overs.empty()) {
        End(std::exchange(stretch, {.begin = i}), i);
      }
      AddTo(stretch, step);
    }
    if (!stretch.hand_overs.empty()) End(stretch, end);
  }

  void AddTo(Stretch& stretch, const Step& step) const {
    switch (step.kind) {
      case StepKind::kRun:
        stretch.run_ns += step.duration_ns;
        break;
      case StepKind::kAwaitDisk:
        stretch.waits_for_disk = true;
        break;
      case StepKind::kAwait:
        stretch.waits_for_disk |= score_.relayed_disk[step.number] != kNoDisk;
        break;
      case StepKind::kMark:  // it must happen all the same
        stretch.is_part = false;
        break;
      case StepKind::kHandOver: {
        const bool ends_wait = score_.relayed_disk[step.number] != kNoDisk;
        const bool asks_kernel = score_.kernel_thread[score_.PairOf(step.number).waiter] != 0;
        if (ends_wait) {
          stretch.hand_overs.push_back(step.number);
          stretch.is_part &= LeadsToChangedWaits(step.number, 0);
        } else if (!asks_kernel) {
          stretch.is_part = false;
          stretch.hand_overs.push_back(step.number);
        }
        break;
      }
      default:
        break;
    }
  }

  void End(const Stretch& stretch, size_t end) {
    if (!stretch.is_part || !stretch.waits_for_disk) return;
    any_ = true;
    std::fill(gone_.begin() + static_cast<std::ptrdiff_t>(stretch.begin),
              gone_.begin() + static_cast<std::ptrdiff_t>(end), 1);
    for (const uint32_t hand_over : stretch.hand_overs) {
      collapsed_[hand_over] = 1;
      run_each_ns_[hand_over] = stretch.run_ns / stretch.hand_overs.size();
    }
  }

  // Else a stretch that stays would take this wake for its own, too early.
  bool AsksWhatIsGone(const Step& step) const {
    return step.kind == StepKind::kHandOver && await_step_[step.number] != kNoStep &&
           gone_[await_step_[step.number]] != 0;
  }

  // A kernel thread that stays does what a stretch that is gone asked it for at once: else it, and
  // all who wait for it, would wait to the end of all other threads.
  bool IsAskedByWhatIsGone(EntityId thread, const Step& step) const {
    return step.kind == StepKind::kAwait && score_.kernel_thread[thread] != 0 &&
           never_asked_[step.number] != 0;
  }

  void Rewrite(EntityId thread, EditableScore& edited) const {
    std::vector<Step>& steps = edited.steps[thread];
    const std::vector<Step> old = std::exchange(steps, {});
    for (size_t i = 0; i < old.size(); ++i) {
      const Step& step = old[i];
      if (gone_[score_.first_step[thread] + i] != 0 || AsksWhatIsGone(step) ||
          IsAskedByWhatIsGone(thread, step))
        continue;
      if (step.kind == StepKind::kAwait && collapsed_[step.number] != 0) {
        WaitForTheDisk(thread, step, edited);
      } else {
        steps.push_back(step);
      }
    }
  }

  // As long as the wait was, with the CPU time of the kernel threads in it.
  void WaitForTheDisk(EntityId thread, const Step& wait, EditableScore& edited) const {
    const uint32_t disk = score_.relayed_disk[wait.number];
    const WaitChange* const change = ChangeOf(thread, disk);
    const bool keeps_up = change != nullptr && change->keeps_up;
    const uint64_t run_ns = keeps_up ? std::min(run_each_ns_[wait.number], wait.duration_ns) : 0;
    const auto request = static_cast<uint32_t>(edited.rest.requests.size());
    edited.rest.requests.push_back({.service_ns = wait.duration_ns - run_ns,
                                    .disk = disk,
                                    .unseen = true,
                                    .stores = true,
                                    .run_ns = run_ns});
    std::vector<Step>& steps = edited.steps[thread];
    steps.push_back({wait.recorded_ns, 0, request, StepKind::kRequest});
    steps.push_back({wait.recorded_ns, wait.duration_ns, request, StepKind::kAwaitDisk});
  }

  const Score& score_;
  const std::span<const WaitChange> waits_;
  const std::span<const uint32_t> vertices_;
  std::vector<size_t> await_step_;     // by hand-over
  std::vector<uint64_t> run_each_ns_;  // by hand-over: its part of the stretch's CPU time
  std::vector<uint8_t> collapsed_;     // by hand-over
  std::vector<uint8_t> never_asked_;   // by hand-over: its stretch is gone
  std::vector<uint8_t> gone_;          // by step
  bool any_ = false;
};

}  // namespace

std::optional<Score> CollapseRelays(const Score& score, std::span<const WaitChange> waits,
                                    std::span<const uint32_t> vertex_of_entity) {
  return Collapser(score, waits, vertex_of_entity).Collapse();
}

}  // namespace gordian
