// SPDX-License-Identifier: Apache-2.0
#include "whatif/play/work_left.h"

#include <algorithm>

namespace gordian {
namespace {

// Shares of the recording: a thread must live until its last hundredths, and work must be this
// large to be shared.
constexpr uint64_t kLastShares = 50, kLeastShares = 50;

}  // namespace

WorkLeft::WorkLeft(const Score& score, const std::vector<uint32_t>& kind)
    : score_(score), kind_(kind) {
  if (kind.empty()) return;
  uint64_t end_ns = 0;
  for (const Step& step : score.steps)
    end_ns = std::max(end_ns, step.recorded_ns + step.duration_ns);
  least_ns_ = std::max<uint64_t>(1, end_ns / kLeastShares);
  lasts_.resize(score.threads());
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    const std::span<const Step> steps = score.StepsOf(thread);
    if (steps.empty() || score.like[thread] == kNobody || score.kernel_thread[thread] != 0)
      continue;
    const uint64_t its_end_ns = steps.back().recorded_ns + steps.back().duration_ns;
    lasts_[thread] = its_end_ns + end_ns / kLastShares >= end_ns ? 1 : 0;
    if (lasts_[thread] != 0) mates_[kind[thread]].push_back(thread);
  }
}

WorkLeft::Share WorkLeft::MostOf(EntityId thread, const std::vector<Player>& players) const {
  if (kind_.empty() || lasts_[thread] == 0) return {};
  StepRange most;
  EntityId busiest = kNobody;
  for (const EntityId mate : mates_.at(kind_[thread])) {
    const StepRange left = {players[mate].next + 1, players[mate].end};
    if (mate == thread || RecordedNs(left) <= RecordedNs(most)) continue;
    most = left;
    busiest = mate;
  }
  const StepRange steps = LaterHalf(most);
  return steps.begin < steps.end ? Share{busiest, steps} : Share{};
}

uint64_t WorkLeft::RecordedNs(const StepRange& range) const {
  if (range.begin >= range.end) return 0;
  return score_.steps[range.end - 1].recorded_ns - score_.steps[range.begin].recorded_ns;
}

bool WorkLeft::MayBegin(const Step& step) const {
  if (!score_.locks.empty()) return step.kind == StepKind::kAcquire;
  return step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk ||
         step.kind == StepKind::kPause;
}

StepRange WorkLeft::LaterHalf(const StepRange& left) const {
  if (RecordedNs(left) < least_ns_) return {};
  const uint64_t half_ns = score_.steps[left.begin].recorded_ns + RecordedNs(left) / 2;
  const auto begin = score_.steps.begin();
  const auto later = std::lower_bound(
      begin + static_cast<std::ptrdiff_t>(left.begin) + 1,
      begin + static_cast<std::ptrdiff_t>(left.end), half_ns,
      [](const Step& step, uint64_t time_ns) { return step.recorded_ns < time_ns; });
  const auto first = std::find_if(later, begin + static_cast<std::ptrdiff_t>(left.end),
                                  [this](const Step& step) { return MayBegin(step); });
  return {static_cast<size_t>(first - begin), left.end};
}

}  // namespace gordian
