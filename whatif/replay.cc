#include "whatif/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "whatif/changed_score.h"
#include "whatif/changes.h"
#include "whatif/false_wakeups_gone.h"
#include "whatif/interval.h"
#include "whatif/more_at_once.h"
#include "whatif/next_limit.h"
#include "whatif/part_times.h"
#include "whatif/prepared_replays.h"
#include "whatif/rivals.h"
#include "whatif/score.h"
#include "whatif/simulation.h"
#include "whatif/sleep_savings.h"

namespace gordian {
namespace {

// Marks are counted between these shares of them.
constexpr double kFirstShare = 0.02, kLastShare = 0.98;
// Pauses keep pace with the gain that they bring about: so many replays at most find it.
constexpr int kMostRounds = 6;
constexpr double kCloseEnough = 0.01;
constexpr double kMostGain = 1000;
constexpr double kSamePath = 0.01;
// Of a kernel's timers for ordinary threads, if nobody has asked for less.
constexpr uint64_t kTimerSlackNs = 50'000;
// Of Student's distribution for eight parts: beyond it lies one of twenty.
constexpr double kStudent = 2.36;
constexpr double kMostChance = 1;  // what varies more has no rate at all

class Replayer {
 public:
  Replayer(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
           const ReplayOptions& options, PreparedReplays* prepared)
      : timeline_(timeline), vertices_(vertex_of_entity), options_(options), prepared_(prepared) {
    std::vector<uint32_t> pollers;
    for (const TimerChange& change : options.changes.timers) pollers.push_back(change.vertex);
    std::vector<uint8_t> is_other = IsOther();
    // Who brings the requests, or works for them, is part of what changes.
    for (const MoreAtOnce& more : options.changes.more_at_once) {
      const std::vector<uint8_t> together =
          ThreadsTogether(BuildScore(timeline, vertices_, options.marks, pollers, is_other),
                          more.vertex, vertices_);
      for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
        if (together[thread] != 0) is_other[thread] = 0;
    }
    const bool is_settled = UsesPrepared() && prepared_->score.has_value();
    score_ = is_settled ? *prepared_->score
                        : BuildScore(timeline, vertices_, options.marks, pollers, is_other);
    const double last = std::max(1.0, static_cast<double>(score_.marks)) - 1;
    first_mark_ = static_cast<uint32_t>(std::ceil(kFirstShare * last));
    last_mark_ = static_cast<uint32_t>(std::floor(kLastShare * last));
    TimeRecording();
    if (is_settled) {
      result_.forced_steps = prepared_->forced_steps;
      return;
    }
    SettleRivals(score_, is_other, options.changes.cpus == 0, [this] {
      return std::abs(std::log(Span(Time(score_, {.cpus = score_.cpus})) / recorded_ns_));
    });
    if (!UsesPrepared()) return;
    prepared_->score = score_;
    prepared_->forced_steps = result_.forced_steps;
  }

  ReplayResult Run() {
    result_.marks = score_.marks;
    result_.steps = score_.steps.size();
    result_.recorded_rate =
        static_cast<double>(last_mark_ - first_mark_) * kNsPerSecond / recorded_ns_;
    if (options_.changes.more_at_once.empty()) {
      ReadWaitAlone();
      ReadWithPaths();
    } else {
      ReadMoreAtOnce(options_.changes.more_at_once.front());
    }
    result_.unexplained = Unexplained(score_, timeline_, options_.marks);
    SetInterval(score_, options_.changes, vertices_, result_);
    return std::move(result_);
  }

 private:
  // Sleepers that hand on work, and other CPUs, make another score.
  bool UsesPrepared() const {
    return prepared_ != nullptr && options_.changes.timers.empty() && options_.changes.cpus == 0 &&
           options_.changes.more_at_once.empty();
  }

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
    changed.kind = Kinds(score);
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

  // Alone: only what the scheduler has no more to do is saved. At most, whole calls are, and who
  // finds several requests answers them together.
  void ReadMoreAtOnce(const MoreAtOnce& more) {
    AtOnce at_once = {
        .score = PlayStretchesAtOnce(
            score_, more, WaitsInLoops(options_.loops, /*unless_known=*/false), vertices_),
        .costs = CostsOf(ThreadsTogether(score_, more.vertex, vertices_)),
        .most =
            more.more_threads ? kMostGain : MostOfSoManyThreads(score_, more.vertex, vertices_)};
    result_.wait_alone = ReadAtOnce(at_once, TimeUnchanged(/*order_free=*/false));
    at_once.score = PlayStretchesAtOnce(
        score_, more, WaitsInLoops(options_.loops, /*unless_known=*/true), vertices_);
    at_once.order_free = true;
    const Unchanged unchanged = TimeUnchanged(/*order_free=*/true);
    at_once.saved = &SleepCost::call_share;
    result_.with_path = ReadAtOnce(at_once, unchanged);
    at_once.in_batches = true;
    result_.other_paths.push_back(ReadAtOnce(at_once, unchanged));
  }

  struct AtOnce {
    Score score;
    std::vector<SleepCost> costs;  // of those whose requests become more
    double most = 1;
    double SleepCost::*saved = &SleepCost::switch_share;
    bool order_free = false;
    bool in_batches = false;
  };
  std::vector<SleepCost> CostsOf(const std::vector<uint8_t>& threads) const {
    std::vector<SleepCost> costs = options_.sleep_costs;
    std::erase_if(costs, [&](const SleepCost& cost) {
      for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread)
        if (threads[thread] != 0 && vertices_[thread] == cost.vertex) return false;
      return true;
    });
    return costs;
  }

  // What is saved is found in a few rounds, as threads that save time sleep more. Stretches differ:
  // the rate is that until the first of them is over, as then fewer requests are under way.
  Reading ReadAtOnce(const AtOnce& at_once, const Unchanged& unchanged) {
    Variation changed = VariationOf(at_once.score, options_.changes, vertices_);
    changed.order_free = at_once.order_free;
    changed.in_batches = at_once.in_batches;
    const std::vector<double> asked_for = changed.run_factor;
    const uint32_t last_mark = last_mark_;
    std::map<uint32_t, double> saved;
    Reading reading;
    for (int round = 0; round < kMostRounds; ++round) {
      changed.run_factor = RunFactors(at_once.score, saved, vertices_);
      for (size_t thread = 0; thread < asked_for.size(); ++thread)
        changed.run_factor[thread] *= asked_for[thread];
      const double before = reading.gain;
      last_mark_ = last_mark;
      Outcome outcome = Time(at_once.score, changed);
      const auto sleeps = SleepsByVertex(at_once.score, outcome, vertices_);
      if (outcome.marks_at_first_end > first_mark_ + kParts) {
        last_mark_ = std::min(last_mark, outcome.marks_at_first_end - 1);
        outcome = Time(at_once.score, changed);
      }
      Unchanged as_many = unchanged;
      as_many.span_ns *= static_cast<double>(last_mark_ - first_mark_) / (last_mark - first_mark_);
      reading = ReadingOf(at_once.score, outcome, as_many);
      reading.self_check = recorded_ns_ / unchanged.span_ns - 1;
      if (round > 0 && std::abs(reading.gain - before) <= kCloseEnough * before) break;
      saved = SavedShares(at_once.costs, at_once.saved, CountWakes(score_, vertices_),
                          unchanged.sleeps, sleeps);
    }
    last_mark_ = last_mark;
    reading.gain = std::min(reading.gain, at_once.most);
    reading.seconds = recorded_ns_ / kNsPerSecond / reading.gain;
    result_.paths.clear();
    for (const auto& [vertex, share] : saved)
      result_.paths.push_back({.vertex = vertex, .run_share = share});
    return reading;
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
    changed.kind = Kinds(score);
    changed.keeps_pace = KeepPace(score);
    return ReadingOf(score, TimeKeepingPace(score, changed, unchanged.span_ns), unchanged);
  }

  // Alike threads share what is left, if not already all of the work.
  std::vector<uint32_t> Kinds(const Score& score) const {
    std::vector<uint32_t> kinds;
    for (EntityId thread = 0; score.pools.empty() && thread < score.threads(); ++thread)
      kinds.push_back(score.VertexOf(thread, vertices_));
    return kinds;
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
    if (prepared_ != nullptr) {
      prepared_->replayed_steps += score.steps.size();
      prepared_->on_replay();
    }
    result_.forced_steps = std::max(result_.forced_steps, outcome.forced_steps);
    return outcome;
  }
  // Locks and pools that change are seen as such in the unchanged replay, too: then it is their
  // own.
  Outcome TimeUnchangedOnce(const Score& score, bool order_free) {
    const bool is_shared =
        UsesPrepared() && options_.changes.splits.empty() && options_.changes.added_threads.empty();
    const size_t which = order_free ? 1 : 0;
    if (is_shared && prepared_->unchanged.at(which)) {
      const Outcome& known = *prepared_->unchanged.at(which);
      result_.forced_steps = std::max(result_.forced_steps, known.forced_steps);
      return known;
    }
    Outcome outcome = Time(score, {.cpus = score_.cpus, .order_free = order_free});
    if (is_shared) prepared_->unchanged.at(which) = outcome;
    return outcome;
  }
  Unchanged TimeUnchanged(bool order_free) {
    const Score score =
        UnchangedScore(score_, options_.changes,
                       order_free ? UnseenHolds::kAsUsual : UnseenHolds::kWhileAwaited, vertices_);
    const Outcome outcome = TimeUnchangedOnce(score, order_free);
    return {.span_ns = Span(outcome),
            .parts = PartsOf(outcome.cut_ns),
            .sleeps = SleepsByVertex(score, outcome, vertices_)};
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

  const Timeline& timeline_;
  const std::span<const uint32_t> vertices_;
  const ReplayOptions& options_;
  PreparedReplays* const prepared_;  // null: nothing is shared
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

namespace {

absl::Status EnoughMarks(const Timeline& timeline, const ReplayOptions& options) {
  const auto marks = std::count_if(
      options.marks.begin(), options.marks.end(),
      [&](const ProgressMark& mark) { return mark.thread < timeline.thread_count(); });
  if (marks < static_cast<int64_t>(kFewestMarks))
    return absl::FailedPreconditionError(
        absl::StrCat("the recording holds only ", marks,
                     " events of that progress, too few for a rate; record longer, or choose "
                     "another --progress"));
  for (const MoreAtOnce& more : options.changes.more_at_once) {
    if (marks < static_cast<int64_t>(kFewestMarks * more.times))
      return absl::FailedPreconditionError(absl::StrCat(
          "the recording holds only ", marks, " events of that progress, too few to be cut into ",
          more.times, " stretches; record longer, or choose another --progress"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ReplayResult> ReplayTimeline(const Timeline& timeline,
                                            std::span<const uint32_t> vertex_of_entity,
                                            const ReplayOptions& options,
                                            PreparedReplays* prepared) {
  if (absl::Status status = EnoughMarks(timeline, options); !status.ok()) return status;
  return Replayer(timeline, vertex_of_entity, options, prepared).Run();
}

void PrepareReplays(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                    const ReplayOptions& options, PreparedReplays& prepared) {
  if (!EnoughMarks(timeline, options).ok()) return;
  const Replayer fills_it(timeline, vertex_of_entity, options, &prepared);
}

}  // namespace gordian
