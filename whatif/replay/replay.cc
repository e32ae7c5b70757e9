// SPDX-License-Identifier: Apache-2.0
#include "whatif/replay/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "whatif/replay/interval.h"
#include "whatif/replay/more_at_once_readings.h"
#include "whatif/replay/thresholds.h"
#include "whatif/replay/timed_replays.h"

namespace gordian {
namespace {

// Of two paths of a vertex the first is that of its removed waits.
CarriedShares CarriedBy(std::span<const Path> paths) {
  CarriedShares carried;
  for (const Path& path : paths)
    carried.emplace(path.vertex, std::clamp(std::min(path.run_share, path.least_share), 0.0, 1.0));
  return carried;
}

// The readings of all changes but more requests at a time.
class Replayer {
 public:
  Replayer(std::span<const uint32_t> vertex_of_entity, const ReplayOptions& options,
           TimedReplays& replays)
      : vertices_(vertex_of_entity),
        options_(options),
        replays_(replays),
        score_(replays.score()),
        divided_(DividedScore()) {}

  // Whether added threads divide a work between them that no other thread asks for in pieces.
  bool divides_work() const { return divided_.has_value(); }
  bool divides_in_rounds() const { return divided_ && divided_->in_rounds; }

  // … then an added thread finds nothing to do here.
  Reading ReadWaitAlone() {
    const Unchanged unchanged = replays_.PlayUnchanged(/*order_free=*/false);
    if (divides_work())
      return replays_.ReadingOf(score_, replays_.Play(score_, {.cpus = score_.cpus}), unchanged);
    const std::optional<Score> edited = EditedScore({});
    const Score& score = edited ? *edited : score_;
    Variation changed = VariationOf(score, options_.changes, vertices_);
    changed.kind = Kinds(score);
    LetQuotasFollowRuns(score_, score, options_.quota_groups, vertices_, changed);
    changed.sleeps_late_ns = kTimerSlackNs;
    changed.kept_wake_ns = replays_.wake_cost_ns();
    changed.kept_sleep_ns = replays_.sleep_cost_ns();
    return replays_.ReadingOf(score, replays_.Play(score, changed), unchanged);
  }

  void ReadWithPaths(ReplayResult& result) {
    const Unchanged unchanged = replays_.PlayUnchanged(/*order_free=*/true);
    std::vector<Path> likely = LikelyPaths();
    result.with_path = ReadWithPath(likely, unchanged, {.meets_less = true});
    for (const double Path::*share : {&Path::least_share, &Path::most_share}) {
      std::vector<Path> other = likely;
      double difference = 0;
      for (Path& path : other) {
        difference = std::max(difference, std::abs(path.*share - path.run_share));
        path.run_share = path.*share;
      }
      const View view = {.meets_less = share == &Path::most_share};
      if (difference >= kSamePath)
        result.other_paths.push_back(ReadWithPath(other, unchanged, view));
      else if (options_.is_stretch)
        result.other_paths.push_back(result.with_path);
    }
    if (AsksSeveralAtOnce() || options_.is_stretch) {
      result.other_paths.push_back(AsksSeveralAtOnce()
                                       ? ReadWithPath(likely, unchanged, {.serves_helpers = true})
                                       : result.with_path);
      result.other_paths.back().serves_helpers = true;
    }
    result.paths = std::move(likely);
  }

 private:
  static constexpr uint32_t kAlone = 0xfffffffe;  // no vertex

  // Vertices other than the candidates keep their ways, except the kernel threads between.
  std::vector<Path> LikelyPaths() const {
    std::vector<Path> likely = PathsOf(score_, VariationOf(score_, options_.changes, vertices_),
                                       options_.paths, vertices_);
    LeaveWhatStays(likely);
    AddWakePaths(likely);
    const std::vector<uint32_t>& candidates = options_.candidates;
    std::erase_if(likely, [&](const Path& path) {
      return !candidates.empty() && !path.kernel_relay &&
             std::find(candidates.begin(), candidates.end(), path.vertex) == candidates.end();
    });
    return likely;
  }

  // Operations of which one in so many stays keep that much of their path.
  void LeaveWhatStays(std::vector<Path>& paths) const {
    for (Path& path : paths) {
      double gone = 1;
      for (const WaitChange& wait : options_.changes.waits) {
        if (path.vertex == wait.from || path.kernel_relay) gone = std::min(gone, wait.ShareGone());
      }
      for (double* share : {&path.run_share, &path.least_share, &path.most_share}) *share *= gone;
      for (Path::Waits& waits : path.waits) waits.share *= gone;
    }
  }

  // Of the waits that this vertex' threads end, those of `woken`.
  double ShareOfWakes(uint32_t waker, uint32_t woken) const {
    double all = 0, of_woken = 0;
    for (const HandOverPair& pair : score_.pairs) {
      if (score_.VertexOf(pair.waker, vertices_) != waker) continue;
      all += pair.count;
      if (score_.VertexOf(pair.waiter, vertices_) == woken) of_woken += pair.count;
    }
    return all > 0 ? of_woken / all : 0;
  }

  void AddWakePaths(std::vector<Path>& paths) const {
    const std::vector<uint32_t>& woken = options_.changes.no_false_wakeups;
    for (size_t i = 0; i < std::min(options_.wake_paths.size(), woken.size()); ++i) {
      const double gone = TakeOutFalseWakeups(score_, woken[i], vertices_).ShareGone();
      for (Path path : options_.wake_paths[i]) {
        const double less = path.of_all_wakes ? gone * ShareOfWakes(path.vertex, woken[i]) : gone;
        if (less == 0) continue;
        for (double* share : {&path.run_share, &path.least_share, &path.most_share}) *share *= less;
        paths.push_back(path);
      }
    }
  }

  std::optional<DividedWork> DividedScore() const {
    Changes others = options_.changes;
    const std::vector<AddedThreads> added = std::exchange(others.added_threads, {});
    std::optional<DividedWork> divided;
    for (const AddedThreads& more : added) {
      if (divided && divided->in_rounds) return std::nullopt;  // rounds are ranges of its steps
      std::optional<DividedWork> next =
          DivideWork(divided ? divided->score : score_, more, vertices_);
      if (!next) return std::nullopt;
      divided = std::move(next);
    }
    // … and so no other change may edit these.
    const bool is_edited =
        !others.waits.empty() || !others.no_false_wakeups.empty() || !others.splits.empty();
    if (divided && divided->in_rounds && is_edited) return std::nullopt;
    return divided;
  }

  std::optional<Score> EditedScore(const CarriedShares& carried) const {
    if (divides_work()) {
      Changes others = options_.changes;
      others.added_threads.clear();
      std::optional<Score> edited = ChangedScore(divided_->score, others, carried, vertices_);
      return edited ? edited : divided_->score;
    }
    std::optional<Score> edited = ChangedScore(score_, options_.changes, carried, vertices_);
    const WaitsInLoops loops(options_.loops, /*unless_known=*/false);
    if (options_.loops.empty()) return edited;
    Score overlapping = edited ? *edited : score_;
    if (LetLoopsOverlap(options_.changes, loops, vertices_, overlapping)) return overlapping;
    return edited;
  }

  // Whether a disk that serves all helpers at once is another one than that of the recording.
  bool AsksSeveralAtOnce() const {
    Score disks_only;
    disks_only.disks = score_.disks;
    if (divides_in_rounds()) {
      disks_only.pools = divided_->score.pools;
      return ServeAllOfPools(disks_only);
    }
    return ServeAllHelpers(options_.changes, vertices_, disks_only);
  }

  // One reading's view of the change.
  struct View {
    bool meets_less = false;  // waits of alike threads for those that wait less (ShrunkWaits)
    bool serves_helpers = false;
  };

  Reading ReadWithPath(std::span<const Path> paths, const Unchanged& unchanged, const View& view) {
    std::optional<Score> edited = EditedScore(CarriedBy(paths));
    if (edited && view.serves_helpers) {
      ServeAllHelpers(options_.changes, vertices_, *edited);
      if (divides_in_rounds()) ServeAllOfPools(*edited);
    }
    const Score& score = edited ? *edited : score_;
    Variation changed = VariationOf(score, options_.changes, vertices_);
    std::vector<Path> gone(paths.begin(), paths.end());
    // The edited score no longer holds what kernel threads did for the disks.
    if (!options_.changes.waits.empty())
      std::erase_if(gone, [](const Path& path) { return path.kernel_relay; });
    RemovePaths(score, gone, vertices_, changed);
    LetQuotasFollowRuns(score_, score, options_.quota_groups, vertices_, changed);
    changed.order_free = true;
    changed.wake_cost_ns = changed.kept_wake_ns = replays_.wake_cost_ns();
    changed.sleep_cost_ns = changed.kept_sleep_ns = replays_.sleep_cost_ns();
    changed.kind = Kinds(score);
    changed.keeps_pace = KeepPace(score);
    std::optional<ShrunkWaits> shrunk;
    if (view.meets_less && OperationsAreGone()) shrunk.emplace(score, changed, paths, vertices_);
    std::optional<PolledWaits> polled;
    if (OperationsAreGone() && options_.changes.timers.empty())
      polled.emplace(score, changed, paths, vertices_);
    const bool any_shrunk = shrunk && shrunk->any(), any_polled = polled && polled->any();
    if (any_polled) {
      changed.sleep_factor = polled->LeastChange();
      changed.sleeps_late_ns = kTimerSlackNs;
    }
    const PlayOutcome outcome =
        replays_.PlayKeepingPace(score, changed, unchanged,
                                 {.shrunk = any_shrunk ? &*shrunk : nullptr,
                                  .polled = any_polled && view.meets_less ? &*polled : nullptr});
    return replays_.ReadingOf(score, outcome, unchanged);
  }

  // Not only moved to helpers, for which who asked may wait all the same.
  bool OperationsAreGone() const {
    const Changes& changes = options_.changes;
    const auto is_disk = [&](uint32_t vertex) {
      return std::any_of(score_.disks.begin(), score_.disks.end(),
                         [&](const ScoreDisk& disk) { return vertices_[disk.entity] == vertex; });
    };
    return std::any_of(changes.waits.begin(), changes.waits.end(),
                       [&](const WaitChange& wait) { return !wait.keeps_up && is_disk(wait.to); });
  }

  // Alike threads of a node share the work left, unless they already share all of the work.
  std::vector<uint32_t> Kinds(const Score& score) const {
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
    std::vector<uint32_t> kinds;
    std::vector<uint8_t> is_in_pool(score.threads());
    for (const Pool& pool : score.pools) {
      if (!pool.behind) return {};
      for (const EntityId thread : pool.threads) is_in_pool[thread] = 1;
    }
    for (EntityId thread = 0; thread < score.threads(); ++thread) {
      std::pair kind = {score.VertexOf(thread, vertices_), score.node[thread]};
      if (is_in_pool[thread] != 0) kind = {kAlone, thread};
      const auto next = static_cast<uint32_t>(numbers.size());
      kinds.push_back(numbers.try_emplace(kind, next).first->second);
    }
    return kinds;
  }

  // Other programs' pauses are their own.
  std::vector<uint8_t> KeepPace(const Score& score) const {
    std::vector<uint8_t> keep(score.threads());
    for (EntityId thread = 0; thread < score.threads(); ++thread)
      keep[thread] =
          score.like[thread] == kNobody || replays_.IsCandidate(score.like[thread]) ? 1 : 0;
    return keep;
  }

  const std::span<const uint32_t> vertices_;
  const ReplayOptions& options_;
  TimedReplays& replays_;
  const Score& score_;
  const std::optional<DividedWork> divided_;
};

// If a function that no sample shows has as much of the CPU time as the samples allow.
std::optional<ReplayOptions> WithUnseenFunctions(const ReplayOptions& options) {
  std::optional<ReplayOptions> unseen;
  for (size_t i = 0; i < options.changes.runs.size(); ++i) {
    const std::optional<double> least_factor = options.changes.runs[i].least_factor;
    if (!least_factor) continue;
    if (!unseen) unseen = options;
    unseen->changes.runs[i].factor = *least_factor;
  }
  return unseen;
}

absl::Status EnoughMarks(const Timeline& timeline, const ReplayOptions& options) {
  const auto marks = static_cast<size_t>(std::count_if(
      options.marks.begin(), options.marks.end(),
      [&](const ProgressMark& mark) { return mark.thread < timeline.thread_count(); }));
  if (marks < kFewestMarks)
    return absl::FailedPreconditionError(
        absl::StrCat("there are only ", marks,
                     " events of that progress, too few for a rate; record longer, take more of "
                     "the recording, or choose another --progress"));
  for (const MoreAtOnce& more : options.changes.more_at_once) {
    if (marks < kFewestMarks * more.times)
      return absl::FailedPreconditionError(absl::StrCat(
          "there are only ", marks, " events of that progress, too few to be cut into ", more.times,
          " stretches; record longer, take more of the recording, or choose another --progress"));
  }
  return absl::OkStatus();
}

}  // namespace

double ReplayResult::self_check() const {
  return std::max(std::abs(wait_alone.self_check), std::abs(with_path.self_check));
}

absl::StatusOr<ReplayResult> ReplayTimeline(const Timeline& timeline,
                                            std::span<const uint32_t> vertex_of_entity,
                                            const ReplayOptions& options,
                                            PreparedReplays* prepared) {
  if (absl::Status status = EnoughMarks(timeline, options); !status.ok()) return status;
  TimedReplays replays(timeline, vertex_of_entity, options, prepared);
  ReplayResult result;
  result.marks = replays.score().marks;
  result.steps = replays.score().steps.size();
  result.recorded_rate = replays.recorded_rate();
  if (options.changes.more_at_once.empty()) {
    Replayer replayer(vertex_of_entity, options, replays);
    result.divides_work = replayer.divides_work();
    result.divides_in_rounds = replayer.divides_in_rounds();
    result.wait_alone = replayer.ReadWaitAlone();
    replayer.ReadWithPaths(result);
    if (const std::optional<ReplayOptions> unseen = WithUnseenFunctions(options)) {
      ReplayResult most;
      Replayer(vertex_of_entity, *unseen, replays).ReadWithPaths(most);
      result.other_paths.push_back(most.with_path);
    }
  } else {
    ReadMoreAtOnce(vertex_of_entity, options, replays, result);
  }
  result.forced_steps = replays.forced_steps();
  result.unexplained = Unexplained(replays.score(), timeline, options.marks);
  SetInterval(options.changes, result);
  return result;
}

void PrepareReplays(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                    const ReplayOptions& options, PreparedReplays& prepared) {
  if (!EnoughMarks(timeline, options).ok()) return;
  const TimedReplays fills_it(timeline, vertex_of_entity, options, &prepared);
}

}  // namespace gordian
