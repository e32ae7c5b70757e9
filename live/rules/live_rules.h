// SPDX-License-Identifier: Apache-2.0
// Alert and keep: rules are asked on each frame; one that fires keeps the last of the recording and
// runs a command.
//
//   auto rules = ReadRuleFile("shop.rules", &errors);
//   auto live_rules = LiveRules::Open(*rules, {.keep_directory = "kept", .to_json = …});
//   for (const RuleNews& news : (*live_rules)->Take(moment->frame, cut)) Tell(news.text);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "live/rules/fired_rules.h"
#include "live/rules/kept_recordings.h"
#include "live/rules/rule.h"
#include "live/rules/rule_file.h"
#include "live/rules/rule_watch.h"
#include "schema/live.pb.h"

namespace gordian {

struct LiveRulesOptions {
  std::string keep_directory;  // empty: no rule may keep
  KeptLimits kept_limits;
  std::function<std::string(const pb::LiveFrame&)> to_json;
  bool is_silent = false;  // commands' output goes nowhere
};

// What a person is told, in one line.
struct RuleNews {
  std::string text;
  bool is_failure = false;
};

struct RuleCount {
  std::string rule;
  uint64_t fired = 0;
  uint64_t failed = 0;  // firings whose actions failed, or were left out as too many waited
};

class LiveRules {
 public:
  // InvalidArgument if a rule keeps and there is no folder for that; the statuses of
  // KeptRecordings::Open.
  static absl::StatusOr<std::unique_ptr<LiveRules>> Open(std::vector<Rule> rules,
                                                         LiveRulesOptions options);

  // Never waits. What has fired now, and what became of earlier firings. `cut` is called on another
  // thread, later, for rules that keep.
  std::vector<RuleNews> Take(const pb::LiveFrame& frame, const CutLast& cut);
  // Whether actions are under way, or wait.
  bool is_busy() { return actions_.is_busy(); }
  // What became of firings since the last call.
  std::vector<RuleNews> TakeOutcomes();
  // Waits for the actions that are under way: TakeOutcomes() has all then.
  void Finish() { actions_.Finish(); }

  // By rule, in the order of the file.
  const std::vector<RuleCount>& counts() const { return counts_; }

 private:
  LiveRules(std::vector<Rule> rules, LiveRulesOptions options, std::optional<KeptRecordings> kept);
  RuleCount& CountOf(const std::string& rule);

  LiveRulesOptions options_;
  RuleWatch watch_;
  std::vector<RuleCount> counts_;
  FiredRules actions_;
};

}  // namespace gordian
