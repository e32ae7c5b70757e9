// SPDX-License-Identifier: Apache-2.0
// Changes of `gordian whatif` as other requests, seats, CPUs or tokens.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "whatif/requests/token_changer.h"

namespace gordian {
namespace {

// As many requests as are open, at most, where a clock becomes faster or is gone. Long before that
// something else limits the rate.
constexpr uint32_t kMostTimesAsked = 100;

bool IsKnown(const Changes& changes) {
  return changes.no_false_wakeups.empty() && changes.quotas.empty();
}

}  // namespace

bool TokenChanger::Make(const Changes& changes) {
  bool all = true;
  for (const DiskChange& change : changes.disks)
    all &= change.factor == 0 ? DropDisk(kNoTokenVertex, change.disk)
                              : ScaleDisk(change.disk, change.factor);
  for (const LinkChange& change : changes.links) all &= ScaleLink(change.link, change.factor);
  all &= DropWaits(changes.waits);
  for (const LockSplit& split : changes.splits) all &= SplitLock(split);
  for (const AddedThreads& added : changes.added_threads) all &= AddThreads(added);
  for (const TimerChange& change : changes.timers) all &= ScaleTimers(change);
  for (const RunChange& change : changes.runs) ScaleRuns(change);
  for (const CpuChange& change : changes.cpus) all &= SetCpus(change);
  for (const MoreAtOnce& change : changes.more_at_once) all &= AskMore(change);
  return all;
}

bool TokenChanger::ScaleDisk(uint32_t disk, double factor) {
  return ScaleSteps(
      [&](const TokenStep& step) { return IsDiskStep(step) && step.whom == disk ? factor : 1; });
}

bool TokenChanger::ScaleLink(uint32_t link, double factor) {
  return ScaleSteps([&](const TokenStep& step) {
    const bool is_flight = step.deed == TokenDeed::kPause && step.pause == TokenPause::kNetwork;
    return is_flight && step.whom == link ? factor : 1;
  });
}

bool TokenChanger::ScaleTimers(const TimerChange& change) {
  const bool found = ScaleSteps(
      [&](const TokenStep& step) { return IsSleepOf(step, change.vertex) ? change.factor : 1; });
  if (found && change.factor < 1) AskByFasterClock(change);
  const bool asks =
      std::find(made_.askers.begin(), made_.askers.end(), change.vertex) != made_.askers.end();
  if (!found || !asks || !with_path_ || change.factor >= 1) return found;
  for (size_t request = 0; request < made_.requests(); ++request)
    BeginBefore(StepsOf(request), change);
  return true;
}

void TokenChanger::AskByFasterClock(const TimerChange& change) {
  const bool has_clock = std::any_of(
      made_.seats.begin(), made_.seats.end(),
      [&](const TokenSeats& seats) { return seats.is_clock && seats.vertex == change.vertex; });
  if (!has_clock) return;
  // Who waits before the clock asks as soon as it lets him.
  const double times = std::ceil(1 / std::max(change.factor, 1.0 / kMostTimesAsked));
  made_.population =
      std::max(made_.population,
               std::min(kMostTokens, Times(made_.population, static_cast<uint32_t>(times))));
}

void TokenChanger::BeginBefore(std::span<TokenStep> steps, const TimerChange& change) {
  double turn_ns = 0;
  size_t at = 0;
  for (; at < steps.size() && steps[at].deed != TokenDeed::kAsk; ++at) turn_ns += steps[at].ns;
  const auto slept =
      std::find_if(steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end(),
                   [&](const TokenStep& step) { return IsSleepOf(step, change.vertex); });
  double before_ns = turn_ns * (1 - change.factor);
  for (auto step = slept; step != steps.end() && before_ns > 0; ++step) {
    if (step->deed == TokenDeed::kGive || step->deed == TokenDeed::kTake) continue;
    if (step->deed == TokenDeed::kAnswer) break;
    const double ns = step->ns;
    if (step->deed == TokenDeed::kPause) step->ns -= std::min(ns, before_ns);
    if (step->deed == TokenDeed::kRun && ns <= before_ns) step->goes_on = true;
    before_ns -= ns;
  }
}

void TokenChanger::ScaleRuns(const RunChange& change) {
  ScaleSteps([&](const TokenStep& step) {
    const bool is_run = step.deed == TokenDeed::kRun || step.pause == TokenPause::kRun;
    return is_run && step.who == change.vertex ? change.factor : 1;
  });
}

bool TokenChanger::ScaleSteps(const std::function<double(const TokenStep&)>& factor_of) {
  bool found = false;
  double held_ns = 0;
  double left_ns = 0;
  for (TokenStep& step : made_.steps) {
    const double factor = factor_of(step);
    found |= factor != 1;
    if (step.in_lock) {
      held_ns += step.ns;
      left_ns += step.ns * factor;
    }
    step.ns *= factor;
  }
  if (held_ns > 0 && left_ns < held_ns)
    for (TokenStep& step : made_.steps)
      if (step.in_lock || step.behind_lock) step.ns *= left_ns / held_ns;
  return found;
}

bool TokenChanger::SetCpus(const CpuChange& change) {
  if (change.node >= made_.nodes.size()) return false;
  made_.nodes[change.node].cpus =
      std::max(0.1, made_.nodes[change.node].cpus + change.count - made_.nodes[change.node].all);
  return true;
}

std::optional<TokenModel> ChangedTokens(const TokenModel& model, const Changes& changes,
                                        bool with_path) {
  if (!IsKnown(changes)) return std::nullopt;
  TokenChanger changer(model, with_path);
  if (!changer.Make(changes)) return std::nullopt;
  return changer.Take();
}

}  // namespace gordian
