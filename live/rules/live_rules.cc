// SPDX-License-Identifier: Apache-2.0
#include "live/rules/live_rules.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

RuleFiring FiringOn(const Rule& rule, const pb::LiveFrame& frame, const CutLast& cut,
                    std::string frame_json) {
  return {.rule = rule,
          .at = frame.at(),
          .to_s = frame.to_s(),
          .cut = cut,
          .verdict = CleanText(frame.verdict()),
          .frame_json = std::move(frame_json)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<LiveRules>> LiveRules::Open(std::vector<Rule> rules,
                                                           LiveRulesOptions options) {
  std::optional<KeptRecordings> kept;
  const auto keeps =
      std::find_if(rules.begin(), rules.end(), [](const Rule& rule) { return rule.keep_ns > 0; });
  if (keeps != rules.end()) {
    if (options.keep_directory.empty())
      return absl::InvalidArgumentError(
          absl::StrCat("the rule ", keeps->name, " keeps recordings: say where with --keep"));
    kept.emplace(options.keep_directory, options.kept_limits);
    if (const absl::Status opened = kept->Open(); !opened.ok()) return opened;
  }
  return std::unique_ptr<LiveRules>(
      new LiveRules(std::move(rules), std::move(options), std::move(kept)));
}

LiveRules::LiveRules(std::vector<Rule> rules, LiveRulesOptions options,
                     std::optional<KeptRecordings> kept)
    : options_(std::move(options)),
      watch_(std::move(rules)),
      actions_(std::move(kept), options_.is_silent) {
  for (const Rule& rule : watch_.rules()) counts_.push_back({.rule = rule.name});
}

std::vector<RuleNews> LiveRules::Take(const pb::LiveFrame& frame, const CutLast& cut) {
  std::vector<RuleNews> news = TakeOutcomes();
  for (const size_t fired : watch_.Take(frame)) {
    const Rule& rule = watch_.rules()[fired];
    ++counts_[fired].fired;
    news.push_back({.text = absl::StrCat("rule ", rule.name, ": ", CleanText(frame.verdict()))});
    const bool acts = rule.keep_ns > 0 || !rule.command.empty();
    if (!acts || actions_.Add(FiringOn(rule, frame, cut, options_.to_json(frame)))) continue;
    ++counts_[fired].failed;
    news.push_back({.text = absl::StrCat("rule ", rule.name, ": nothing was done, as ",
                                         kMostWaitingActions, " others wait"),
                    .is_failure = true});
  }
  return news;
}

std::vector<RuleNews> LiveRules::TakeOutcomes() {
  std::vector<RuleNews> news;
  for (const RuleOutcome& outcome : actions_.TakeOutcomes()) {
    if (!outcome.kept.empty())
      news.push_back({.text = absl::StrCat("rule ", outcome.rule, ": kept ", outcome.kept)});
    if (outcome.failure.empty()) continue;
    ++CountOf(outcome.rule).failed;
    news.push_back(
        {.text = absl::StrCat("rule ", outcome.rule, ": ", outcome.failure), .is_failure = true});
  }
  return news;
}

RuleCount& LiveRules::CountOf(const std::string& rule) {
  return *std::find_if(counts_.begin(), counts_.end(),
                       [&rule](const RuleCount& count) { return count.rule == rule; });
}

}  // namespace gordian
