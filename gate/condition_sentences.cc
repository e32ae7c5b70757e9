// SPDX-License-Identifier: Apache-2.0
#include "gate/condition_sentences.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gate/thresholds.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kRoundFrom = 100;  // rates from here on are told without a fraction

std::string SecondsWords(double seconds) {
  return seconds < 0 ? absl::StrCat("-", SecondsText(-seconds)) : SecondsText(seconds);
}

std::string ValueText(Metric metric, double value) {
  switch (metric) {
    case Metric::kThroughput:
      return std::abs(value) >= kRoundFrom ? absl::StrFormat("%.0f/s", value)
                                           : absl::StrFormat("%.3g/s", value);
    case Metric::kWait:
      return absl::StrFormat("%.3g s/s", value);
    case Metric::kShare:
      return absl::StrFormat("%.1f %%", 100 * value);
    default:
      return SecondsWords(value);
  }
}

std::string ChangeText(const FailCondition& condition, double change) {
  if (condition.kind == AmountKind::kRelative) return absl::StrFormat("%+.1f %%", 100 * change);
  if (condition.kind == AmountKind::kLevel) return ValueText(condition.metric, change);
  const std::string sign = change < 0 ? "-" : "+";
  if (condition.metric == Metric::kShare)
    return absl::StrFormat("%s%.1f points", sign, 100 * std::abs(change));
  return absl::StrCat(sign, ValueText(condition.metric, std::abs(change)));
}

std::string BoundsText(const FailCondition& condition, const Answer& answer) {
  const bool low = std::isfinite(answer.low), high = std::isfinite(answer.high);
  if (!low && !high) return "";
  if (!high) return absl::StrCat(" (at least ", ChangeText(condition, answer.low), ")");
  if (!low) return absl::StrCat(" (at most ", ChangeText(condition, answer.high), ")");
  return absl::StrCat(" (", ChangeText(condition, answer.low), " to ",
                      ChangeText(condition, answer.high), ")");
}

std::string ByWhat(Method method, const FailCondition& condition, SideSizes sizes) {
  const bool level = condition.kind == AmountKind::kLevel && !IsOfLimits(condition.metric);
  const std::string recordings =
      level ? FormatCount(sizes.after, "recording")
            : absl::StrCat(sizes.before, " and ", FormatCount(sizes.after, "recording"));
  if (method == Method::kRecordings) return absl::StrCat(", by ", recordings);
  if (method == Method::kParts)
    return absl::StrCat(
        ", by the parts of ", recordings,
        IsOfLimits(condition.metric)
            ? ""
            : absl::StrCat(" (runs are taken to differ by ", PercentText(kRunToRun), ")"));
  return "";
}

// What is undecided, or was not even `measured`.
std::string WhatItTakes(uint32_t recordings, bool measured) {
  if (!measured) return absl::StrCat("; it takes at least ", recordings, " recordings a side");
  if (recordings == 0)
    return absl::StrCat("; it is too near the border, or too unsteady, even for ", kMostRecordings,
                        " recordings a side");
  return absl::StrCat("; ", recordings, " recordings a side would most likely tell");
}

}  // namespace

const char* OutcomeWords(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds:
      return "holds";
    case Outcome::kHoldsNot:
      return "does not hold";
    case Outcome::kUndecided:
      break;
  }
  return "undecided";
}

const char* MethodWords(Method method) {
  return method == Method::kRecordings ? "recordings" : method == Method::kParts ? "parts" : "none";
}

const char* UnitWords(Metric metric) {
  switch (metric) {
    case Metric::kThroughput:
      return "1/s";
    case Metric::kWait:
      return "s/s";
    case Metric::kShare:
      return "share";
    case Metric::kRuntime:
      return "s";
    default:
      return "";
  }
}

std::string AnswerText(const FailCondition& condition, const std::string& what,
                       const Answer& answer, SideSizes sizes) {
  std::string text = absl::StrCat(CleanText(what), ": ");
  if (condition.kind != AmountKind::kLevel)
    absl::StrAppend(&text, ValueText(condition.metric, answer.before), " -> ");
  absl::StrAppend(&text, ValueText(condition.metric, answer.after));
  const bool level = condition.kind == AmountKind::kLevel;
  if (!level && std::isfinite(answer.change))
    absl::StrAppend(&text, ", ", ChangeText(condition, answer.change));
  if (!level && std::isinf(answer.change)) absl::StrAppend(&text, ", from nothing");
  absl::StrAppend(&text, BoundsText(condition, answer), ByWhat(answer.method, condition, sizes));
  if (answer.outcome == Outcome::kUndecided)
    absl::StrAppend(&text, WhatItTakes(answer.recordings_needed, answer.method != Method::kNone));
  return text;
}

std::string LimitText(const FailCondition& condition, const LimitAnswer& answer, SideSizes sizes) {
  const bool is_new = condition.metric == Metric::kNewLimit;
  const size_t there = is_new ? sizes.after : sizes.before;
  const size_t elsewhere = is_new ? sizes.before : sizes.after;
  if (answer.title.empty())
    return absl::StrCat("the recordings ", is_new ? "after" : "before", " show no limit");
  std::string title = CleanText(answer.title);
  while (title.ends_with('.')) title.pop_back();
  return absl::StrCat(
      "\"", title, "\" is the first limit in ", answer.there, " of ",
      FormatCount(there, "recording"), is_new ? " after" : " before", ", and a limit in ",
      answer.elsewhere, " of ", FormatCount(elsewhere, "recording"), is_new ? " before" : " after",
      answer.method == Method::kParts ? ByWhat(answer.method, condition, sizes) : "",
      answer.outcome == Outcome::kUndecided ? WhatItTakes(answer.recordings_needed, true) : "");
}

}  // namespace gordian
