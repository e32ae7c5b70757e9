// SPDX-License-Identifier: Apache-2.0
// From simulations to an interval, or to silence.
#include <algorithm>
#include <array>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "whatif/requests/requests.h"

namespace gordian {
namespace {

constexpr size_t kParts = 8;
// Of Student's distribution for eight parts: one of twenty lies beyond.
constexpr double kStudentOfParts = 2.36;

double Miss(double told, double recorded) {
  return recorded > 0 ? std::abs(told / recorded - 1) : 1;
}

double LockShare(const TokenModel& model) {
  double in_lock_ns = 0;
  for (const TokenStep& step : model.steps) in_lock_ns += step.in_lock ? step.ns : 0;
  const double all_ns = model.recorded_response_ns * static_cast<double>(model.requests());
  return all_ns > 0 ? in_lock_ns / all_ns : 0;
}

absl::Status ReasonForSilence(const TokenModel& model, const Changes& changes) {
  if (model.requests() < kFewestTokenRequests)
    return absl::FailedPreconditionError(absl::StrFormat(
        "only %d requests were recorded; %d tell a rate", model.requests(), kFewestTokenRequests));
  if (model.closed_share < kClosedLoopShare)
    return absl::FailedPreconditionError(
        absl::StrFormat("requests come by themselves (an open loop): as many as %d are open at "
                        "once in only %.0f %% of the time",
                        model.population, 100 * model.closed_share));
  for (const TokenNode& node : model.nodes)
    if (node.cpus < kLeastCpusLeft * node.all)
      return absl::FailedPreconditionError(
          absl::StrFormat("other programs leave only %.1f of %.0f CPUs", node.cpus, node.all));
  if (!changes.more_at_once.empty() && LockShare(model) > kMostLockShare)
    return absl::FailedPreconditionError(
        absl::StrFormat("requests wait for locks for %.0f %% of their time, and more of them would "
                        "wait otherwise",
                        100 * LockShare(model)));
  return absl::OkStatus();
}

// The requests of one of eight parts of the recording.
TokenModel PartOf(const TokenModel& model, size_t part) {
  TokenModel made = model;
  const size_t from = model.requests() * part / kParts;
  const size_t to = model.requests() * (part + 1) / kParts;
  made.first.assign(model.first.begin() + static_cast<std::ptrdiff_t>(from),
                    model.first.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  return made;
}

double GainBetween(const TokenModel& model, const TokenModel& changed, uint64_t answers) {
  const TokenRates before = PlayTokens(model, answers);
  const TokenRates after = PlayTokens(changed, answers);
  return before.rate > 0 && after.rate > 0 ? after.rate / before.rate : 1;
}

double ChanceOf(const TokenModel& model, const TokenModel& changed) {
  std::array<double, kParts> gains{};
  double mean = 0;
  for (size_t part = 0; part < kParts; ++part) {
    gains[part] =
        std::log(GainBetween(PartOf(model, part), PartOf(changed, part), kTokenRequestsOfPart));
    mean += gains[part] / kParts;
  }
  double squares = 0;
  for (const double gain : gains) squares += (gain - mean) * (gain - mean);
  return kStudentOfParts * std::sqrt(squares / (kParts - 1) / kParts);
}

}  // namespace

absl::StatusOr<TokenGain> GainOfTokens(const TokenModel& model, const Changes& changes) {
  const absl::Status silence = ReasonForSilence(model, changes);
  if (!silence.ok()) return silence;
  const auto least = ChangedTokens(model, changes, /*with_path=*/false);
  const auto changed = ChangedTokens(model, changes, /*with_path=*/true);
  if (!least || !changed)
    return absl::FailedPreconditionError("requests have no station that this changes");
  if (changed->population > kMostTokens)
    return absl::FailedPreconditionError(
        absl::StrFormat("that is more than %d requests at a time", kMostTokens));

  TokenGain gain;
  gain.before = PlayTokens(model, kTokenRequestsPlayed);
  if (gain.before.is_stuck)
    return absl::FailedPreconditionError("simulated requests wait for each other for ever");
  gain.self_check = std::max(Miss(gain.before.rate, model.recorded_rate),
                             Miss(gain.before.response_ns, model.recorded_response_ns));
  if (gain.self_check > kMostTokenMiss)
    return absl::FailedPreconditionError(absl::StrFormat(
        "with nothing changed the simulation has %.0f requests a second, of %.0f µs each; recorded "
        "were %.0f, of %.0f µs",
        gain.before.rate, gain.before.response_ns / 1e3, model.recorded_rate,
        model.recorded_response_ns / 1e3));
  gain.after = PlayTokens(*changed, kTokenRequestsPlayed);
  const TokenRates after_least = PlayTokens(*least, kTokenRequestsPlayed);
  if (gain.after.is_stuck || after_least.is_stuck)
    return absl::FailedPreconditionError("simulated requests wait for each other for ever");
  if (gain.after.rate <= 0 || after_least.rate <= 0)
    return absl::FailedPreconditionError("nothing that takes time is left of the requests");
  const double with_path = gain.after.rate / gain.before.rate;
  const double alone = after_least.rate / gain.before.rate;
  gain.expected = with_path;
  gain.at_least = !changes.more_at_once.empty() && gain.after.cpus_busy >= kCpusNearlyFull;
  gain.chance = ChanceOf(model, *changed);
  const double width = (1 + gain.self_check) * std::exp(gain.chance);
  gain.low = std::min(alone, with_path) / width;
  gain.high = std::max(alone, with_path) * width;
  return gain;
}

}  // namespace gordian
