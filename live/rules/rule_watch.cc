// SPDX-License-Identifier: Apache-2.0
#include "live/rules/rule_watch.h"

#include <utility>

#include "live/rules/rule_condition.h"

namespace gordian {

RuleWatch::RuleWatch(std::vector<Rule> rules) : rules_(std::move(rules)), states_(rules_.size()) {
  for (size_t i = 0; i < rules_.size(); ++i)
    states_[i].was_known.resize(rules_[i].conditions.size());
}

// Names that no frame has known hold nothing, so a misspelt one does not fire "run of wroker < 1
// %". Names that one has known have 0 in a frame without them.
bool RuleWatch::AllHold(const Rule& rule, State& state, const pb::LiveFrame& frame) const {
  bool all = true;
  for (size_t i = 0; i < rule.conditions.size(); ++i) {
    const RuleCondition& condition = rule.conditions[i];
    const std::optional<double> value = ValueOf(condition, frame, lost_before_);
    if (value) state.was_known[i] = 1;
    all = all && state.was_known[i] != 0 && Holds(condition, value.value_or(0));
  }
  return all;
}

bool RuleWatch::Fires(const Rule& rule, State& state, bool holds, double now_s) {
  const double for_s = SecondsOf(rule.for_ns);
  if (!holds) {
    state.holds_since_s.reset();
    if (!state.is_told) return false;
    if (!state.over_since_s) state.over_since_s = now_s;
    if (now_s - *state.over_since_s >= for_s) state.is_told = false;
    return false;
  }
  state.over_since_s.reset();
  if (!state.holds_since_s) state.holds_since_s = now_s;
  const bool is_cool = !state.fired_s || now_s - *state.fired_s >= SecondsOf(rule.cooldown_ns);
  if (state.is_told || !is_cool || now_s - *state.holds_since_s < for_s) return false;
  state.is_told = true;
  state.fired_s = now_s;
  return true;
}

std::vector<size_t> RuleWatch::Take(const pb::LiveFrame& frame) {
  const double now_s = frame.to_s();
  if (last_to_s_ && frame.from_s() > *last_to_s_)
    for (State& state : states_) state.holds_since_s.reset();
  if (last_to_s_ && now_s < *last_to_s_)  // another time: what was before it means nothing
    for (State& state : states_) state = {.was_known = std::move(state.was_known)};
  std::vector<size_t> fired;
  for (size_t i = 0; i < rules_.size(); ++i) {
    const bool holds = AllHold(rules_[i], states_[i], frame);
    if (Fires(rules_[i], states_[i], holds, now_s)) fired.push_back(i);
  }
  last_to_s_ = now_s;
  lost_before_ = frame.quality().lost();
  return fired;
}

}  // namespace gordian
