// SPDX-License-Identifier: Apache-2.0
// The results of a recording's stretches as one.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/time_units.h"
#include "whatif/replay/interval.h"
#include "whatif/replay/replay.h"
#include "whatif/replay/thresholds.h"

namespace gordian {
namespace {

// As in the search for requests (requests/find_requests.cc). Two tell no chance; with many more,
// each is too short for what starts and ends within it.
constexpr uint64_t kStretchesReplayed = 8;
// An excerpt does not know its events; most of them begin a segment.
constexpr double kStepsOfEvent = 2.5, kStepsOfSegment = 2;

double StepsAbout(const Timeline& timeline) {
  if (timeline.events() != 0) return kStepsOfEvent * static_cast<double>(timeline.events());
  uint64_t segments = 0;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) ++segments;
  return kStepsOfSegment * static_cast<double>(segments);
}

double VarianceOfMean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  for (const double value : values) squares += (value - sum / count) * (value - sum / count);
  return squares / (count - 1) / count;
}

class StretchJoiner {
 public:
  explicit StretchJoiner(std::span<const ReplayResult> stretches) : stretches_(stretches) {
    std::vector<double> paces;
    for (const ReplayResult& stretch : stretches) {
      recorded_ns_.push_back(RecordedNs(stretch));
      all_ns_ += recorded_ns_.back();
      paces.push_back(std::log(stretch.recorded_rate));
    }
    variance_of_pace_ = VarianceOfMean(paces);
  }

  ReplayResult Join(const Changes& changes) const {
    ReplayResult joined;
    joined.divides_work = joined.divides_in_rounds = true;
    for (const ReplayResult& stretch : stretches_) {
      joined.marks += stretch.marks;
      joined.steps += stretch.steps;
      joined.forced_steps += stretch.forced_steps;
      joined.unexplained += stretch.unexplained * RecordedNs(stretch) / all_ns_;
      joined.divides_work &= stretch.divides_work;
      joined.divides_in_rounds &= stretch.divides_in_rounds;
    }
    joined.recorded_rate = static_cast<double>(joined.marks) * kNsPerSecond / all_ns_;
    joined.wait_alone = JoinReadings([](const ReplayResult& of) { return of.wait_alone; });
    joined.with_path = JoinReadings([](const ReplayResult& of) { return of.with_path; });
    const bool last_is_of_unseen =
        std::any_of(changes.runs.begin(), changes.runs.end(),
                    [](const RunChange& run) { return run.least_factor.has_value(); });
    const size_t others = stretches_.front().other_paths.size();
    for (size_t i = 0; i < others; ++i) {
      if (IsLikelyPath(i) && !(last_is_of_unseen && i + 1 == others)) continue;
      joined.other_paths.push_back(
          JoinReadings([i](const ReplayResult& of) { return of.other_paths[i]; }));
    }
    joined.paths = JoinPaths();
    SetInterval(changes, joined);
    return joined;
  }

 private:
  static double RecordedNs(const ReplayResult& stretch) {
    return static_cast<double>(stretch.marks) * kNsPerSecond / stretch.recorded_rate;
  }

  // Everywhere: then it is no other one.
  bool IsLikelyPath(size_t other) const {
    return std::all_of(stretches_.begin(), stretches_.end(), [other](const ReplayResult& stretch) {
      return stretch.other_paths[other].gain == stretch.with_path.gain;
    });
  }

  template <typename Pick>
  Reading JoinReadings(Pick pick) const {
    double unchanged_ns = 0, changed_ns = 0;
    std::vector<double> gains;
    std::vector<Reading> readings;
    for (size_t i = 0; i < stretches_.size(); ++i) {
      const Reading& reading = readings.emplace_back(pick(stretches_[i]));
      const double its_ns = recorded_ns_[i] / (1 + reading.self_check);
      unchanged_ns += its_ns;
      changed_ns += its_ns / reading.gain;
      gains.push_back(std::log(reading.gain));
    }
    Reading joined = readings.front();
    joined.gain = unchanged_ns / changed_ns;
    joined.self_check = all_ns_ / unchanged_ns - 1;
    joined.chance =
        std::min(kMostChance, kStudent * std::sqrt(VarianceOfMean(gains) + variance_of_pace_));
    joined.next = JoinLimits(readings);
    return joined;
  }

  // That of most of the time.
  Limiter JoinLimits(std::span<const Reading> readings) const {
    struct Seen {
      double time_ns = 0;
      double share_ns = 0;
    };
    std::map<std::tuple<NextLimit, EntityId, uint32_t>, Seen> limits;
    Limiter most;
    double most_ns = 0;
    for (size_t i = 0; i < readings.size(); ++i) {
      const Limiter& next = readings[i].next;
      Seen& seen = limits[{next.kind, next.entity, next.node}];
      seen.time_ns += recorded_ns_[i];
      seen.share_ns += recorded_ns_[i] * next.share;
      if (seen.time_ns <= most_ns) continue;
      most_ns = seen.time_ns;
      most = next;
      most.share = seen.share_ns / seen.time_ns;
    }
    return most;
  }

  // On average. A vertex that was on no way in a stretch had none of its CPU time there.
  std::vector<Path> JoinPaths() const {
    std::vector<Path> joined;
    for (size_t i = 0; i < stretches_.size(); ++i) {
      for (const Path& path : stretches_[i].paths) {
        auto known = std::find_if(joined.begin(), joined.end(), [&](const Path& one) {
          return one.vertex == path.vertex && one.kernel_relay == path.kernel_relay;
        });
        if (known == joined.end()) {
          joined.push_back(
              {.vertex = path.vertex, .kernel_relay = path.kernel_relay, .waits = path.waits});
          known = joined.end() - 1;
        }
        const double of_all = recorded_ns_[i] / all_ns_;
        known->run_share += of_all * path.run_share;
        known->least_share += of_all * path.least_share;
        known->most_share += of_all * path.most_share;
        known->own_share += of_all * path.own_share;
      }
    }
    return joined;
  }

  const std::span<const ReplayResult> stretches_;
  std::vector<double> recorded_ns_;  // by stretch
  double all_ns_ = 0;
  double variance_of_pace_ = 0;
};

}  // namespace

std::vector<ReplayedStretch> StretchesToReplay(const Timeline& whole, uint64_t most_steps) {
  const uint64_t length_ns = whole.end_ns() - whole.start_ns();
  const double share = static_cast<double>(most_steps) / std::max(1.0, StepsAbout(whole));
  if (share >= 1 || length_ns < kStretchesReplayed) return {};
  const uint64_t every_ns = length_ns / kStretchesReplayed;
  const auto its_ns = static_cast<uint64_t>(share * static_cast<double>(every_ns));
  std::vector<ReplayedStretch> stretches;
  for (uint64_t i = 0; i < kStretchesReplayed; ++i) {
    const uint64_t from_ns = whole.start_ns() + i * every_ns + (every_ns - its_ns) / 2;
    stretches.push_back({from_ns, from_ns + its_ns});
  }
  return stretches;
}

ReplayResult JoinStretches(std::span<const ReplayResult> stretches, const Changes& changes) {
  return StretchJoiner(stretches).Join(changes);
}

}  // namespace gordian
