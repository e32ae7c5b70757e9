#include "analyzer/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/replay/changes.h"
#include "analyzer/replay/next_limit.h"
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

class Replayer {
 public:
  Replayer(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
           const ReplayOptions& options)
      : timeline_(timeline), vertices_(vertex_of_entity), options_(options) {
    std::vector<uint32_t> pollers;
    for (const TimerChange& change : options.changes.timers) pollers.push_back(change.vertex);
    score_ = BuildScore(timeline, vertices_, options.marks, pollers);
    const double last = std::max(1.0, static_cast<double>(score_.marks)) - 1;
    first_mark_ = static_cast<uint32_t>(std::ceil(kFirstShare * last));
    last_mark_ = static_cast<uint32_t>(std::floor(kLastShare * last));
  }

  ReplayResult Run() {
    ReplayResult result;
    result.marks = score_.marks;
    result.steps = score_.steps.size();
    const double recorded_ns = RecordedSpan();
    result.recorded_rate = (last_mark_ - first_mark_) * kNsPerSecond / recorded_ns;

    Variation unchanged{.cpus = score_.cpus};
    Variation changed = VariationOf(score_, options_.changes, vertices_);
    const double fixed_ns = SpanOf(unchanged, result);
    FillIn(result.wait_alone, Time(changed, result), fixed_ns, recorded_ns);

    result.paths = PathsOf(score_, changed, options_.paths, vertices_);
    // Others than the candidates keep their ways, but for the kernel threads between.
    std::erase_if(result.paths, [this](const Path& path) {
      return !options_.candidates.empty() && !path.kernel_relay &&
             std::find(options_.candidates.begin(), options_.candidates.end(), path.vertex) ==
                 options_.candidates.end();
    });
    RemovePaths(score_, result.paths, vertices_, changed);
    unchanged.order_free = changed.order_free = true;
    changed.keeps_pace = KeepPace();
    const double free_ns = SpanOf(unchanged, result);
    FillIn(result.with_path, TimeKeepingPace(changed, free_ns, result), free_ns, recorded_ns);
    result.unexplained = Unexplained();
    return result;
  }

 private:
  double RecordedSpan() const {
    std::vector<uint64_t> times;
    times.reserve(options_.marks.size());
    for (const ProgressMark& mark : options_.marks) {
      if (mark.thread < timeline_.thread_count()) times.push_back(mark.time_ns);
    }
    std::sort(times.begin(), times.end());
    return std::max(1.0, static_cast<double>(times[last_mark_] - times[first_mark_]));
  }

  // Other programs' pauses are their own.
  std::vector<uint8_t> KeepPace() const {
    if (options_.candidates.empty()) return {};
    std::vector<uint8_t> keep(score_.threads());
    for (EntityId thread = 0; thread < score_.threads(); ++thread)
      keep[thread] =
          std::count(options_.candidates.begin(), options_.candidates.end(), vertices_[thread]) > 0
              ? 1
              : 0;
    return keep;
  }

  static double Span(const Outcome& outcome) {
    return std::max(1.0, static_cast<double>(outcome.last_mark_ns - outcome.first_mark_ns));
  }

  Outcome Time(const Variation& variation, ReplayResult& result) const {
    Outcome outcome = Simulate(score_, variation, first_mark_, last_mark_);
    result.forced_steps = std::max(result.forced_steps, outcome.forced_steps);
    return outcome;
  }
  double SpanOf(const Variation& variation, ReplayResult& result) const {
    return Span(Time(variation, result));
  }

  // With pauses as much shorter as the whole is. Each round starts from the gain of the one before.
  Outcome TimeKeepingPace(Variation& changed, double unchanged_ns, ReplayResult& result) const {
    double gain = 1;
    Outcome outcome;
    for (int round = 0; round < kMostRounds; ++round) {
      outcome = Time(changed, result);
      const double reached = unchanged_ns / Span(outcome);
      if (std::abs(reached - gain) <= kCloseEnough * gain) break;
      gain = reached;
      changed.outside_factor = 1 / gain;
    }
    return outcome;
  }

  void FillIn(Reading& reading, const Outcome& outcome, double unchanged_ns,
              double recorded_ns) const {
    reading.gain = std::min(kMostGain, unchanged_ns / Span(outcome));
    reading.seconds = recorded_ns / kNsPerSecond / reading.gain;
    reading.self_check = recorded_ns / unchanged_ns - 1;
    reading.next = FindNextLimit(score_, outcome, options_, timeline_, vertices_);
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
};

}  // namespace

double ReplayResult::low() const { return std::min(wait_alone.gain, with_path.gain); }
double ReplayResult::high() const { return std::max(wait_alone.gain, with_path.gain); }
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
