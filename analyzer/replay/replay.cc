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
constexpr double kClearlyBetter = 0.02;
constexpr double kCloseEnoughToRecorded = 0.05;

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

    SettleRivals(recorded_ns, result);
    Variation unchanged{.cpus = score_.cpus};
    Variation changed = VariationOf(score_, options_.changes, vertices_);
    FillIn(result.wait_alone, Time(changed, result), fixed_ns_, recorded_ns);

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
  bool IsCandidate(EntityId entity) const {
    return options_.candidates.empty() ||
           std::find(options_.candidates.begin(), options_.candidates.end(), vertices_[entity]) !=
               options_.candidates.end();
  }

  // Who came first at the CPUs, the program or others, is not recorded (niceness, weights of
  // groups), and those others may do as much in less time or take their time. Of three ways to see
  // them the first counts, unless a later one reproduces the recording clearly better:
  // - others are no part of the replay, but what the program's threads lost as they were ready to
  //   run is: after each wake as long as on average, and each run stretched;
  // - the program comes first, others get what is left over (kernel threads keep their place);
  // - all are alike.
  void SettleRivals(double recorded_ns, ReplayResult& result) {
    const std::vector<EntityId> others = Others();
    if (!others.empty()) {
      const std::vector<CpuClass> classes = score_.cpu_class;
      const std::vector<uint64_t> latencies_ns = score_.wake_latency_ns;
      const auto miss = [&] { return std::abs(std::log(fixed_ns_ / recorded_ns)); };
      Rivals best;
      double least_miss = kMostGain;
      // What is lost to others cannot stay as it was if there are other CPUs.
      if (options_.changes.cpus == 0) {
        SetApart(others);
        fixed_ns_ = SpanOf({.cpus = score_.cpus}, result);
        if (miss() <= kCloseEnoughToRecorded) return;
        best = {score_.cpu_class, score_.wake_latency_ns, score_.stretch, fixed_ns_};
        least_miss = miss();
      }
      score_.wake_latency_ns = latencies_ns;
      score_.stretch.clear();
      for (const bool first : {true, false}) {
        score_.cpu_class = classes;
        for (const EntityId other : others) {
          if (first) score_.cpu_class[other] = CpuClass::kLeftOver;
        }
        fixed_ns_ = SpanOf({.cpus = score_.cpus}, result);
        if (miss() + kClearlyBetter > least_miss) continue;
        least_miss = miss();
        best = {score_.cpu_class, score_.wake_latency_ns, score_.stretch, fixed_ns_};
      }
      score_.cpu_class = std::move(best.classes);
      score_.wake_latency_ns = std::move(best.latencies_ns);
      score_.stretch = std::move(best.stretch);
      fixed_ns_ = best.span_ns;
      return;
    }
    fixed_ns_ = SpanOf({.cpus = score_.cpus}, result);
  }
  std::vector<EntityId> Others() const {
    std::vector<EntityId> others;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (!IsCandidate(thread) && !timeline_.entities()[thread].kernel_thread)
        others.push_back(thread);
    }
    return others;
  }
  void SetApart(std::span<const EntityId> others) {
    score_.stretch.assign(score_.threads(), 1);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      score_.wake_latency_ns[thread] = score_.readiness[thread].after_wake_ns;
      score_.stretch[thread] = score_.readiness[thread].stretch;
    }
    // They are never late: when they want the CPU they are no part of what is asked.
    for (const EntityId other : others) {
      score_.cpu_class[other] = CpuClass::kApart;
      score_.wake_latency_ns[other] = 0;
      score_.stretch[other] = 1;
    }
  }

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
      keep[thread] = IsCandidate(thread) ? 1 : 0;
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

  struct Rivals {
    std::vector<CpuClass> classes;
    std::vector<uint64_t> latencies_ns;
    std::vector<double> stretch;
    double span_ns = 1;
  };

  const Timeline& timeline_;
  const std::span<const uint32_t> vertices_;
  const ReplayOptions& options_;
  Score score_;
  uint32_t first_mark_ = 0, last_mark_ = 0;
  double fixed_ns_ = 1;  // with nothing changed, order as recorded
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
