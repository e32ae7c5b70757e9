// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "whatif/play/mark_times.h"
#include "whatif/play/play.h"
#include "whatif/play/stage.h"
#include "whatif/play/step_player.h"

namespace gordian {
namespace {

// At one instant.
constexpr uint64_t kMostEventsOfAStep = 4, kFewSteps = 1024;

class Simulation {
 public:
  Simulation(const Score& score, const Variation& variation, std::span<const MarkRange> ranges)
      : score_(score),
        marks_(score, ranges, outcome_),
        stage_(score, variation.cpus, outcome_.threads),
        steps_(score, variation, stage_, marks_) {}

  PlayOutcome Run() {
    while (!marks_.done()) {
      Settle();
      if (marks_.done()) break;
      if (!stage_.HasEvents()) {
        if (steps_.LetOneFurther() || steps_.LetOneLeaveSeat()) continue;
        if (!steps_.ForceOne()) break;
        ++outcome_.forced_steps;
        continue;
      }
      const ReplayEvent event = stage_.TakeFirstEvent();
      if (!Advances(event.time_ns)) break;
      stage_.AdvanceTo(event.time_ns);
      if (event.kind < ReplayEventKind::kServed) {
        stage_.Take(event);
      } else if (event.kind == ReplayEventKind::kServed) {
        steps_.EndService(event.number);
      } else {
        steps_.Arrive(event.number);
      }
    }
    outcome_.end_ns = stage_.now_ns();
    marks_.TellCuts();
    outcome_.disk_busy_ns = steps_.DisksBusyNs();
    return std::move(outcome_);
  }

 private:
  // Until every thread that can go on at this moment has done so.
  void Settle() {
    for (EntityId thread; (thread = stage_.NextToGoOn()) != kNobody;) steps_.GoOn(thread);
  }

  // False if events follow each other without end at one instant, although each step has only a
  // few. That is a fault in this code, which must not become an analysis that never ends. It counts
  // as if all steps had been forced, so that nothing is predicted.
  bool Advances(uint64_t time_ns) {
    at_this_instant_ = time_ns == stage_.now_ns() ? at_this_instant_ + 1 : 0;
    if (at_this_instant_ <= kMostEventsOfAStep * (score_.steps.size() + kFewSteps)) return true;
    outcome_.forced_steps = score_.steps.size();
    return false;
  }

  const Score& score_;
  PlayOutcome outcome_;
  MarkTimes marks_;
  Stage stage_;
  StepPlayer steps_;
  uint64_t at_this_instant_ = 0;  // events so far
};

}  // namespace

MarkCuts JoinStreams(std::span<const MarkCuts> cuts, std::span<const MarkRange> ranges) {
  if (cuts.size() == 1) return cuts.front();
  MarkCuts joined{};
  joined.front() = cuts.front().front();
  for (size_t part = 0; part < kParts; ++part) {
    double marks = 0, per_ns = 0;
    for (size_t stream = 0; stream < cuts.size(); ++stream) {
      const uint64_t from_ns = cuts[stream].at(part);
      const uint64_t lasts_ns = std::max(from_ns + 1, cuts[stream].at(part + 1)) - from_ns;
      marks += ranges[stream].Count();
      per_ns += ranges[stream].Count() / static_cast<double>(lasts_ns);
    }
    joined.at(part + 1) =
        joined.at(part) + static_cast<uint64_t>(per_ns > 0 ? std::llround(marks / per_ns) : 1);
  }
  return joined;
}

PlayOutcome Simulate(const Score& score, const Variation& variation,
                     std::span<const MarkRange> ranges) {
  return Simulation(score, variation, ranges).Run();
}

}  // namespace gordian
