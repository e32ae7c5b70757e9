// SPDX-License-Identifier: Apache-2.0
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
  Simulation(const Score& score, const Variation& variation, uint32_t first_mark,
             uint32_t last_mark)
      : score_(score),
        marks_(score, first_mark, last_mark, outcome_),
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

PlayOutcome Simulate(const Score& score, const Variation& variation, uint32_t first_mark,
                     uint32_t last_mark) {
  return Simulation(score, variation, first_mark, last_mark).Run();
}

}  // namespace gordian
