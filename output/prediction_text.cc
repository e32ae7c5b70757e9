// SPDX-License-Identifier: Apache-2.0
#include "output/prediction_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/sureness.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kOneNumber = 1.05;  // ends so close are one
constexpr double kFarApart = 1.5;    // ends so far apart need the number between
constexpr double kAllOfIt = 0.99;

bool IsNoGain(const pb::Prediction& prediction) {
  return prediction.low() <= 1 && prediction.expected() < kTellableGain;
}

std::string Interval(const pb::Prediction& prediction) {
  const bool is_one = prediction.high() <= kOneNumber * prediction.low();
  // At least as much as before is no promise.
  if (prediction.at_least() && !IsNoGain(prediction) && prediction.low() < kTellableGain)
    return absl::StrCat("likely ", TimesText(prediction.expected()));
  if (prediction.at_least() && !IsNoGain(prediction))
    return absl::StrCat("at least ", TimesText(is_one ? prediction.expected() : prediction.low()));
  if (is_one) return TimesText(prediction.expected());
  const std::string ends =
      absl::StrFormat("%.1f to %s", prediction.low(), TimesText(prediction.high()));
  return prediction.high() > kFarApart * prediction.low()
             ? absl::StrCat(ends, " (around ", TimesText(prediction.expected()), ")")
             : ends;
}

// The ends told hold 9 of 10 measured gains, so they are wider than what the model knows. The bound
// is of the model. A reader of both must not take one for the other.
bool EndsAreBeyond(const pb::Prediction& prediction, double bound) {
  return !IsNoGain(prediction) && (prediction.at_least() || prediction.high() > kOneNumber * bound);
}

std::string BoundSentence(const pb::Finding& finding) {
  const std::string times = TimesText(finding.upper_bound_gain());
  if (!finding.predictions().empty() &&
      finding.predictions(0).expected() > kOneNumber * finding.upper_bound_gain())
    return absl::StrCat(
        "up to ", times,
        " by that alone; a fix also takes away the calls and wakes that go with it");
  if (!(finding.upper_bound_gain() > 1)) return "none that could be shown";
  if (!finding.predictions().empty() &&
      EndsAreBeyond(finding.predictions(0), finding.upper_bound_gain()))
    return absl::StrCat(
        "up to ", times, " by that alone; ",
        finding.predictions(0).at_least()
            ? "a fix may save work beside it"
            : "the ends above hold what 9 of 10 measured fixes of that kind gained");
  return absl::StrCat("up to ", times, finding.predictions().empty() ? " throughput " : " ",
                      FactsOf(finding).if_gone);
}

}  // namespace

std::string TimesText(double gain) {
  return absl::StrCat(absl::StripSuffix(GainText(gain), " times"), "×");
}

std::string PredictionSentence(const pb::Prediction& prediction) {
  std::string text = IsNoGain(prediction)
                         ? absl::StrFormat("no gain beyond chance (%s) ", Interval(prediction))
                         : absl::StrCat(Interval(prediction), " throughput ");
  text += CleanText(prediction.condition());
  const Sureness& sure = SurenessOf(prediction.trust());
  if (sure.level != SurenessLevel::kSure) absl::StrAppend(&text, " (", sure.word, ")");
  return text + ":";
}

std::string PredictionInShort(const pb::Finding& finding) {
  if (finding.predictions().empty()) return "";
  const pb::Prediction& best = finding.predictions(0);
  return IsNoGain(best) ? "no gain seen" : Interval(best);
}

void AddGain(const pb::Report& report, const pb::Finding& finding, TextPage& page) {
  bool is_first = true;
  for (const pb::Prediction& prediction : finding.predictions()) {
    page.Labelled(is_first ? "gain" : "", PredictionSentence(prediction));
    page.Copyable(CleanText(prediction.command()));
    is_first = false;
  }
  if (!is_first && finding.predictions(0).replayed_s() < kAllOfIt * report.recording().seconds())
    page.Labelled("", absl::StrCat("(replayed: ", SecondsText(finding.predictions(0).replayed_s()),
                                   " from the recording's middle)"));
  page.Labelled(is_first ? "gain" : "", BoundSentence(finding));
  if (!finding.no_prediction_because().empty())
    page.Labelled("", absl::StrCat("no prediction: ", CleanText(finding.no_prediction_because())));
}

}  // namespace gordian
