// SPDX-License-Identifier: Apache-2.0
#include "output/tuning_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "jobs/models/rule_words.h"
#include "jobs/tuning/thresholds.h"
#include "output/text_table.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr size_t kMostNamed = 10;  // of a list of names

// In the words of the model, if it has any.
std::string OldWords(const TunedModel& tuned, const TunedRule& rule, ResourceTypeId resource) {
  const size_t columns = tuned.model.job.resources.size();
  if (rule.type < tuned.model.job.types.size()) {
    const std::string& words = tuned.model.rule_words[rule.type * columns + resource];
    if (!words.empty()) return CleanText(words);
  }
  return CleanText(RuleWords(rule.before, tuned.model.job.resources[resource]));
}

std::string NewWords(const TunedModel& tuned, const TunedResource& of, const TunedRule& rule) {
  if (of.outcome != TuneOutcome::kTuned) return "stays";
  if (!rule.has_evidence) return "stays: too little evidence";
  if (rule.after == rule.before) return "stays";
  return CleanText(RuleWords(rule.after, tuned.model.job.resources[of.resource]));
}

std::string OutcomeWords(const TunedResource& of) {
  switch (of.outcome) {
    case TuneOutcome::kTuned:
      return "";
    case TuneOutcome::kNotBetter:
      return "Fitted rules do no better on time that they were not fitted to: the model's stay.\n";
    case TuneOutcome::kTooLittle:
      return "The samples are too few, or lie in one half of the job: the model's rules stay.\n";
    case TuneOutcome::kNoUse:
      return "There are no samples within the job that show any use: the model's rules stay.\n";
    case TuneOutcome::kTooMuch:
      return "There are too many phases in too many samples: the model's rules stay.\n";
  }
  return "";
}

std::string EvidenceWords(const TunedResource& of) {
  if (of.samples == 0) return "no evidence";
  return absl::StrCat(of.by_records ? "what the records say of each kind of phases, "
                                    : "samples of all phases together, ",
                      FormatCount(of.samples), of.samples == 1 ? " sample of " : " samples of ",
                      FormatDuration(of.interval_ns));
}

std::string ErrorWords(const TunedResource& of) {
  const bool is_checked =
      of.outcome == TuneOutcome::kTuned || of.outcome == TuneOutcome::kNotBetter;
  if (!is_checked) return "";
  std::string text = absl::StrCat("Error on time held back, of samples of ",
                                  FormatDuration(of.interval_ns * kTunedFactor), ": ",
                                  PercentText(of.error_constant), " spread evenly, ",
                                  PercentText(of.error_before), " by the model's rules");
  if (of.outcome == TuneOutcome::kTuned)
    absl::StrAppend(&text, ", ", PercentText(of.error_after), " by fitted ones");
  absl::StrAppend(&text, ".\n");
  if (of.capacity_after > 0) {
    absl::StrAppend(&text, "The job never gets more for long: capacity ",
                    NumberWords(of.capacity_after), ".\n");
  }
  return text;
}

std::string ResourceText(const TunedModel& tuned, const TunedResource& of) {
  std::string text = absl::StrCat(CleanText(tuned.model.job.resources[of.resource].name), ": ",
                                  EvidenceWords(of), "\n", ErrorWords(of), OutcomeWords(of));
  TextTable table({{"PHASES"}, {"EVIDENCE", TextTable::Align::kRight}, {"OLD RULE"}, {"NEW RULE"}});
  for (const TunedRule& rule : of.rules) {
    table.AddRow({CleanText(PathOf(tuned.job.model, rule.type)), SecondsText(rule.active_s),
                  OldWords(tuned, rule, of.resource), NewWords(tuned, of, rule)});
  }
  if (of.outcome == TuneOutcome::kTuned) absl::StrAppend(&text, table.ToString());
  return text;
}

// Phases of the model that never demanded by themselves.
std::string WithoutEvidence(const TunedModel& tuned) {
  std::vector<char> has_any(tuned.job.model.types.size());
  for (const TunedResource& of : tuned.resources) {
    for (const TunedRule& rule : of.rules) has_any[rule.type] = 1;
  }
  std::vector<std::string> names;
  size_t all = 0;
  for (PhaseTypeId type = 0; type < tuned.model.job.types.size(); ++type) {
    if (has_any[type] != 0) continue;
    if (++all <= kMostNamed) names.push_back(CleanText(PathOf(tuned.job.model, type)));
  }
  if (all == 0) return "";
  return absl::StrCat("No evidence, so their rules stay: ", absl::StrJoin(names, ", "),
                      all > kMostNamed ? ", …" : "", "\n");
}

}  // namespace

std::string TuningText(const TunedModel& tuned) {
  std::string text;
  for (const TunedResource& of : tuned.resources)
    absl::StrAppend(&text, text.empty() ? "" : "\n", ResourceText(tuned, of));
  if (tuned.resources.empty())
    text = "The model names no resource that phases use: there is nothing to fit.\n";
  const std::string without = tuned.resources.empty() ? "" : WithoutEvidence(tuned);
  if (!without.empty()) absl::StrAppend(&text, "\n", without);
  if (!tuned.other_resources.empty()) {
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(kMostNamed, tuned.other_resources.size()); ++i)
      names.push_back(CleanText(tuned.other_resources[i]));
    absl::StrAppend(&text, "\nThe model's resources lack ", absl::StrJoin(names, ", "),
                    tuned.other_resources.size() > kMostNamed ? ", …" : "",
                    ": name them there to have rules for them.\n");
  }
  if (tuned.unnamed_types > 0) {
    absl::StrAppend(&text, "\n", FormatCount(tuned.unnamed_types, "kind"),
                    " of phases cannot be named in a model: their rules are left out.\n");
  }
  return text;
}

}  // namespace gordian
