// The threads of a replay, and how far each has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "whatif/cpu_queue.h"
#include "whatif/score.h"
#include "whatif/simulation.h"

namespace gordian {

enum class At : uint8_t { kSteps, kReady, kRunning, kPausing, kBlocked, kDone };

struct Player {
  size_t next = 0;  // step
  size_t end = 0;
  uint64_t left_ns = 0;  // of the run at hand; 0: it has not begun
  uint64_t since_ns = 0;
  uint32_t cpu = kNoCpuIndex;
  uint32_t asked = kNoHandOver;  // its piece begins when that is waited for
  At at = At::kSteps;
  bool waited = false;  // and has not run since
};

inline void AddWait(const Step& step, uint64_t length_ns, ThreadUse& use) {
  switch (step.kind) {
    case StepKind::kPause:
      (step.by_timer ? use.sleep_ns : use.outside_ns) += length_ns;
      return;
    case StepKind::kAwaitDisk:
    case StepKind::kRequest:
      use.disk_ns += length_ns;
      return;
    default:
      use.await_ns += length_ns;
  }
}

// Of all blocked ones the one whose step was recorded first; kNobody if nobody is.
inline EntityId FirstBlocked(const Score& score, const std::vector<Player>& players) {
  EntityId first = kNobody;
  for (EntityId thread = 0; thread < players.size(); ++thread) {
    if (players[thread].at != At::kBlocked) continue;
    if (first == kNobody || score.steps[players[thread].next].recorded_ns <
                                score.steps[players[first].next].recorded_ns)
      first = thread;
  }
  return first;
}

// The marks that have happened, and when those did that cut them into parts.
class MarkTimes {
 public:
  MarkTimes(const Score& score, uint32_t first_mark, uint32_t last_mark)
      : score_(score), first_(first_mark), last_(last_mark) {
    for (EntityId thread = 0; !score.stretch.empty() && thread < score.threads(); ++thread) {
      for (const Step& step : score.StepsOf(thread))
        if (step.kind == StepKind::kMark) ++left_[score.stretch[thread]];
    }
  }

  bool done() const { return count_ > last_; }
  void Count(EntityId thread, uint64_t now_ns, Outcome& outcome) {
    for (; next_cut_ <= kParts && CutMark(first_, last_, next_cut_) == count_; ++next_cut_)
      outcome.cut_ns.at(next_cut_) = now_ns;
    ++count_;
    const bool is_last = !left_.empty() && --left_[score_.stretch[thread]] == 0;
    if (is_last && outcome.marks_at_first_end == 0) outcome.marks_at_first_end = count_;
  }

 private:
  const Score& score_;
  const uint32_t first_, last_;
  uint32_t count_ = 0;
  size_t next_cut_ = 0;
  std::map<uint32_t, uint32_t> left_;  // marks, by stretch
};

}  // namespace gordian
