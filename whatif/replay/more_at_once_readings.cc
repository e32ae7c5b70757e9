// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/more_at_once_readings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "whatif/edit/thresholds.h"
#include "whatif/replay/thresholds.h"

namespace gordian {
namespace {

// One reading's view of the change.
struct View {
  double SleepCost::*saved = &SleepCost::switch_share;
  bool order_free = false;
};

double MostOf(const Score& score, const MoreAtOnce& more,
              std::span<const uint32_t> vertex_of_entity) {
  const double most = std::min(more.most, MostOfWhatIsScarce(score, more, vertex_of_entity));
  return more.more_threads ? most
                           : std::min(most, MostOfSoManyThreads(score, more, vertex_of_entity));
}

class AtOnceReader {
 public:
  AtOnceReader(std::span<const uint32_t> vertex_of_entity, const ReplayOptions& options,
               TimedReplays& replays)
      : vertices_(vertex_of_entity),
        options_(options),
        more_(options.changes.more_at_once.front()),
        replays_(replays),
        wakes_(CountWakes(replays.score(), vertices_)),
        costs_(CostsOfThoseTogether()),
        most_(MostOf(replays.score(), more_, vertices_)) {}

  // In `score` stretches of the recording are played at once.
  Score ScoreAtOnce(bool in_loops_unless_known, bool order_free) const {
    return PlayStretchesAtOnce(replays_.score(), more_,
                               WaitsInLoops(options_.loops, in_loops_unless_known), order_free,
                               vertices_);
  }

  // The savings are found in a few rounds, as threads that save time sleep more. Stretches differ:
  // the rate counts until the first of them is over, as then fewer requests are under way.
  Reading Read(const Score& score, const View& view, const Unchanged& unchanged) {
    Variation changed = VariationOf(score, options_.changes, vertices_);
    changed.order_free = view.order_free;
    const std::vector<double> asked_for = changed.run_factor;
    saved_.clear();
    Reading reading;
    for (int round = 0; round < kMostRounds; ++round) {
      changed.run_factor = RunFactors(score, saved_, vertices_);
      for (size_t thread = 0; thread < asked_for.size(); ++thread)
        changed.run_factor[thread] *= asked_for[thread];
      MarkRange marks = replays_.marks();
      PlayOutcome outcome = replays_.Play(score, changed, {&marks, 1});
      const Sleeps sleeps = SleepsByVertex(score, outcome, vertices_);
      if (outcome.marks_at_first_end > marks.first + kParts) {
        marks.last = std::min(marks.last, outcome.marks_at_first_end - 1);
        outcome = replays_.Play(score, changed, {&marks, 1});
      }
      const double before = reading.gain;
      reading =
          replays_.ReadingOf(score, outcome, unchanged, marks.Count() / replays_.marks().Count());
      if (round > 0 && std::abs(reading.gain - before) <= kSameGain * before) break;
      saved_ = SavedShares(costs_, view.saved, wakes_, unchanged.sleeps, sleeps);
    }
    reading.gain = std::min(reading.gain, most_);
    return reading;
  }

  // Of the last reading.
  std::vector<Path> SavedPaths() const {
    std::vector<Path> paths;
    for (const auto& [vertex, share] : saved_)
      paths.push_back({.vertex = vertex, .run_share = share});
    return paths;
  }

 private:
  // Of the vertices whose requests become more.
  std::vector<SleepCost> CostsOfThoseTogether() const {
    const std::vector<uint8_t> together = ThreadsTogether(replays_.score(), more_, vertices_);
    std::vector<SleepCost> costs = options_.sleep_costs;
    std::erase_if(costs, [&](const SleepCost& cost) {
      for (EntityId thread = 0; thread < together.size(); ++thread)
        if (together[thread] != 0 && vertices_[thread] == cost.vertex) return false;
      return true;
    });
    return costs;
  }

  const std::span<const uint32_t> vertices_;
  const ReplayOptions& options_;
  const MoreAtOnce& more_;
  TimedReplays& replays_;
  const WakesByVertex wakes_;
  const std::vector<SleepCost> costs_;
  const double most_;
  std::map<uint32_t, double> saved_;  // shares of the CPU time, by vertex
};

}  // namespace

void ReadMoreAtOnce(std::span<const uint32_t> vertex_of_entity, const ReplayOptions& options,
                    TimedReplays& replays, ReplayResult& result) {
  AtOnceReader reader(vertex_of_entity, options, replays);
  result.wait_alone =
      reader.Read(reader.ScoreAtOnce(/*in_loops_unless_known=*/false, /*order_free=*/false),
                  {.saved = &SleepCost::switch_share}, replays.PlayUnchanged(/*order_free=*/false));
  const Score score = reader.ScoreAtOnce(/*in_loops_unless_known=*/true, /*order_free=*/true);
  const Unchanged unchanged = replays.PlayUnchanged(/*order_free=*/true);
  result.with_path =
      reader.Read(score, {.saved = &SleepCost::call_share, .order_free = true}, unchanged);
  result.paths = reader.SavedPaths();
}

}  // namespace gordian
