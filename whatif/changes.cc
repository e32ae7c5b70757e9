#include "whatif/changes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace gordian {
namespace {

// A disk that is faster by this and more leaves no path to its waits.
constexpr double kAsGoodAsGone = 0.001;
// Of an edge's waits in calls that are gone: then the edge is.
constexpr double kNearlyAll = 0.9;
constexpr size_t kFewestRuns = 20;  // fewer show no pattern

void DropPairs(const Score& score, std::span<const uint32_t> vertices, uint32_t from, uint32_t to,
               DropKind drop, Variation& variation) {
  variation.pair_drops.resize(score.pairs.size(), DropKind::kKept);
  for (size_t i = 0; i < score.pairs.size(); ++i) {
    const HandOverPair& pair = score.pairs[i];
    const bool is_birth = pair.count == 0;
    // What is gone already is not to be kept up with again.
    if (!is_birth && variation.pair_drops[i] != DropKind::kGone &&
        score.VertexOf(pair.waiter, vertices) == from && score.VertexOf(pair.waker, vertices) == to)
      variation.pair_drops[i] = drop;
  }
}

void DropDisks(const Score& score, std::span<const uint32_t> vertices, EntityId thread, uint32_t to,
               DiskDrop drop, Variation& variation) {
  variation.disk_drops.resize(score.threads() * score.disks.size());
  for (size_t disk = 0; disk < score.disks.size(); ++disk) {
    if (vertices[score.disks[disk].entity] != to) continue;
    DiskDrop& dropped = variation.disk_drops[thread * score.disks.size() + disk];
    dropped = std::max(dropped, drop);
  }
}

void ScalePauses(const Score& score, std::span<const uint32_t> vertices, EntityId thread,
                 uint32_t to, double factor, Variation& variation) {
  variation.pause_factors.resize(score.threads());
  std::vector<Variation::PauseFactor>& factors = variation.pause_factors[thread];
  const size_t old = factors.size();
  for (const Step& step : score.StepsOf(thread)) {
    if (step.kind != StepKind::kPause || step.number == kNobody || vertices[step.number] != to)
      continue;
    const bool is_known = std::any_of(
        factors.begin() + static_cast<std::ptrdiff_t>(old), factors.end(),
        [&](const Variation::PauseFactor& known) { return known.waits_for == step.number; });
    if (!is_known) factors.push_back({step.number, factor});
  }
}

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
    DropPairs(score_, vertices_, change.from, change.to,
              change.keeps_up ? DropKind::kAhead : DropKind::kGone, made_);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (score_.VertexOf(thread, vertices_) != change.from) continue;
      DropDisks(score_, vertices_, thread, change.to,
                change.keeps_up ? DiskDrop::kWait : DiskDrop::kWaitAndAsk, made_);
      ScalePauses(score_, vertices_, thread, change.to, 0, made_);
    }
  }

  Variation Take() { return std::move(made_); }

 private:
  void Scale(uint32_t vertex, double factor, std::vector<double>& factors) {
    factors.resize(score_.threads(), 1);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (score_.VertexOf(thread, vertices_) == vertex) factors[thread] *= factor;
    }
  }

  const Score& score_;
  const std::span<const uint32_t> vertices_;
  Variation made_;
};

bool IsFree(const Variation& variation, uint32_t disk) {
  return !variation.service_factor.empty() && variation.service_factor[disk] < kAsGoodAsGone;
}

bool IsGone(const Score& score, const Variation& variation, EntityId thread, const Step& step) {
  if (step.kind == StepKind::kAwait) {
    const uint32_t relayed = score.relayed_disk[step.number];
    const uint32_t pair = score.pair_of_hand_over[step.number];
    return (!variation.pair_drops.empty() && variation.pair_drops[pair] != DropKind::kKept) ||
           (relayed != kNoDisk && (IsFree(variation, relayed) ||
                                   variation.DropsDisk(thread, relayed, score.disks.size())));
  }
  if (step.kind == StepKind::kAwaitDisk) {
    const uint32_t disk = score.requests[step.number].disk;
    return IsFree(variation, disk) || variation.DropsDisk(thread, disk, score.disks.size());
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
      case StepKind::kOffCpu:
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
  if (times.between_ns.size() < kFewestRuns) return 0;
  uint64_t sum_ns = 0, in_calls_ns = 0;
  for (const uint64_t run_ns : times.between_ns) sum_ns += run_ns;
  for (const uint64_t run_ns : times.between_ns) {
    if (run_ns * 2 * times.between_ns.size() < sum_ns) in_calls_ns += run_ns;
  }
  return times.all_ns == 0 ? 0
                           : static_cast<double>(in_calls_ns) / static_cast<double>(times.all_ns);
}

// Hand-overs of a kernel thread that waits for the disks that are gone.
struct RelayCounts {
  uint64_t all = 0;
  uint64_t gone = 0;
  double Share() const { return static_cast<double>(gone) / static_cast<double>(all); }
};

// Only vertices that pass on at least one end of a request that is not waited for any more.
void CountRelays(const Score& score, const Variation& variation,
                 std::span<const uint32_t> vertex_of_entity,
                 std::map<uint32_t, RelayCounts>& relays) {
  for (const bool counts_all : {false, true}) {
    for (size_t i = 0; i < score.pair_of_hand_over.size(); ++i) {
      const HandOverPair& pair = score.pairs[score.pair_of_hand_over[i]];
      const uint32_t vertex = score.VertexOf(pair.waker, vertex_of_entity),
                     disk = score.relayed_disk[i];
      if (counts_all) {
        const auto relay = relays.find(vertex);
        if (relay != relays.end()) ++relay->second.all;
      } else if (disk != kNoDisk && (IsFree(variation, disk) ||
                                     variation.DropsDisk(pair.waiter, disk, score.disks.size()))) {
        ++relays[vertex].gone;
      }
    }
  }
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

std::vector<Path> PathsOf(const Score& score, const Variation& variation,
                          std::span<const Path> given, std::span<const uint32_t> vertex_of_entity) {
  std::map<uint32_t, RunTimes> by_vertex;
  std::map<uint32_t, RelayCounts> relays;
  for (EntityId thread = 0; thread < score.threads(); ++thread)
    Add(score, variation, thread, by_vertex[score.VertexOf(thread, vertex_of_entity)]);
  CountRelays(score, variation, vertex_of_entity, relays);
  std::vector<Path> paths(given.begin(), given.end());
  for (const auto& [vertex, times] : by_vertex) {
    if (!times.waits_so) continue;
    const auto relay = relays.find(vertex);
    const bool is_relay = relay != relays.end();
    const double share = is_relay ? relay->second.Share() : ShareInCalls(times);
    const auto known =
        std::find_if(paths.begin(), paths.end(),
                     [vertex = vertex](const Path& path) { return path.vertex == vertex; });
    if (known != paths.end()) {
      if (share > 0) known->least_share = std::min(known->run_share, share);
      known->run_share = std::max(known->run_share, share);
      known->most_share = std::max(known->most_share, share);
    } else if (share > 0) {
      paths.push_back({.vertex = vertex,
                       .run_share = share,
                       .least_share = share,
                       .most_share = share,
                       .kernel_relay = is_relay});
    }
  }
  return paths;
}

void RemovePaths(const Score& score, std::span<const Path> paths,
                 std::span<const uint32_t> vertex_of_entity, Variation& variation) {
  variation.run_factor.resize(score.threads(), 1);
  for (const Path& path : paths) {
    for (EntityId thread = 0; thread < score.threads(); ++thread) {
      if (score.VertexOf(thread, vertex_of_entity) != path.vertex) continue;
      variation.run_factor[thread] *= 1 - std::clamp(path.run_share, 0.0, 1.0);
      for (const Path::Waits& waits : path.waits) {
        ScalePauses(score, vertex_of_entity, thread, waits.to, 1 - waits.share, variation);
        if (waits.share >= kNearlyAll)
          DropDisks(score, vertex_of_entity, thread, waits.to, DiskDrop::kWait, variation);
      }
    }
    for (const Path::Waits& waits : path.waits) {
      if (waits.share >= kNearlyAll)
        DropPairs(score, vertex_of_entity, path.vertex, waits.to, DropKind::kAhead, variation);
    }
  }
}

}  // namespace gordian
