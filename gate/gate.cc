// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gate/condition_sentences.h"
#include "gate/limit_change.h"
#include "gate/thresholds.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

using Recordings = std::span<const MeasuredRecording>;

constexpr char kHowToCount[] =
    "name what counts with --progress, as 'wakes THREAD' or 'io', record with --count-call NAME, "
    "or let the program count with gordian_probe (gordian-diff(1))";

bool IsOfCounts(const GateRequest& request, const FailCondition& condition) {
  return condition.metric == Metric::kThroughput && condition.who.empty() &&
         request.progress.empty();
}

// The one count that all recordings have.
absl::StatusOr<std::string> CommonCount(const FailCondition& condition, Recordings before,
                                        Recordings after) {
  std::set<std::string> common;
  for (const auto& [name, sample] : before.front().counts) common.insert(name);
  for (const Recordings side : {before, after}) {
    for (const MeasuredRecording& recording : side)
      std::erase_if(common, [&](const std::string& name) {
        return recording.counts.find(name) == recording.counts.end();
      });
  }
  if (common.size() == 1) return *common.begin();
  const std::string which = absl::StrCat("--fail-if '", CleanText(condition.text), "': ");
  if (common.empty())
    return absl::FailedPreconditionError(absl::StrCat(
        which, "the recordings hold no count of progress that all have; ", kHowToCount));
  constexpr size_t kShown = 5;
  std::vector<std::string> shown;
  for (const std::string& name : common) {
    if (shown.size() < kShown) shown.push_back(absl::StrCat("'", CleanText(name), "'"));
  }
  return absl::FailedPreconditionError(absl::StrCat(which, "the recordings count ", common.size(),
                                                    " things: choose one with ", "--progress, as ",
                                                    absl::StrJoin(shown, ", ")));
}

struct Sides {
  std::vector<Sample> before;
  std::vector<Sample> after;
  std::string what;
};

absl::StatusOr<Sides> CountsOf(const FailCondition& condition, Recordings before,
                               Recordings after) {
  const auto name = CommonCount(condition, before, after);
  if (!name.ok()) return name.status();
  Sides sides{.before = {}, .after = {}, .what = *name};
  for (const MeasuredRecording& one : before) sides.before.push_back(one.counts.at(*name));
  for (const MeasuredRecording& one : after) sides.after.push_back(one.counts.at(*name));
  return sides;
}

// A name that one recording has may be missing in others: then it waited for nothing there. One
// that none has is a mistake.
absl::StatusOr<Sides> SamplesOf(size_t index, Recordings before, Recordings after) {
  Sides sides;
  absl::Status unknown;
  bool known = false;
  for (const Recordings side : {before, after}) {
    for (const MeasuredRecording& recording : side) {
      const MeasuredCondition& its = recording.conditions[index];
      if (its.unknown_name.ok() && !known) sides.what = its.what;
      known |= its.unknown_name.ok();
      if (unknown.ok()) unknown = its.unknown_name;
      (side.data() == before.data() ? sides.before : sides.after).push_back(its.sample);
    }
  }
  if (!known) return unknown;
  return sides;
}

Question QuestionOf(const FailCondition& condition) {
  Question question{.factor = 1, .offset = condition.amount, .above = condition.above};
  if (condition.kind == AmountKind::kLevel) question.factor = 0;
  if (condition.kind == AmountKind::kRelative) {
    question = {.factor = 1 + condition.amount, .offset = 0, .above = condition.above};
    if (condition.metric == Metric::kWait)
      question.offset = condition.above ? kLeastWaitChange : -kLeastWaitChange;
  }
  return question;
}

ChangeKind ChangeKindOf(const FailCondition& condition) {
  switch (condition.kind) {
    case AmountKind::kRelative:
      return ChangeKind::kRelative;
    case AmountKind::kDifference:
      return ChangeKind::kDifference;
    case AmountKind::kLevel:
      break;
  }
  return ChangeKind::kLevel;
}

// Nothing that is counted in no recording before the change can fall.
absl::Status RequireEvents(const FailCondition& condition, const Sides& sides) {
  if (condition.metric != Metric::kThroughput) return absl::OkStatus();
  const bool any = std::any_of(sides.before.begin(), sides.before.end(),
                               [](const Sample& sample) { return sample.value > 0; });
  if (any) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("--fail-if '", CleanText(condition.text),
                                                    "': no recording before the change holds ",
                                                    CleanText(sides.what), "; ", kHowToCount));
}

void TellLimit(const FailCondition& condition, const GateRequest& request, Recordings before,
               Recordings after, pb::GateCondition& told) {
  const bool is_new = condition.metric == Metric::kNewLimit;
  const LimitAnswer answer = is_new ? LimitOnlyThere(before, after, request.false_alarms)
                                    : LimitOnlyThere(after, before, request.false_alarms);
  told.set_outcome(OutcomeWords(answer.outcome));
  told.set_text(LimitText(condition, answer, {before.size(), after.size()}));
  told.set_method(MethodWords(answer.method));
  told.set_recordings_needed(answer.recordings_needed);
}

absl::Status TellAnswer(size_t index, const GateRequest& request, Recordings before,
                        Recordings after, pb::GateCondition& told) {
  const FailCondition& condition = request.conditions[index];
  const auto sides = IsOfCounts(request, condition) ? CountsOf(condition, before, after)
                                                    : SamplesOf(index, before, after);
  if (!sides.ok()) return sides.status();
  if (absl::Status status = RequireEvents(condition, *sides); !status.ok()) return status;
  const Answer answer = Decide(sides->before, sides->after, QuestionOf(condition),
                               ChangeKindOf(condition), request.false_alarms);
  told.set_outcome(OutcomeWords(answer.outcome));
  told.set_text(AnswerText(condition, sides->what, answer, {before.size(), after.size()}));
  told.set_what(CleanText(sides->what));
  told.set_unit(UnitWords(condition.metric));
  told.set_before(answer.before);
  told.set_after(answer.after);
  told.set_change(answer.change);
  told.set_change_low(answer.low);
  told.set_change_high(answer.high);
  told.set_method(MethodWords(answer.method));
  told.set_recordings_needed(answer.recordings_needed);
  return absl::OkStatus();
}

void TellOutcome(pb::Gate& gate) {
  const auto any = [&gate](Outcome outcome) {
    return std::any_of(
        gate.conditions().begin(), gate.conditions().end(),
        [&](const pb::GateCondition& told) { return told.outcome() == OutcomeWords(outcome); });
  };
  const bool failed = any(Outcome::kHolds), undecided = any(Outcome::kUndecided);
  gate.set_outcome(failed ? "failed" : undecided ? "undecided" : "passed");
  gate.set_fails(failed || (gate.strict() && undecided));
}

}  // namespace

bool NeedsParts(const GateRequest& request, size_t before, size_t after) {
  return std::any_of(
      request.conditions.begin(), request.conditions.end(), [&](const FailCondition& condition) {
        if (condition.metric == Metric::kThroughput || condition.metric == Metric::kRuntime)
          return false;
        if (condition.kind == AmountKind::kLevel && !IsOfLimits(condition.metric))
          return after < FewestForLevels();
        return !RanksCanDecide(before, after, request.false_alarms);
      });
}

absl::StatusOr<pb::Gate> JudgeGate(const GateRequest& request, Recordings before,
                                   Recordings after) {
  pb::Gate gate;
  gate.set_strict(request.strict);
  gate.set_false_alarms(request.false_alarms);
  for (size_t i = 0; i < request.conditions.size(); ++i) {
    const FailCondition& condition = request.conditions[i];
    pb::GateCondition& told = *gate.add_conditions();
    told.set_condition(CleanText(condition.text));
    if (IsOfLimits(condition.metric)) {
      TellLimit(condition, request, before, after, told);
      continue;
    }
    if (absl::Status status = TellAnswer(i, request, before, after, told); !status.ok())
      return status;
  }
  TellOutcome(gate);
  return gate;
}

}  // namespace gordian
