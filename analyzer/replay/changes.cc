#include "analyzer/replay/changes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gordian {
namespace {

// A disk that is faster by this and more leaves no path to its waits.
constexpr double kAsGoodAsGone = 0.001;

class VariationMaker {
 public:
  VariationMaker(const Score& score, std::span<const uint32_t> vertex_of_entity)
      : score_(score), vertices_(vertex_of_entity) {
    made_.cpus = score.cpus;
  }

  void Apply(const DiskChange& change) {
    made_.service_factor.resize(score_.disks.size(), 1);
    for (size_t disk = 0; disk < score_.disks.size(); ++disk) {
      if (vertices_[score_.disks[disk].entity] == change.disk)
        made_.service_factor[disk] *= change.factor;
    }
  }

  void Apply(const TimerChange& change) { Scale(change.vertex, change.factor, made_.sleep_factor); }
  void Apply(const RunChange& change) { Scale(change.vertex, change.factor, made_.run_factor); }

  void Apply(const WaitChange& change) {
    made_.pair_drops.resize(score_.pairs.size(), DropKind::kKept);
    for (size_t i = 0; i < score_.pairs.size(); ++i) {
      const HandOverPair& pair = score_.pairs[i];
      const bool is_birth = pair.count == 0;
      if (is_birth || vertices_[pair.waiter] != change.from || vertices_[pair.waker] != change.to)
        continue;
      made_.pair_drops[i] = change.keeps_up ? DropKind::kAhead : DropKind::kGone;
    }
    made_.disk_drops.resize(score_.threads() * score_.disks.size());
    made_.pause_drops.resize(score_.threads());
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (vertices_[thread] != change.from) continue;
      for (size_t disk = 0; disk < score_.disks.size(); ++disk) {
        if (vertices_[score_.disks[disk].entity] == change.to)
          made_.disk_drops[thread * score_.disks.size() + disk] = 1;
      }
      DropPauses(thread, change.to);
    }
  }

  Variation Take() { return std::move(made_); }

 private:
  void Scale(uint32_t vertex, double factor, std::vector<double>& factors) {
    factors.resize(score_.threads(), 1);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (vertices_[thread] == vertex) factors[thread] *= factor;
    }
  }

  void DropPauses(EntityId thread, uint32_t to) {
    std::vector<EntityId>& drops = made_.pause_drops[thread];
    for (const Step& step : score_.StepsOf(thread)) {
      if (step.kind != StepKind::kPause || step.number == kNobody) continue;
      if (vertices_[step.number] != to) continue;
      if (std::find(drops.begin(), drops.end(), step.number) == drops.end())
        drops.push_back(step.number);
    }
  }

  const Score& score_;
  const std::span<const uint32_t> vertices_;
  Variation made_;
};

bool IsGone(const Score& score, const Variation& variation, EntityId thread, const Step& step) {
  if (step.kind == StepKind::kAwait) {
    return !variation.pair_drops.empty() &&
           variation.pair_drops[score.pair_of_hand_over[step.number]] != DropKind::kKept;
  }
  if (step.kind == StepKind::kAwaitDisk) {
    const uint32_t disk = score.requests[step.number].disk;
    return (!variation.service_factor.empty() && variation.service_factor[disk] < kAsGoodAsGone) ||
           (!variation.disk_drops.empty() &&
            variation.disk_drops[thread * score.disks.size() + disk] != 0);
  }
  if (step.kind == StepKind::kPause && !step.by_timer && !variation.pause_drops.empty()) {
    const std::vector<EntityId>& drops = variation.pause_drops[thread];
    return std::find(drops.begin(), drops.end(), step.number) != drops.end();
  }
  return false;
}

// The runs of a vertex' threads between one wait that is gone and the next.
struct RunTimes {
  uint64_t all_ns = 0;
  bool waits_so = false;
  std::vector<uint64_t> between_ns;
};

void Add(const Score& score, const Variation& variation, EntityId thread, RunTimes& times) {
  bool after_gone = false;
  uint64_t since_wait_ns = 0;
  for (const Step& step : score.StepsOf(thread)) {
    switch (step.kind) {
      case StepKind::kRun:
        times.all_ns += step.duration_ns;
        since_wait_ns += step.duration_ns;
        break;
      case StepKind::kRequest:
      case StepKind::kMark:
        break;
      default:
        const bool gone = IsGone(score, variation, thread, step);
        times.waits_so |= gone;
        if (gone && after_gone) times.between_ns.push_back(since_wait_ns);
        after_gone = gone;
        since_wait_ns = 0;
    }
  }
}

// A system call that waits several times runs little in between; whole rounds of a loop run longer.
// What is under half of the mean is taken for the former.
double ShareInCalls(const RunTimes& times) {
  uint64_t sum_ns = 0, in_calls_ns = 0;
  for (const uint64_t run_ns : times.between_ns) sum_ns += run_ns;
  for (const uint64_t run_ns : times.between_ns) {
    if (run_ns * 2 * times.between_ns.size() < sum_ns) in_calls_ns += run_ns;
  }
  return times.all_ns == 0 ? 0
                           : static_cast<double>(in_calls_ns) / static_cast<double>(times.all_ns);
}

}  // namespace

Variation VariationOf(const Score& score, const Changes& changes,
                      std::span<const uint32_t> vertex_of_entity) {
  VariationMaker maker(score, vertex_of_entity);
  for (const DiskChange& change : changes.disks) maker.Apply(change);
  for (const WaitChange& change : changes.waits) maker.Apply(change);
  for (const TimerChange& change : changes.timers) maker.Apply(change);
  for (const RunChange& change : changes.runs) maker.Apply(change);
  Variation variation = maker.Take();
  if (changes.cpus != 0) variation.cpus = changes.cpus;
  return variation;
}

std::vector<PathShare> PathsOf(const Score& score, const Variation& variation,
                               std::span<const PathShare> given,
                               std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, RunTimes> by_vertex;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    Add(score, variation, thread, by_vertex[vertex_of_entity[thread]]);
  std::vector<PathShare> paths(given.begin(), given.end());
  for (const auto& [vertex, times] : by_vertex) {
    const bool is_given =
        std::any_of(given.begin(), given.end(),
                    [vertex = vertex](const PathShare& path) { return path.vertex == vertex; });
    const double share = ShareInCalls(times);
    if (times.waits_so && !is_given && share > 0) paths.push_back({vertex, share});
  }
  return paths;
}

void RemovePaths(std::span<const PathShare> paths, std::span<const uint32_t> vertex_of_entity,
                 Variation& variation) {
  for (const PathShare& path : paths) {
    for (EntityId thread = 0; thread < variation.run_factor.size(); ++thread) {
      if (vertex_of_entity[thread] == path.vertex)
        variation.run_factor[thread] *= 1 - std::clamp(path.share, 0.0, 1.0);
    }
  }
}

}  // namespace gordian
