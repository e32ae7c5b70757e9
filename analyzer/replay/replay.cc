#include "analyzer/replay/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/replay/added_threads.h"
#include "analyzer/replay/changed_score.h"
#include "analyzer/replay/changes.h"
#include "analyzer/replay/false_wakeups_gone.h"
#include "analyzer/replay/next_limit.h"
#include "analyzer/replay/rivals.h"
#include "analyzer/replay/score.h"
#include "analyzer/replay/simulation.h"

namespace gordian {
namespace {

constexpr double kNsPerSecond = 1e9;
// Marks are counted between these shares of them.
constexpr double kFirstShare = 0.02, kLastShare = 0.98;
// Pauses keep pace with the gain that they bring about: so many replays at most find it.
constexpr int kMostRounds = 6;
constexpr double kCloseEnough = 0.01;
constexpr double kMostGain = 1000;
constexpr double kSamePath = 0.01;
constexpr double kOutsideMatters = 0.02;
// Of a kernel's timers for ordinary threads, if nobody has asked for less.
constexpr uint64_t kTimerSlackNs = 50'000;
// Of Student's distribution for eight parts: beyond it lies one of twenty.
constexpr double kStudent = 2.36;
constexpr double kMostChance = 1;  // what varies more has no rate at all

// Logarithms of the parts' lengths.
using Parts = std::array<double, kParts>;

Parts PartsOf(const std::array<uint64_t, kParts + 1>& cut_ns) {
  Parts parts{};
  for (size_t i = 0; i < kParts; ++i)
    parts.at(i) = std::log(std::max(1.0, static_cast<double>(cut_ns.at(i + 1) - cut_ns.at(i))));
  return parts;
}

Parts Difference(const Parts& a, const Parts& b) {
  Parts parts{};
  for (size_t i = 0; i < kParts; ++i) parts.at(i) = a.at(i) - b.at(i);
  return parts;
}

double SquaredErrorOfMean(const Parts& parts) {
  double sum = 0, squares = 0;
  for (const double part : parts) sum += part;
  for (const double part : parts) squares += (part - sum / kParts) * (part - sum / kParts);
  return squares / (kParts - 1) / kParts;
}

// A replay with nothing changed, that readings are compared with.
struct Unchanged {
  double span_ns = 1;
  Parts parts{};
};

class Replayer {
 public:
  Replayer(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
           const ReplayOptions& options)
      : timeline_(timeline), vertices_(vertex_of_entity), options_(options) {
    std::vector<uint32_t> pollers;
    for (const TimerChange& change : options.changes.timers) pollers.push_back(change.vertex);
    const std::vector<uint8_t> is_other = IsOther();
    score_ = BuildScore(timeline, vertices_, options.marks, pollers, is_other);
    const double last = std::max(1.0, static_cast<double>(score_.marks)) - 1;
    first_mark_ = static_cast<uint32_t>(std::ceil(kFirstShare * last));
    last_mark_ = static_cast<uint32_t>(std::floor(kLastShare * last));
    TimeRecording();
    SettleRivals(score_, is_other, options.changes.cpus == 0, [this] {
      return std::abs(std::log(Span(Time(score_, {.cpus = score_.cpus})) / recorded_ns_));
    });
  }

  ReplayResult Run() {
    result_.marks = score_.marks;
    result_.steps = score_.steps.size();
    result_.recorded_rate = (last_mark_ - first_mark_) * kNsPerSecond / recorded_ns_;
    ReadWaitAlone();
    ReadWithPaths();
    result_.unexplained = Unexplained();
    SetInterval();
    return std::move(result_);
  }

 private:
  bool IsCandidate(EntityId entity) const {
    return options_.candidates.empty() ||
           std::find(options_.candidates.begin(), options_.candidates.end(), vertices_[entity]) !=
               options_.candidates.end();
  }
  // By thread; without candidates nobody is.
  std::vector<uint8_t> IsOther() const {
    std::vector<uint8_t> is_other(timeline_.thread_count());
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread)
      is_other[thread] = !IsCandidate(thread) && !timeline_.entities()[thread].kernel_thread;
    return is_other;
  }

  void TimeRecording() {
    std::vector<uint64_t> times;
    times.reserve(options_.marks.size());
    for (const ProgressMark& mark : options_.marks) {
      if (mark.thread < timeline_.thread_count()) times.push_back(mark.time_ns);
    }
    std::sort(times.begin(), times.end());
    std::array<uint64_t, kParts + 1> cut_ns{};
    for (size_t i = 0; i <= kParts; ++i) cut_ns.at(i) = times[CutMark(first_mark_, last_mark_, i)];
    recorded_ns_ = std::max(1.0, static_cast<double>(cut_ns.back() - cut_ns.front()));
    recorded_parts_ = PartsOf(cut_ns);
  }

  void ReadWaitAlone() {
    const Unchanged unchanged = TimeUnchanged(/*order_free=*/false);
    const Score score =
        ChangedScore(score_, options_.changes, {}, UnseenHolds::kWhileAwaited, vertices_);
    Variation changed = VariationOf(score, options_.changes, vertices_);
    changed.sleeps_late_ns = kTimerSlackNs;
    result_.wait_alone = ReadingOf(score, Time(score, changed), unchanged);
  }

  void ReadWithPaths() {
    const Unchanged unchanged = TimeUnchanged(/*order_free=*/true);
    const Variation changed = VariationOf(score_, options_.changes, vertices_);
    std::vector<Path> likely = PathsOf(score_, changed, options_.paths, vertices_);
    AddWakePaths(likely);
    // Others than the candidates keep their ways, but for the kernel threads between.
    std::erase_if(likely, [this](const Path& path) {
      return !options_.candidates.empty() && !path.kernel_relay &&
             std::find(options_.candidates.begin(), options_.candidates.end(), path.vertex) ==
                 options_.candidates.end();
    });
    result_.with_path = ReadWithPath(likely, unchanged);
    for (const double Path::*share : {&Path::least_share, &Path::most_share}) {
      std::vector<Path> other = likely;
      double difference = 0;
      for (Path& path : other) {
        difference = std::max(difference, std::abs(path.*share - path.run_share));
        path.run_share = path.*share;
      }
      if (difference >= kSamePath) result_.other_paths.push_back(ReadWithPath(other, unchanged));
    }
    result_.paths = std::move(likely);
  }

  void AddWakePaths(std::vector<Path>& paths) const {
    const size_t count =
        std::min(options_.wake_paths.size(), options_.changes.no_false_wakeups.size());
    for (size_t i = 0; i < count; ++i) {
      const WithoutFalseWakeups without =
          TakeOutFalseWakeups(score_, options_.changes.no_false_wakeups[i], vertices_);
      const double gone = static_cast<double>(without.gone) /
                          static_cast<double>(std::max<uint64_t>(1, without.wakes));
      for (Path path : options_.wake_paths[i]) {
        for (double* share : {&path.run_share, &path.least_share, &path.most_share}) *share *= gone;
        paths.push_back(path);
      }
    }
  }

  Reading ReadWithPath(std::span<const Path> paths, const Unchanged& unchanged) {
    const Score score =
        ChangedScore(score_, options_.changes, paths, UnseenHolds::kAsUsual, vertices_);
    Variation changed = VariationOf(score, options_.changes, vertices_);
    RemovePaths(score, paths, vertices_, changed);
    changed.order_free = true;
    changed.keeps_pace = KeepPace(score);
    return ReadingOf(score, TimeKeepingPace(score, changed, unchanged.span_ns), unchanged);
  }

  // Other programs' pauses are their own.
  std::vector<uint8_t> KeepPace(const Score& score) const {
    std::vector<uint8_t> keep(score.threads());
    for (EntityId thread = 0; thread < score.threads(); ++thread)
      keep[thread] = score.like[thread] == kNobody || IsCandidate(score.like[thread]) ? 1 : 0;
    return keep;
  }

  static double Span(const Outcome& outcome) {
    return std::max(1.0, static_cast<double>(outcome.cut_ns.back() - outcome.cut_ns.front()));
  }

  Outcome Time(const Score& score, const Variation& variation) {
    Outcome outcome = Simulate(score, variation, first_mark_, last_mark_);
    result_.forced_steps = std::max(result_.forced_steps, outcome.forced_steps);
    return outcome;
  }
  Unchanged TimeUnchanged(bool order_free) {
    const Score score =
        UnchangedScore(score_, options_.changes,
                       order_free ? UnseenHolds::kAsUsual : UnseenHolds::kWhileAwaited, vertices_);
    const Outcome outcome = Time(score, {.cpus = score_.cpus, .order_free = order_free});
    return {.span_ns = Span(outcome), .parts = PartsOf(outcome.cut_ns)};
  }

  // With pauses as much shorter as the whole is. Each round starts from the gain of the one before.
  Outcome TimeKeepingPace(const Score& score, Variation& changed, double unchanged_ns) {
    double gain = 1;
    Outcome outcome;
    for (int round = 0; round < kMostRounds; ++round) {
      outcome = Time(score, changed);
      const double reached = unchanged_ns / Span(outcome);
      if (std::abs(reached - gain) <= kCloseEnough * gain) break;
      gain = reached;
      changed.outside_factor = 1 / gain;
    }
    return outcome;
  }

  Reading ReadingOf(const Score& score, const Outcome& outcome, const Unchanged& unchanged) const {
    Reading reading;
    reading.gain = std::min(kMostGain, unchanged.span_ns / Span(outcome));
    reading.seconds = recorded_ns_ / kNsPerSecond / reading.gain;
    reading.self_check = recorded_ns_ / unchanged.span_ns - 1;
    const Parts gains = Difference(unchanged.parts, PartsOf(outcome.cut_ns));
    reading.chance = std::min(
        kMostChance,
        kStudent * std::sqrt(SquaredErrorOfMean(gains) + SquaredErrorOfMean(recorded_parts_)));
    reading.next = FindNextLimit(score, outcome, options_, timeline_, vertices_);
    return reading;
  }

  void SetInterval() {
    double least = result_.wait_alone.gain, most = least;
    result_.low = result_.high = least;
    const auto widen = [&](const Reading& reading) {
      least = std::min(least, reading.gain);
      most = std::max(most, reading.gain);
      const double off =
          std::exp(reading.chance) * std::max(1 + reading.self_check, 1 / (1 + reading.self_check));
      result_.low = std::min(result_.low, reading.gain / off);
      result_.high = std::max(result_.high, reading.gain * off);
    };
    widen(result_.wait_alone);
    widen(result_.with_path);
    for (const Reading& reading : result_.other_paths) widen(reading);
    result_.expected = std::sqrt(least * most);
    // Whoever waits for what nobody explains may wait for work, of which there is no more.
    for (const AddedThreads& added : options_.changes.added_threads) {
      if (ShareOutside(score_, added.vertex, vertices_) > kOutsideMatters)
        result_.low = std::min(result_.low, 1.0);
    }
  }

  // Of the lives of the threads that make the progress.
  double Unexplained() const {
    std::vector<uint8_t> makes_progress(score_.threads());
    for (const ProgressMark& mark : options_.marks) {
      if (mark.thread < score_.threads()) makes_progress[mark.thread] = 1;
    }
    double unexplained_ns = 0, life_ns = 0;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (makes_progress[thread] == 0) continue;
      const Entity& entity = timeline_.entities()[thread];
      life_ns += static_cast<double>(entity.end_ns - entity.begin_ns);
      for (const Step& step : score_.StepsOf(thread)) {
        if (step.kind == StepKind::kPause && !step.by_timer)
          unexplained_ns += static_cast<double>(step.duration_ns);
      }
    }
    return life_ns > 0 ? unexplained_ns / life_ns : 0;
  }

  const Timeline& timeline_;
  const std::span<const uint32_t> vertices_;
  const ReplayOptions& options_;
  Score score_;
  uint32_t first_mark_ = 0, last_mark_ = 0;
  double recorded_ns_ = 1;
  Parts recorded_parts_{};
  ReplayResult result_;
};

}  // namespace

double ReplayResult::self_check() const {
  return std::max(std::abs(wait_alone.self_check), std::abs(with_path.self_check));
}

absl::StatusOr<ReplayResult> ReplayTimeline(const Timeline& timeline,
                                            std::span<const uint32_t> vertex_of_entity,
                                            const ReplayOptions& options) {
  const auto marks = std::count_if(
      options.marks.begin(), options.marks.end(),
      [&](const ProgressMark& mark) { return mark.thread < timeline.thread_count(); });
  if (marks < static_cast<int64_t>(kFewestMarks))
    return absl::FailedPreconditionError(
        absl::StrCat("the recording holds only ", marks,
                     " events of that progress, too few for a rate; record longer, or choose "
                     "another --progress"));
  return Replayer(timeline, vertex_of_entity, options).Run();
}

}  // namespace gordian
