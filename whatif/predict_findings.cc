// SPDX-License-Identifier: Apache-2.0
#include "whatif/predict_findings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/finding_kind.h"
#include "analyzer/findings/ranking.h"
#include "analyzer/findings/sureness.h"
#include "base/time_units.h"
#include "report/finding_threads.h"
#include "report/vertex_names.h"
#include "whatif/fix_questions.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr int kMostShown = 2;  // fixes of a finding
// A replayed step takes about as long as the analysis of an event; a cost below this (some half a
// second) does not matter.
constexpr uint64_t kLeastSteps = 12'000'000;
constexpr uint64_t kMostReplays = 24;  // for one fix, see replay.cc; mostly it is 4 to 13
constexpr double kStepsPerEvent = 2.5, kStepsPerSegment = 2;  // rarely more
constexpr double kMuchLess = 0.6, kNearlyAll = 0.9;
constexpr double kManyWakes = 0.3, kMostWakes = 0.5;
constexpr double kTrustToRank = 0.5;

uint64_t Segments(const Timeline& timeline) {
  uint64_t count = 0;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) ++count;
  }
  return count;
}

// An excerpt does not know its events; most of them begin a segment.
uint64_t EventsOf(const Timeline& timeline) {
  return timeline.events() != 0 ? timeline.events() : Segments(timeline);
}

// A part of the middle with about so many steps; nothing if that is all of it. The first guess goes
// by the events of the whole. It may grow once and then only shrink: it ends, as each turn takes a
// tenth away.
std::optional<Timeline> MiddleOf(const Timeline& whole, uint64_t steps) {
  const auto length_ns = static_cast<double>(whole.end_ns() - whole.start_ns());
  const auto wanted = static_cast<double>(steps);
  const double all = kStepsPerEvent * static_cast<double>(EventsOf(whole));
  if (all <= wanted) return std::nullopt;
  double taken_ns = length_ns * wanted / all;
  for (bool may_grow = true;; may_grow = false) {
    const auto before_ns = static_cast<uint64_t>((length_ns - taken_ns) / 2);
    const uint64_t from_ns = whole.start_ns() + before_ns;
    Timeline middle = whole.Excerpt(from_ns, from_ns + static_cast<uint64_t>(taken_ns));
    const double its = kStepsPerSegment * static_cast<double>(Segments(middle));
    if (its > wanted && taken_ns > 1) {
      taken_ns *= std::clamp(kNearlyAll * wanted / its, 0.5, kNearlyAll);
    } else if (may_grow && its < kMuchLess * wanted) {
      taken_ns = std::min(length_ns, taken_ns * kNearlyAll * wanted / std::max(1.0, its));
    } else {
      return middle;
    }
  }
}

class FindingPredictor {
 public:
  FindingPredictor(const AnalyzedRecording& recording, const PredictionOptions& options,
                   uint64_t most_steps)
      : options_(options),
        most_steps_(most_steps),
        middle_(MiddleOf(recording.timeline, most_steps / kMostReplays)),
        replayed_{.timeline = middle_ ? *middle_ : recording.timeline,
                  .report = recording.report,
                  .vertex_of_entity = recording.vertex_of_entity,
                  .stacks = recording.stacks,
                  .code = recording.code,
                  .answers = recording.answers},
        asker_(replayed_, [this] {
          options_.progress(static_cast<double>(asker_.replayed_steps()) /
                            static_cast<double>(most_steps_));
          return !options_.stop_asked();
        }) {}

  void Predict(const FixQuestions& fixes, pb::Finding& finding) {
    std::string because = fixes.none_because;
    const FixQuestion* unanswered = nullptr;  // of wakes for nothing
    for (const FixQuestion& fix : fixes.questions) {
      if (options_.stop_asked()) stopped_ = true;
      if (stopped_) {
        because = absl::StrCat("the analysis was stopped; ask ", options_.command, " ", fix.change);
        break;
      }
      if (fix.if_woken_for_nothing) {
        const double for_nothing = asker_.ShareOfFalseWakeups(*fix.if_woken_for_nothing);
        if (for_nothing < kManyWakes) continue;
        unanswered = &fix;
        TellWhoIsWokenForNothing(*fix.if_woken_for_nothing, for_nothing, finding);
      }
      if (asker_.replayed_steps() + dearest_ > most_steps_) {
        if (because.empty())
          because = absl::StrCat("it would take long; ask ", options_.command, " ", fix.change);
        break;
      }
      const uint64_t before = asker_.replayed_steps();
      absl::StatusOr<pb::WhatIf> answer = asker_.Ask(fix.request);
      dearest_ = std::max(dearest_, asker_.replayed_steps() - before);
      if (absl::IsCancelled(answer.status())) {
        stopped_ = true;
        because = absl::StrCat("the analysis was stopped; ask ", options_.command, " ", fix.change);
        break;
      }
      if (options_.requests != nullptr && MayTellRequests(fix.request)) {
        if (answer.ok())
          AskRequests(replayed_, fix.request, *options_.requests, *answer);
        else
          answer = AskRequestsAlone(replayed_, fix.request, *options_.requests, answer.status());
      }
      if (absl::IsFailedPrecondition(answer.status()) && middle_) {
        because = absl::StrCat("too little happens in the ", SecondsText(Seconds()),
                               " that would be replayed; ask ", options_.command, " ", fix.change);
      } else if (!answer.ok()) {
        because = BeforeSemicolon(std::string(answer.status().message()));
      } else if (!answer->has_requests() && answer->self_check() > kPoorSelfCheck) {
        // (Requests have passed a check of their own.)
        because = absl::StrCat("with nothing changed the replay misses the recorded rate by ",
                               PercentText(answer->self_check()));
      } else if (!answer->has_requests() && TooManyForced(*answer)) {
        because =
            "too many steps of the replay had to go on although what they waited for had not "
            "happened";
      } else {
        Write(fix, *answer, finding);
        if (fix.if_woken_for_nothing) unanswered = nullptr;
      }
    }
    Keep(finding);
    for (const FixQuestion& fix : fixes.questions) Advise(fix, finding);
    // Many wakes are for nothing, whatever that costs.
    if (unanswered != nullptr) PutFirst(unanswered->advice, *finding.mutable_advice());
    if (finding.predictions().empty()) finding.set_no_prediction_because(because);
  }

  // What is told shall hold the measured gain 9 times of 10. The order of findings goes by the
  // model's own intervals, so this comes after it: two predictions of one recording share most of
  // what the model does not know.
  void CalibrateAll(pb::Report& report) const {
    for (pb::Finding& finding : *report.mutable_findings()) {
      for (pb::Prediction& prediction : *finding.mutable_predictions()) {
        const auto ends = ends_of_.find(prediction.command());
        if (ends == ends_of_.end()) continue;  // it was there before
        prediction.set_low(ends->second.first);
        prediction.set_high(ends->second.second);
      }
    }
  }

  PredictionCost cost() const {
    return {.allowed_steps = most_steps_,
            .replayed_steps = asker_.replayed_steps(),
            .replayed_s = Seconds(),
            .stopped = stopped_};
  }

 private:
  double Seconds() const {
    return SecondsOf(replayed_.timeline.end_ns() - replayed_.timeline.start_ns());
  }

  // The text after it tells how to ask otherwise.
  static std::string BeforeSemicolon(const std::string& text) {
    return text.substr(0, text.find(';'));
  }

  // Somebody outside is busy, and what it does is to wake threads of the target, most of them for
  // nothing: the target's people can mend that, and a faster client would be no help. RankFindings
  // makes it the verdict.
  void TellWhoIsWokenForNothing(uint32_t woken, double for_nothing, pb::Finding& finding) const {
    if (finding.kind() != "sink" || finding.outside().empty() || for_nothing < kMostWakes) return;
    const VertexNames names(replayed_.report);
    if (!names.Find(woken)->target()) return;
    finding.set_title(absl::StrCat(
        names.Phrase(woken), " are woken for nothing in ", PercentText(for_nothing),
        " of their wakes, by ", names.Phrase(finding.outside(0)),
        ", outside of the target, which is busy ", PercentText(finding.share()), " of the time."));
    if (std::count(finding.members().begin(), finding.members().end(), woken) > 0) return;
    finding.add_members(woken);
    std::sort(finding.mutable_members()->begin(), finding.mutable_members()->end());
  }

  void Write(const FixQuestion& fix, const pb::WhatIf& answer, pb::Finding& finding) {
    pb::Prediction& prediction = *finding.add_predictions();
    prediction.set_change(fix.change);
    prediction.set_command(absl::StrCat(options_.command, " ", fix.change));
    prediction.set_condition(fix.condition);
    prediction.set_low(answer.low());
    prediction.set_high(answer.high());
    prediction.set_expected(answer.expected());
    prediction.set_at_least(answer.at_least());
    prediction.set_trust(answer.trust());
    prediction.set_sure(SurenessWord(answer.trust()));
    prediction.set_self_check(answer.self_check());
    prediction.set_progress(answer.progress().what());
    prediction.set_replayed_s(Seconds());
    // Half of some work is a yardstick and no fix. But work is no limit if even that gains nothing.
    const bool tells = fix.of_wait || answer.low() <= 1;
    prediction.set_ranks(tells && answer.trust() >= kTrustToRank);
    pb::WhatIf calibrated = answer;
    Calibrate({}, calibrated);
    ends_of_[prediction.command()] = {calibrated.low(), calibrated.high()};
  }

  // The two fixes that gain most, the one that clearly gains more first. At most one of them gains
  // almost nothing.
  static void Keep(pb::Finding& finding) {
    auto& all = *finding.mutable_predictions();
    for (int i = 1; i < all.size(); ++i) {
      for (int at = i; at > 0 && IsClearlyMore(all[at].expected(), all[at - 1].expected()); --at)
        all.SwapElements(at - 1, at);
    }
    int kept = std::min(kMostShown, all.size());
    if (kept > 1 && all[1].expected() < kNoGain) kept = 1;
    all.DeleteSubrange(kept, all.size() - kept);
  }

  // The best first, before the finding's own advice; another one after that.
  static void Advise(const FixQuestion& fix, pb::Finding& finding) {
    for (int i = 0; i < finding.predictions_size(); ++i) {
      const pb::Prediction& prediction = finding.predictions(i);
      if (fix.advice.empty() || prediction.change() != fix.change ||
          prediction.expected() < kNoGain)
        continue;
      auto& advice = *finding.mutable_advice();
      *advice.Add() = fix.advice;
      if (i == 0) std::rotate(advice.begin(), advice.end() - 1, advice.end());
    }
  }

  const PredictionOptions& options_;
  const uint64_t most_steps_;
  const std::optional<Timeline> middle_;
  const AnalyzedRecording replayed_;
  WhatIfAsker asker_;
  uint64_t dearest_ = 0;                                      // of the fixes so far
  std::map<std::string, std::pair<double, double>> ends_of_;  // calibrated, by command
  bool stopped_ = false;
};

}  // namespace

PredictionCost PredictFindings(const AnalyzedRecording& recording, const PredictionOptions& options,
                               pb::Report& report) {
  const uint64_t most_steps = options.most_replayed_steps != 0
                                  ? options.most_replayed_steps
                                  : std::max(kLeastSteps, EventsOf(recording.timeline));
  const int count = std::min(options.most_findings, report.findings_size());
  std::vector<FixQuestions> fixes;
  fixes.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    const pb::Finding& finding = report.findings(i);
    fixes.push_back(QuestionsOf(report, finding));
    const bool is_of_job = FactsOf(finding).of_job;
    if (report.path().is_job() && !is_of_job && !fixes.back().questions.empty())
      fixes.back() = {.none_because = "a replay takes a program that goes on, and this job ends"};
  }
  const bool any = std::any_of(fixes.begin(), fixes.end(), [](const FixQuestions& of_one) {
    return !of_one.questions.empty();
  });
  if (!any) {
    for (int i = 0; i < count; ++i)
      report.mutable_findings(i)->set_no_prediction_because(fixes[i].none_because);
    return {.allowed_steps = most_steps};
  }
  FindingPredictor predictor(recording, options, most_steps);
  for (int i = 0; i < count; ++i) predictor.Predict(fixes[i], *report.mutable_findings(i));
  RankFindings(report);
  predictor.CalibrateAll(report);
  return predictor.cost();
}

}  // namespace gordian
