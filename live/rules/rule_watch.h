// SPDX-License-Identifier: Apache-2.0
// Which rules fire on a frame.
//
// A rule fires once when its conditions have held in each frame for its time. It can fire again
// once they have not held for as long, and its cooldown has passed. So conditions that come and go
// fire once. All times are recorded time. Frames that leave out more than they tell end a holding:
// nobody knows what was in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "live/rules/rule.h"
#include "schema/live.pb.h"

namespace gordian {

class RuleWatch {
 public:
  explicit RuleWatch(std::vector<Rule> rules);

  const std::vector<Rule>& rules() const { return rules_; }

  // The rules that fire now, by their place in rules().
  std::vector<size_t> Take(const pb::LiveFrame& frame);

 private:
  struct State {
    std::optional<double> holds_since_s;
    std::optional<double> over_since_s;  // after it fired
    std::optional<double> fired_s;
    bool is_told = false;         // it fired for what holds now
    std::vector<char> was_known;  // by condition: a frame has known its names
  };

  bool AllHold(const Rule& rule, State& state, const pb::LiveFrame& frame) const;
  static bool Fires(const Rule& rule, State& state, bool holds, double now_s);

  std::vector<Rule> rules_;
  std::vector<State> states_;
  std::optional<double> last_to_s_;
  uint64_t lost_before_ = 0;
};

}  // namespace gordian
