// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/timed_replays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/time_units.h"
#include "whatif/edit/thresholds.h"
#include "whatif/replay/next_limit.h"
#include "whatif/replay/rivals.h"
#include "whatif/replay/thresholds.h"

namespace gordian {
namespace {

double Span(const PlayOutcome& outcome) {
  return std::max(1.0, static_cast<double>(outcome.cut_ns.back() - outcome.cut_ns.front()));
}

}  // namespace

TimedReplays::TimedReplays(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                           const ReplayOptions& options, PreparedReplays* prepared)
    : timeline_(timeline), vertices_(vertex_of_entity), options_(options), prepared_(prepared) {
  std::vector<uint32_t> pollers;
  for (const TimerChange& change : options.changes.timers) pollers.push_back(change.vertex);
  std::vector<uint8_t> is_other = OfOtherPrograms();
  // Threads that bring the requests, or work for them, are part of the change.
  for (const MoreAtOnce& more : options.changes.more_at_once) {
    const std::vector<uint8_t> together =
        ThreadsTogether(*RecordedScore(pollers, is_other), more, vertices_);
    for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
      if (together[thread] != 0) is_other[thread] = 0;
  }
  const bool is_settled = UsesPrepared() && prepared_->score != nullptr;
  score_ = is_settled ? prepared_->score : RecordedScore(pollers, is_other);
  if (options.changes.more_at_once.empty()) {
    wake_cost_ns_ = WakeCostNs(*score_, options.wake_shares, vertices_);
    sleep_cost_ns_ = SleepCostNs(*score_, options.wake_shares, vertices_);
  }
  TimeRecording();
  if (is_settled) {
    forced_steps_ = prepared_->forced_steps;
    return;
  }
  if (HasRivals(is_other)) {
    auto settled = std::make_shared<Score>(*score_);
    SettleRivals(*settled, is_other, options.changes.cpus.empty(), [&] {
      return std::abs(std::log(Span(Play(*settled, {.cpus = settled->cpus})) / recorded_ns_));
    });
    score_ = std::move(settled);
  }
  if (!UsesPrepared()) return;
  prepared_->score = score_;
  prepared_->forced_steps = forced_steps_;
}

// Most changes leave it as it is.
std::shared_ptr<const Score> TimedReplays::RecordedScore(std::span<const uint32_t> pollers,
                                                         std::span<const uint8_t> is_other) {
  const bool is_shared =
      prepared_ != nullptr && pollers.empty() && std::ranges::equal(is_other, OfOtherPrograms());
  if (is_shared && prepared_->recorded != nullptr) return prepared_->recorded;
  auto recorded =
      std::make_shared<Score>(BuildScore(timeline_, vertices_, options_.marks, pollers, is_other));
  if (!options_.connections.empty()) recorded->connections = options_.connections;
  // A question about timers is about these pauses.
  if (options_.changes.timers.empty())
    JoinIdleTicks(WaitsInLoops(options_.tick_loops, /*unless_known=*/false), vertices_, *recorded);
  if (is_shared) prepared_->recorded = recorded;
  return recorded;
}

// Sleepers that hand on work, and other CPUs, make another score.
bool TimedReplays::UsesPrepared() const {
  return prepared_ != nullptr && options_.changes.timers.empty() && options_.changes.cpus.empty() &&
         options_.changes.more_at_once.empty();
}

bool TimedReplays::IsCandidate(EntityId entity) const {
  return options_.candidates.empty() ||
         std::find(options_.candidates.begin(), options_.candidates.end(), vertices_[entity]) !=
             options_.candidates.end();
}

// By thread. Without candidates all are of the program.
std::vector<uint8_t> TimedReplays::OfOtherPrograms() const {
  std::vector<uint8_t> is_other(timeline_.thread_count());
  for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread)
    is_other[thread] = !IsCandidate(thread) && !timeline_.entities()[thread].kernel_thread;
  return is_other;
}

// Where stretches are played at once, the first that is over ends the count, whoever makes the
// marks.
std::vector<std::vector<uint64_t>> TimedReplays::TimesOfStreams() const {
  const bool is_one = options_.is_job || !options_.changes.more_at_once.empty();
  std::vector<std::vector<uint64_t>> times(1);
  for (const ProgressMark& mark : options_.marks) {
    if (mark.thread >= timeline_.thread_count()) continue;
    const size_t stream = is_one ? 0 : mark.stream;
    if (stream >= times.size()) times.resize(stream + 1);
    times[stream].push_back(mark.time_ns);
  }
  for (std::vector<uint64_t>& of_stream : times) std::sort(of_stream.begin(), of_stream.end());
  return times;
}

MarkRange TimedReplays::RangeOf(size_t marks) const {
  const double last = std::max(1.0, static_cast<double>(marks)) - 1;
  if (options_.is_job) return {.first = 0, .last = static_cast<uint32_t>(last)};
  return {.first = static_cast<uint32_t>(std::ceil(kFirstMarkShare * last)),
          .last = static_cast<uint32_t>(std::floor(kLastMarkShare * last))};
}

void TimedReplays::TimeRecording() {
  std::vector<MarkCuts> cuts;
  for (const std::vector<uint64_t>& times : TimesOfStreams()) {
    streams_.push_back(RangeOf(times.size()));
    cuts.emplace_back();
    for (size_t i = 0; i <= kParts && !times.empty(); ++i)
      cuts.back().at(i) = times[CutMark(streams_.back().first, streams_.back().last, i)];
  }
  const MarkCuts cut_ns = JoinStreams(cuts, streams_);
  recorded_ns_ = std::max(1.0, static_cast<double>(cut_ns.back() - cut_ns.front()));
  recorded_parts_ = PartsOf(cut_ns);
}

double TimedReplays::recorded_rate() const {
  double marks = 0;
  for (const MarkRange& stream : streams_) marks += stream.Count();
  return marks * kNsPerSecond / recorded_ns_;
}

PlayOutcome TimedReplays::Play(const Score& score, const Variation& variation,
                               std::span<const MarkRange> streams) {
  if (prepared_ != nullptr && prepared_->given_up_with) return *prepared_->given_up_with;
  PlayOutcome outcome = Simulate(score, variation, streams);
  if (prepared_ != nullptr) {
    prepared_->replayed_steps += score.steps.size();
    if (!prepared_->on_replay()) prepared_->given_up_with = outcome;
  }
  forced_steps_ = std::max(forced_steps_, outcome.forced_steps);
  return outcome;
}

// Each round starts from the gain of the one before.
PlayOutcome TimedReplays::PlayKeepingPace(const Score& score, Variation& variation,
                                          const Unchanged& unchanged, const MetLess& met_less) {
  double gain = 1;
  PlayOutcome outcome;
  for (int round = 0; round < kMostRounds; ++round) {
    if (met_less.shrunk != nullptr) variation.not_met = met_less.shrunk->NotMet(gain);
    if (met_less.polled != nullptr) variation.sleep_factor = met_less.polled->SleepFactors(gain);
    outcome = Play(score, variation);
    const double reached = unchanged.span_ns / Span(outcome);
    if (std::abs(reached - gain) <= kSameGain * gain) break;
    gain = reached;
    variation.outside_factor = 1 / gain;
  }
  return outcome;
}

// Locks and pools that change are modelled as such in the unchanged replay, too: then this replay
// has its own unchanged one.
PlayOutcome TimedReplays::PlayUnchangedOnce(const Score& score, bool order_free) {
  const bool is_shared =
      UsesPrepared() && options_.changes.splits.empty() && options_.changes.added_threads.empty();
  const size_t which = order_free ? 1 : 0;
  if (is_shared && prepared_->unchanged.at(which)) {
    const PlayOutcome& known = *prepared_->unchanged.at(which);
    forced_steps_ = std::max(forced_steps_, known.forced_steps);
    return known;
  }
  PlayOutcome outcome = Play(score, {.cpus = score_->cpus,
                                     .order_free = order_free,
                                     .wake_cost_ns = order_free ? wake_cost_ns_ : 0,
                                     .sleep_cost_ns = order_free ? sleep_cost_ns_ : 0});
  if (is_shared) prepared_->unchanged.at(which) = outcome;
  return outcome;
}

Unchanged TimedReplays::PlayUnchanged(bool order_free) {
  const std::optional<Score> edited = UnchangedScore(*score_, options_.changes, vertices_);
  const Score& score = edited ? *edited : *score_;
  const PlayOutcome outcome = PlayUnchangedOnce(score, order_free);
  return {.span_ns = Span(outcome),
          .parts = PartsOf(outcome.cut_ns),
          .sleeps = SleepsByVertex(score, outcome, vertices_)};
}

Reading TimedReplays::ReadingOf(const Score& score, const PlayOutcome& outcome,
                                const Unchanged& unchanged, double share) const {
  Reading reading;
  reading.gain = std::min(kMostGainTold, unchanged.span_ns * share / Span(outcome));
  reading.self_check = recorded_ns_ / unchanged.span_ns - 1;
  const Parts gains = Difference(unchanged.parts, PartsOf(outcome.cut_ns));
  reading.chance = std::min(kMostChance, kStudent * std::sqrt(SquaredErrorOfMean(gains) +
                                                              SquaredErrorOfMean(recorded_parts_)));
  reading.next = FindNextLimit(score, outcome, options_, vertices_);
  return reading;
}

}  // namespace gordian
