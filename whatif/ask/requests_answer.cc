// SPDX-License-Identifier: Apache-2.0
// Where the replay of requests answers, in place of that of threads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/findings/evidence/thresholds.h"
#include "base/time_units.h"
#include "whatif/ask/answer.h"
#include "whatif/ask/ask.h"
#include "whatif/ask/asked_stretches.h"
#include "whatif/ask/change_table.h"
#include "whatif/ask/load.h"
#include "whatif/ask/thresholds.h"
#include "whatif/edit/edit.h"
#include "whatif/score/score.h"
#include "words/quantities.h"

namespace gordian {

std::string RequestsVerdict(const pb::WhatIf& answer) {
  const pb::WhatIfRequests& told = answer.requests();
  const std::string rates = absl::StrCat(
      RateText(told.recorded_rate()), " → ", RateText(told.rate()), " requests a second, ",
      FormatDuration(static_cast<uint64_t>(told.recorded_response_ns())), " → ",
      FormatDuration(static_cast<uint64_t>(told.response_ns())), " each");
  const bool is_gain = answer.expected() >= kNoGain || answer.expected() <= 1 / kNoGain;
  if (!is_gain) return absl::StrCat(ChangesText(answer), "no gain (", rates, ").");
  if (answer.at_least()) {
    const std::string verdict = AtLeastVerdict(answer, answer.low(), /*likely=*/true);
    return absl::StrCat(verdict.substr(0, verdict.size() - 1), " (", rates, ").");
  }
  return absl::StrFormat("%s%s the throughput, %.2f to %.2f (%s).", ChangesText(answer),
                         GainText(answer.expected()), answer.low(), answer.high(), rates);
}

namespace {

void Tell(const TokenModel& model, const TokenGain& gain, pb::WhatIf& answer) {
  pb::WhatIfRequests& told = *answer.mutable_requests();
  told.set_requests(model.requests());
  told.set_at_once(model.population);
  told.set_recorded_rate(model.recorded_rate);
  told.set_rate(model.recorded_rate * gain.expected);
  told.set_recorded_response_ns(model.recorded_response_ns);
  told.set_response_ns(model.recorded_response_ns * gain.after.response_ns /
                       gain.before.response_ns);
  told.set_self_check(gain.self_check);
  told.set_chance(gain.chance);
  told.set_little_miss(std::max(gain.before.LittleMiss(), gain.after.LittleMiss()));
  told.set_threads_low(answer.low());
  told.set_threads_expected(answer.expected());
  told.set_threads_high(answer.high());
  answer.set_low(gain.low);
  answer.set_expected(gain.expected);
  answer.set_high(gain.high);
  answer.set_at_least(answer.at_least() || gain.at_least);
  answer.clear_refusal();
  answer.set_verdict(RequestsVerdict(answer));
}

// A slower or faster disk is asked of threads: who else uses it is no request's.
bool GainsAreTheirs(const WhatIfRequest& request, const Changes& changes) {
  if (!changes.disks.empty()) return false;
  const auto rows = ChangeTable();
  return std::all_of(request.changes.begin(), request.changes.end(),
                     [&](const WhatIfRequest::Change& change) {
                       return std::any_of(rows.begin(), rows.end(), [&](const ChangeRow& row) {
                         return row.by_requests && change.option == row.option.name;
                       });
                     });
}

// Of a long recording as its stretches show it, each with an eighth of the say: by the share of the
// time in which it is in use.
double MostOfWhatIsScarceIn(const AnalyzedRecording& recording, const MoreAtOnce& more) {
  const std::vector<uint8_t> is_other(recording.timeline.thread_count());
  const auto most_in = [&](const Timeline& timeline, const std::vector<uint32_t>& connections) {
    Score score = BuildScore(timeline, recording.vertex_of_entity, {}, {}, is_other);
    if (!connections.empty()) score.connections = connections;
    return MostOfWhatIsScarce(score, more, recording.vertex_of_entity);
  };
  const std::vector<ReplayedStretch> stretches = StretchesToAsk(recording);
  if (stretches.empty()) return most_in(recording.timeline, {});
  const std::vector<uint32_t> connections = ConnectionsByThread(recording.timeline);
  std::vector<double> in_use(stretches.size());
  ForEachStretch(recording.timeline, stretches, [&](size_t number, const Timeline& part) {
    in_use[number] = 1 / most_in(part, connections);
  });
  const double mean =
      std::accumulate(in_use.begin(), in_use.end(), 0.0) / static_cast<double>(in_use.size());
  return mean > 0 ? 1 / mean : std::numeric_limits<double>::infinity();
}

// The CPUs that the target ever ran on may be all, or those that an affinity leaves it. Where it
// has nearly all of their time, more requests find no more of it: simulated requests know only the
// CPUs of the whole machine, and of work that their own steps show (a process for each request is
// none).
double MostOfTargetsCpus(const AnalyzedRecording& recording) {
  const Timeline& timeline = recording.timeline;
  if (recording.report.has_cluster()) return std::numeric_limits<double>::infinity();
  std::set<uint16_t> cpus;
  double used_ns = 0;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const auto vertex = static_cast<int>(recording.vertex_of_entity[thread]);
    if (!recording.report.vertices(vertex).target()) continue;
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kRun && at.segment().kind != SegmentKind::kSpin)
        continue;
      cpus.insert(at.segment().state);
      used_ns += static_cast<double>(at.end_ns() - at.start_ns());
    }
  }
  const double all_ns = static_cast<double>(cpus.size()) *
                        static_cast<double>(timeline.end_ns() - timeline.start_ns());
  return used_ns < kNearlyAll * all_ns || used_ns <= 0 ? std::numeric_limits<double>::infinity()
                                                       : all_ns / used_ns;
}

// What the recording shows to be in use all the time cannot be used more, whoever tells the gain.
void KeepBelowWhatIsScarce(const AnalyzedRecording& recording, const Changes& changes,
                           TokenGain& gain) {
  if (changes.more_at_once.empty()) return;
  const double most =
      std::max(1.0, std::min({MostOfWhatIsScarceIn(recording, changes.more_at_once.front()),
                              MostOfTargetsCpus(recording), changes.more_at_once.front().most}));
  if (gain.expected <= most) return;
  // As many are open, at a lower rate.
  gain.after.response_ns *= gain.expected / most;
  gain.low = std::min(gain.low, most);
  gain.high = most;
  gain.expected = most;
}

// One connection with several requests under way (streams of HTTP/2, calls of RPC) and one request
// that asks for several things at once look alike. For requests the former are one client, which
// cannot gain by more of them; for threads they are stretches that may all be played at once.
void TellBoth(const TokenModel& model, const TokenGain& gain, pb::WhatIf& answer) {
  answer.set_low(std::min(answer.low(), gain.low));
  answer.set_high(std::max(answer.high(), gain.high));
  answer.set_expected(std::sqrt(answer.expected() * gain.expected));
  answer.set_at_least(answer.at_least() || gain.at_least);
  answer.mutable_load()->set_silent(
      absl::StrFormat("a connection to %s may carry several at a time, or each asks for several "
                      "things at once; packets do not tell which",
                      model.service));
  answer.add_doubts(absl::StrFormat(
      "it is %.1f times if each connection has one request at a time, and more only "
      "if it carries several (HTTP/2, RPC, pipelining)",
      gain.expected));
  answer.set_verdict(VerdictOf(answer));
}

}  // namespace

bool MayTellRequests(const WhatIfRequest& request) {
  const bool is_phase = request.progress.starts_with("phase ");
  return (request.progress.empty() || is_phase) && !request.changes.empty();
}

void AskRequests(const AnalyzedRecording& recording, const WhatIfRequest& request,
                 const absl::StatusOr<TokenModel>& model, pb::WhatIf& answer) {
  const auto changes = ReadChanges(recording, request);
  if (!changes.ok()) return;
  const bool is_theirs = GainsAreTheirs(request, changes->changes);
  if (!model.ok()) {
    if (is_theirs) answer.mutable_load()->set_silent(std::string(model.status().message()));
    return;
  }
  TellRecordedLoad(*model, answer);
  if (IsOpenLoop(recording, *model, answer)) {
    TellUtilisation(recording, *model, changes->changes, answer);
    return;
  }
  if (is_theirs) {
    auto gain = GainOfTokens(*model, changes->changes);
    if (gain.ok()) {
      KeepBelowWhatIsScarce(recording, changes->changes, *gain);
      const bool threads_refuse = !answer.refusal().empty();
      if (model->may_carry_several && !changes->changes.more_at_once.empty() && !threads_refuse &&
          gain->expected < answer.low())
        TellBoth(*model, *gain, answer);
      else if (threads_refuse || AnswersSurer(*gain, answer.low(), answer.high()))
        Tell(*model, *gain, answer);
    } else {
      answer.mutable_load()->set_silent(std::string(gain.status().message()));
    }
  }
  TellLoadAfter(changes->changes, answer);
}

absl::StatusOr<pb::WhatIf> AskRequestsAlone(const AnalyzedRecording& recording,
                                            const WhatIfRequest& request,
                                            const absl::StatusOr<TokenModel>& model,
                                            const absl::Status& why) {
  if (!absl::IsFailedPrecondition(why)) return why;
  const auto changes = ReadChanges(recording, request);
  if (!changes.ok()) return changes.status();
  pb::WhatIf answer;
  for (const pb::WhatIfChange& change : changes->texts) *answer.add_changes() = change;
  const Timeline& timeline = recording.timeline;
  answer.mutable_recording()->set_seconds(SecondsOf(timeline.end_ns() - timeline.start_ns()));
  answer.mutable_recording()->set_cpus(timeline.cpus());
  answer.mutable_recording()->set_lost(timeline.lost());
  const std::string reason = std::string(why.message().substr(0, why.message().find(';')));
  answer.set_refusal(reason);
  answer.set_trust(kNotYetProven);
  answer.add_doubts(absl::StrCat("the replay of threads does not answer: ", reason));
  AskRequests(recording, request, model, answer);
  if (!answer.has_requests() && !answer.load().open_loop()) return why;
  return answer;
}

}  // namespace gordian
