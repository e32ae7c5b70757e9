// SPDX-License-Identifier: Apache-2.0
// From simulations to an interval, or to silence.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "whatif/requests/requests.h"

namespace gordian {
namespace {

constexpr size_t kParts = 8;
// Share of the recorded rate, or of the response time. The first reading counts, unless another one
// is nearer by more than simulations of so many requests miss by chance.
constexpr double kClearlyNearerWay = 0.02;
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

// Of all CPUs, by what requests take of them.
double BusyShare(const TokenModel& model) {
  double run_ns = 0;
  for (const TokenStep& step : model.steps)
    run_ns += step.deed == TokenDeed::kRun || step.deed == TokenDeed::kGive ? step.ns : 0;
  double cpus = 0;
  for (const TokenNode& node : model.nodes) cpus += node.all;
  const double each_ns = run_ns / static_cast<double>(std::max<size_t>(1, model.requests()));
  return cpus > 0 ? each_ns * model.recorded_rate / 1e9 / cpus : 0;
}

absl::Status ReasonForSilence(const TokenModel& model, const Changes& changes) {
  if (model.requests() < kFewestTokenRequests)
    return absl::FailedPreconditionError(absl::StrFormat(
        "only %d requests were recorded; %d tell a rate", model.requests(), kFewestTokenRequests));
  // The arrivals of clients with a clock are known.
  const bool has_clock = std::any_of(model.seats.begin(), model.seats.end(),
                                     [](const TokenSeats& seats) { return seats.is_clock; });
  if (model.closed_share < kClosedLoopShare && !has_clock)
    return absl::FailedPreconditionError(
        absl::StrFormat("requests come by themselves (an open loop): as many as %d are open at "
                        "once in only %.0f %% of the time. They keep %.0f %% of the CPUs busy",
                        model.population, 100 * model.closed_share, 100 * BusyShare(model)));
  if (model.served_on_share > kMostServedOn)
    return absl::FailedPreconditionError(
        absl::StrFormat("clients wait for what is sent behind the answers for %.0f %% of their "
                        "time, and packets do not tell what is done for that",
                        100 * model.served_on_share));
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

// One way to read what the recording leaves open.
struct TokenReading {
  TokenModel model;
  TokenModel changed;
  TokenRates before;
  TokenRates after;
  TokenRates after_alone;  // without the CPU time on the way of waits
  double self_check = 0;
};

std::vector<TokenModel> ReadingsOf(const TokenModel& model) {
  std::vector<TokenModel> readings = {model};
  const auto has = [&](const auto& places, auto is) {
    return std::any_of(places.begin(), places.end(), is);
  };
  if (has(model.seats, [](const TokenSeats& seats) { return seats.is_lock; })) {
    readings.push_back(model);
    for (TokenSeats& seats : readings.back().seats) seats.is_handed = !seats.is_handed;
  }
  const auto is_open_ended = [](const TokenSeats& seats) { return seats.seen != 0; };
  if (has(model.seats, is_open_ended)) {
    const size_t others = readings.size();
    for (size_t i = 0; i < others; ++i) {
      readings.push_back(readings[i]);
      for (TokenSeats& seats : readings.back().seats)
        if (is_open_ended(seats)) seats.count = seats.seen;
    }
  }
  if (has(model.disks, [](const TokenDisk& disk) { return disk.stores; })) {
    const size_t others = readings.size();
    for (size_t i = 0; i < others; ++i) {
      readings.push_back(readings[i]);
      for (TokenDisk& disk : readings.back().disks) disk.is_grouped = disk.stores;
    }
  }
  return readings;
}

bool IsStuck(const TokenReading& reading) {
  return reading.before.is_stuck || reading.after.is_stuck || reading.after_alone.is_stuck;
}

absl::StatusOr<TokenReading> Read(TokenModel model, const Changes& changes) {
  auto alone = ChangedTokens(model, changes, /*with_path=*/false);
  auto changed = ChangedTokens(model, changes, /*with_path=*/true);
  if (!alone || !changed)
    return absl::FailedPreconditionError("requests have no station that this changes");
  if (changed->population > kMostTokens)
    return absl::FailedPreconditionError(
        absl::StrFormat("that is more than %d requests at a time", kMostTokens));
  TokenReading reading;
  reading.before = PlayTokens(model, kTokenRequestsPlayed);
  reading.self_check = std::max(Miss(reading.before.rate, model.recorded_rate),
                                Miss(reading.before.response_ns, model.recorded_response_ns));
  reading.after = PlayTokens(*changed, kTokenRequestsPlayed);
  reading.after_alone = PlayTokens(*alone, kTokenRequestsPlayed);
  reading.model = std::move(model);
  reading.changed = *std::move(changed);
  return reading;
}

}  // namespace

absl::StatusOr<TokenGain> GainOfTokens(const TokenModel& model, const Changes& changes) {
  const absl::Status silence = ReasonForSilence(model, changes);
  if (!silence.ok()) return silence;
  std::vector<TokenReading> readings;
  for (TokenModel& read : ReadingsOf(model)) {
    auto reading = Read(std::move(read), changes);
    if (!reading.ok()) return reading.status();
    if (!IsStuck(*reading)) readings.push_back(*std::move(reading));
  }
  if (readings.empty())
    return absl::FailedPreconditionError("simulated requests wait for each other for ever");
  const TokenReading& best = *std::min_element(
      readings.begin(), readings.end(), [](const TokenReading& a, const TokenReading& b) {
        return a.self_check < b.self_check - kClearlyNearerWay;
      });
  if (best.self_check > kMostTokenMiss)
    return absl::FailedPreconditionError(absl::StrFormat(
        "with nothing changed the simulation has %.0f requests a second, of %.0f µs each; recorded "
        "were %.0f, of %.0f µs",
        best.before.rate, best.before.response_ns / 1e3, model.recorded_rate,
        model.recorded_response_ns / 1e3));
  TokenGain gain = {.before = best.before, .after = best.after, .self_check = best.self_check};
  gain.low = std::numeric_limits<double>::infinity();
  gain.high = 0;
  for (const TokenReading& reading : readings) {
    if (reading.self_check > kMostTokenMiss) continue;
    if (reading.after.rate <= 0 || reading.after_alone.rate <= 0)
      return absl::FailedPreconditionError("nothing that takes time is left of the requests");
    for (const TokenRates& after : {reading.after, reading.after_alone}) {
      gain.low = std::min(gain.low, after.rate / reading.before.rate / (1 + reading.self_check));
      gain.high = std::max(gain.high, after.rate / reading.before.rate * (1 + reading.self_check));
    }
  }
  gain.expected = best.after.rate / best.before.rate;
  gain.at_least = !changes.more_at_once.empty() && gain.after.cpus_busy >= kCpusNearlyFull;
  gain.chance = ChanceOf(best.model, best.changed);
  gain.low /= std::exp(gain.chance);
  gain.high *= std::exp(gain.chance);
  return gain;
}

bool AnswersSurer(const TokenGain& gain, double low, double high) {
  if (gain.self_check <= kSureTokenMiss) return true;
  return low > 0 && gain.low > 0 && gain.high / gain.low < high / low;
}

}  // namespace gordian
