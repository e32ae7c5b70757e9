#include "output/prediction_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kOneNumber = 1.05;  // ends so close are one
constexpr double kRoughTrust = 0.5;
constexpr double kAllOfIt = 0.99;

bool IsNoGain(const pb::Prediction& prediction) {
  return prediction.low() <= 1 && prediction.expected() < kTellableGain;
}

std::string Interval(const pb::Prediction& prediction) {
  return prediction.high() <= kOneNumber * prediction.low()
             ? GainText(prediction.expected())
             : absl::StrFormat("%.1f to %s", prediction.low(), GainText(prediction.high()));
}

// What would have to be so for the gain to come true.
const char* GainCondition(const std::string& kind) {
  if (kind == "sink") return "took its work no time and were nothing else in the way";
  if (kind == "sleep") return "did it not sleep and were nothing else in the way";
  if (kind == "starvation") return "did it always get a CPU and were nothing else in the way";
  if (kind == "device") return "took the device no time and were nothing else in the way";
  return "were this wait gone and nothing else in the way";
}

std::string BoundSentence(const pb::Finding& finding) {
  const std::string times = GainText(finding.upper_bound_gain());
  if (!finding.predictions().empty() &&
      finding.predictions(0).high() > kOneNumber * finding.upper_bound_gain())
    return absl::StrCat("at most ", times,
                        " by that alone; a fix also takes away what goes with it (calls, wakes)");
  if (!(finding.upper_bound_gain() > 1)) return "none that could be shown";
  return absl::StrCat("at most ", times, finding.predictions().empty() ? " the throughput, " : ", ",
                      GainCondition(finding.kind()));
}

}  // namespace

std::string PredictionSentence(const pb::Prediction& prediction) {
  std::string text;
  if (IsNoGain(prediction)) {
    text = absl::StrFormat("no gain to be told from chance (%s) %s", Interval(prediction),
                           CleanText(prediction.condition()));
  } else {
    text =
        absl::StrCat(Interval(prediction), " the throughput ", CleanText(prediction.condition()));
  }
  if (prediction.trust() < kRoughTrust) text += ", roughly";
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
