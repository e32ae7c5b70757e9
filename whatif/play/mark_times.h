// SPDX-License-Identifier: Apache-2.0
// The marks that have happened in a replay, and the times of the marks that cut them into parts.
#pragma once

#include <cstdint>
#include <map>

#include "whatif/play/play.h"

namespace gordian {

class MarkTimes {
 public:
  // Times go into `outcome`.
  MarkTimes(const Score& score, uint32_t first_mark, uint32_t last_mark, PlayOutcome& outcome)
      : score_(score), first_(first_mark), last_(last_mark), outcome_(outcome) {
    for (EntityId thread = 0; !score.stretch.empty() && thread < score.threads(); ++thread) {
      for (const Step& step : score.StepsOf(thread))
        if (step.kind == StepKind::kMark) ++left_[score.stretch[thread]];
    }
  }

  bool done() const { return count_ > last_; }
  void Count(EntityId thread, uint64_t now_ns) {
    for (; next_cut_ <= kParts && CutMark(first_, last_, next_cut_) == count_; ++next_cut_)
      outcome_.cut_ns.at(next_cut_) = now_ns;
    ++count_;
    const bool is_last = !left_.empty() && --left_[score_.stretch[thread]] == 0;
    if (is_last && outcome_.marks_at_first_end == 0) outcome_.marks_at_first_end = count_;
  }

 private:
  const Score& score_;
  const uint32_t first_, last_;
  PlayOutcome& outcome_;
  uint32_t count_ = 0;
  size_t next_cut_ = 0;
  std::map<uint32_t, uint32_t> left_;  // marks, by stretch
};

}  // namespace gordian
