// SPDX-License-Identifier: Apache-2.0
#include "analysis/whatif_verification.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analysis/measured_work.h"
#include "report/vertex_names.h"
#include "whatif/history/history.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Fewer events do not tell a rate: chance alone moves it by more than a tenth.
constexpr uint64_t kFewestEvents = 100;
// Share by which the number of clients may differ. Beyond it another load would be measured.
constexpr double kOtherLoad = 0.25;
// Share of requests that more (or fewer) came in several parts. Beyond it some of them are several
// requests at once, told as one, and their number tells no work.
constexpr double kOtherTurns = 0.05;
// As in docs/design-token-replay.md: below it the arrivals are the limit.
constexpr double kClosedLoop = 0.5;
// Of Student's distribution for some ten parts: one of twenty lies beyond.
constexpr double kStudentOfEighths = 2.3;

absl::Status NotComparable(const std::string& why) { return absl::FailedPreconditionError(why); }

bool Asks(const WhatIfRequest& request, const char* option) {
  return std::any_of(request.changes.begin(), request.changes.end(),
                     [&](const WhatIfRequest::Change& change) { return change.option == option; });
}

// By node; one without a name if there is only one.
std::map<std::string, uint32_t> CpusByNode(const Timeline& timeline) {
  if (timeline.nodes().empty()) return {{"", timeline.cpus()}};
  std::map<std::string, uint32_t> cpus;
  for (uint32_t node = 0; node < timeline.node_count(); ++node)
    cpus[timeline.nodes()[node]] = timeline.CpusOf(node);
  return cpus;
}

absl::Status CheckCpus(const Analysis& before, const Analysis& after, const pb::WhatIf& answer) {
  std::map<std::string, uint32_t> wanted = CpusByNode(before.timeline());
  for (const pb::WhatIfChange& change : answer.changes()) {
    if (change.kind() != "cpus") continue;
    for (auto& [node, cpus] : wanted)
      if (change.node().empty() || change.node() == CleanText(node))
        cpus = static_cast<uint32_t>(change.factor());
  }
  const std::map<std::string, uint32_t> there = CpusByNode(after.timeline());
  for (const auto& [node, cpus] : wanted) {
    const std::string on = node.empty() ? "" : absl::StrCat(" on ", CleanText(node));
    const auto found = there.find(node);
    if (found == there.end())
      return NotComparable(node.empty() ? "AFTER is of several nodes, BEFORE of one"
                                        : absl::StrCat("AFTER has no node ", CleanText(node)));
    if (found->second != cpus)
      return NotComparable(absl::StrCat("AFTER has ", FormatCount(found->second, "CPU"), on,
                                        ", the prediction is for ", cpus,
                                        ": ask with --cpus, or record where BEFORE was recorded"));
  }
  return absl::OkStatus();
}

absl::Status CheckEnough(const MeasuredWork& work, const char* side, const Analysis& analysis) {
  if (work.events >= kFewestEvents) return absl::OkStatus();
  return NotComparable(absl::StrCat(side, " is too short: ", FormatCount(work.events), " ",
                                    work.what, " in ", FormatDuration(analysis.range().length_ns()),
                                    ", of ", kFewestEvents, " that tell a rate"));
}

absl::Status CheckRequests(const MeasuredWork& before, const MeasuredWork& after,
                           const WhatIfRequest& request) {
  if (before.port != after.port && before.server != after.server)
    return NotComparable(absl::StrCat("AFTER is of another program: ", CleanText(after.server),
                                      " answers on port ", after.port, ", in BEFORE ",
                                      CleanText(before.server), " on port ", before.port));
  for (const auto& [work, side] : {std::pair(&before, "BEFORE"), std::pair(&after, "AFTER")}) {
    if (work->closed_share < kClosedLoop && !Asks(request, "in-flight") &&
        !Asks(request, "clients"))
      return NotComparable(absl::StrCat(
          "requests of ", side,
          " come by themselves (an open loop), so their rate does not tell what a fix gains"));
  }
  const bool may_differ = Asks(request, "in-flight") || Asks(request, "clients");
  const double ratio = static_cast<double>(after.clients) / std::max(1u, before.clients);
  if (!may_differ && std::abs(ratio - 1) > kOtherLoad)
    return NotComparable(
        absl::StrCat("AFTER has another load: ", FormatCount(after.clients, "connection"),
                     " at a time, BEFORE ", before.clients));
  if (std::abs(after.several_parts - before.several_parts) > kOtherTurns)
    return NotComparable(absl::StrCat(
        "packets do not tell how many requests there are: ", PercentText(after.several_parts),
        " come in several parts in AFTER, ", PercentText(before.several_parts),
        " in BEFORE (several at once look like one); name what counts as throughput "
        "with --progress"));
  return absl::OkStatus();
}

// The relative error of a mean of parts, 19 times of 20.
double NoiseOf(const Sample& rate) {
  const auto n = static_cast<double>(rate.parts.size());
  if (n < 2 || rate.value <= 0) return 0;
  double mean = 0;
  for (const double part : rate.parts) mean += part / n;
  double squares = 0;
  for (const double part : rate.parts) squares += (part - mean) * (part - mean);
  return mean > 0 ? kStudentOfEighths * std::sqrt(squares / (n - 1) / n) / mean : 0;
}

struct BothSides {
  MeasuredWork before;
  MeasuredWork after;
};

absl::StatusOr<BothSides> MeasureNamed(const Analysis& before, const Analysis& after,
                                       const std::string& progress) {
  auto of_before = MeasureProgress(before, progress);
  if (!of_before.ok()) return of_before.status();
  auto of_after = MeasureProgress(after, progress);
  if (!of_after.ok()) return NotComparable(absl::StrCat("AFTER: ", of_after.status().message()));
  return BothSides{*std::move(of_before), *std::move(of_after)};
}

// The first finding's threads, by their names.
absl::StatusOr<BothSides> MeasureLikely(const Analysis& before, const Analysis& after) {
  const VertexNames names(before.report());
  const VertexNames names_after(after.report());
  std::vector<std::string> threads;
  if (before.report().findings_size() > 0)
    for (const uint32_t member : before.report().findings(0).members())
      if (IsThreadKind(names.Find(member)->kind())) threads.push_back(names.Name(member));
  for (const std::string& thread : threads) {
    if (names_after.Meanings(thread).empty()) continue;
    auto of_before = MeasureCycles(before, thread);
    auto of_after = MeasureCycles(after, thread);
    if (of_before.ok() && of_after.ok()) return BothSides{*std::move(of_before), *of_after};
  }
  return NotComparable(
      absl::StrCat("AFTER seems to be of another program: it has no ",
                   threads.empty() ? "thread of a finding" : absl::StrJoin(threads, ", "),
                   "; name what counts as throughput with --progress"));
}

absl::StatusOr<BothSides> MeasureBoth(const Analysis& before, const Analysis& after,
                                      const WhatIfRequest& request) {
  if (!request.progress.empty()) return MeasureNamed(before, after, request.progress);
  BothSides requests = {MeasureRequests(before), MeasureRequests(after)};
  if (requests.before.events >= kFewestEvents) {
    if (requests.after.events == 0)
      return NotComparable(absl::StrCat("BEFORE has ", requests.before.what,
                                        ", AFTER has no requests: it is of another "
                                        "program, or was recorded without load"));
    absl::Status status = CheckRequests(requests.before, requests.after, request);
    if (!status.ok()) return status;
    return requests;
  }
  const std::string counted = CountedByBoth(before, after);
  return counted.empty() ? MeasureLikely(before, after) : MeasureNamed(before, after, counted);
}

std::string IntervalWords(const pb::WhatIf& answer) {
  if (answer.at_least())
    return absl::StrFormat("at least %.2f times, likely %.2f", answer.low(), answer.expected());
  return absl::StrFormat("%.2f times (%.2f to %.2f)", answer.expected(), answer.low(),
                         answer.high());
}

std::string VerificationVerdict(const pb::WhatIf& answer, const pb::WhatIfVerification& made,
                                const MeasuredWork& work) {
  std::string rates = absl::StrCat(RateText(made.before_rate()), " → ", RateText(made.after_rate()),
                                   work.port != 0 ? " requests" : "", " a second");
  if (work.port != 0)
    absl::StrAppend(&rates, ", ", FormatDuration(static_cast<uint64_t>(made.before_response_ns())),
                    " → ", FormatDuration(static_cast<uint64_t>(made.after_response_ns())),
                    " each");
  const std::string off = std::abs(made.off()) < 0.005
                              ? "right"
                              : absl::StrCat(PercentText(std::abs(made.off())),
                                             made.off() > 0 ? " too high" : " too low");
  return absl::StrFormat("Predicted %s, measured %.2f times (%s): %s, the number was %s.",
                         IntervalWords(answer), made.measured(), rates,
                         made.inside() ? "inside" : "not inside", off);
}

}  // namespace

absl::StatusOr<pb::WhatIfVerification> VerifyPrediction(const Analysis& before,
                                                        const Analysis& after,
                                                        const WhatIfRequest& request,
                                                        const pb::WhatIf& answer) {
  if (!answer.has_requests() && (answer.self_check() > kNoSelfCheck || TooManyForced(answer)))
    return NotComparable("nothing was predicted that could be verified: BEFORE does not allow it");
  if (absl::Status status = CheckCpus(before, after, answer); !status.ok()) return status;
  const auto both = MeasureBoth(before, after, request);
  if (!both.ok()) return both.status();
  if (absl::Status status = CheckEnough(both->before, "BEFORE", before); !status.ok())
    return status;
  if (absl::Status status = CheckEnough(both->after, "AFTER", after); !status.ok()) return status;
  pb::WhatIfVerification made;
  made.set_progress(both->before.what);
  made.set_before_rate(both->before.rate.value);
  made.set_after_rate(both->after.rate.value);
  made.set_before_response_ns(both->before.response_ns);
  made.set_after_response_ns(both->after.response_ns);
  made.set_counts_work(both->before.counts_work);
  made.set_measured(both->after.rate.value / both->before.rate.value);
  made.set_noise(std::hypot(NoiseOf(both->before.rate), NoiseOf(both->after.rate)));
  if (!made.counts_work())
    made.add_doubts(
        absl::StrCat("no work is counted, only ", made.progress(),
                     ": each may do more or less work after the fix, so this is not kept in the "
                     "history; let --progress name a probe's count, a phase or a system call"));
  if (before.timeline().session().host().boot_id() != after.timeline().session().host().boot_id())
    made.add_doubts("AFTER was recorded on another machine, or after a reboot");
  pb::PredictionScore score;
  score.set_low(answer.low());
  score.set_expected(answer.expected());
  score.set_high(answer.high());
  score.set_at_least(answer.at_least());
  score.set_measured(made.measured());
  made.set_inside(HasHeld(score));
  made.set_off(OffBy(score));
  made.set_verdict(VerificationVerdict(answer, made, both->before));
  return made;
}

pb::PredictionScore ScoreOf(const pb::WhatIf& answer, const std::string& before,
                            const std::string& after, const std::string& time) {
  pb::PredictionScore score;
  score.set_version(1);
  score.set_time(time);
  score.set_before(before);
  score.set_after(after);
  std::vector<std::string> changes;
  for (const pb::WhatIfChange& change : answer.changes()) changes.push_back(change.text());
  score.set_change(absl::StrJoin(changes, ", "));
  score.set_progress(answer.verification().progress());
  score.set_low(answer.low());
  score.set_expected(answer.expected());
  score.set_high(answer.high());
  score.set_at_least(answer.at_least());
  score.set_by_requests(answer.has_requests());
  if (!answer.changes().empty()) score.set_change_kind(answer.changes(0).kind());
  score.set_model_low(answer.calibration().model_low());
  score.set_model_high(answer.calibration().model_high());
  score.set_measured(answer.verification().measured());
  score.set_noise(answer.verification().noise());
  return score;
}

}  // namespace gordian
