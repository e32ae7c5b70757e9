// SPDX-License-Identifier: Apache-2.0
#include "participation/recorded_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "participation/window_events.h"

namespace gordian {
namespace {

constexpr char kNotSampled[] = "[not sampled]";
constexpr double kMostRounding = 1e-6;

bool Runs(RecordedActivity activity) { return activity <= RecordedActivity::kBuffer; }

std::string Bracketed(RecordedActivity activity) {
  return absl::StrCat("[", std::string(NameOf(activity)), "]");
}

struct RowSum {
  double cp = 0;
  double crossings = 0;
  std::set<EntityId> workers;
};

// A run's share of its window, by the stacks that were sampled in it.
struct RunShare {
  const StayParticipation* stay = nullptr;
  uint32_t stack_id = 0;
  bool is_sampled = true;
  uint64_t samples = 0;
  double share = 0;  // of the stay; those of one stay add up to 1
};

// Shares of all stays that ran. The samples of one thread in one phase stand for all its time
// there, as a phase has one activity.
template <typename Use>
void ForEachRun(const RecordedGraph& graph, const WindowParticipation& window, Use use) {
  using Place = std::pair<EntityId, uint32_t>;  // thread, phase
  struct Sampled {
    double paths = 0;
    uint64_t samples = 0;
  };
  std::map<Place, std::map<uint32_t, Sampled>> by_place;
  const auto samples = graph.timeline.stack_samples();
  for (const SampleParticipation& known : window.samples) {
    const StackSample& sample = samples[known.sample];
    Sampled& sum = by_place[{sample.thread, known.phase}][sample.stack_id];
    sum.paths += known.paths * std::ldexp(1.0, static_cast<int>(sample.weight_log2));
    ++sum.samples;
  }
  for (const StayParticipation& stay : window.stays) {
    if (!Runs(stay.activity)) continue;
    const auto place = by_place.find({stay.thread, stay.phase});
    if (place == by_place.end()) {
      use(RunShare{.stay = &stay, .is_sampled = false, .share = 1});
      continue;
    }
    double all = 0;
    for (const auto& [stack, sum] : place->second) all += sum.paths;
    for (const auto& [stack, sum] : place->second)
      use(RunShare{
          .stay = &stay, .stack_id = stack, .samples = sum.samples, .share = sum.paths / all});
  }
}

class RowMaker {
 public:
  RowMaker(const RecordedGraph& graph, ParticipationBy by, const RecordedRowNames& names)
      : graph_(graph), by_(by), names_(names) {
    if (by == ParticipationBy::kOperator) samples_ = RunningSamplesOf(graph);
  }

  void Tell(const WindowParticipation& window, pb::ParticipationWindow& told) {
    sums_.clear();
    if (window.paths > 0) AddAll(window);
    std::vector<std::pair<std::string, RowSum>> rows(sums_.begin(), sums_.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.cp, a.second.crossings) >
             std::pair(b.second.cp, b.second.crossings);
    });
    for (const auto& [name, sum] : rows) {
      pb::ParticipationRow& row = *told.add_rows();
      row.set_name(name);
      row.set_cp(sum.cp);
      row.set_crossings(sum.crossings);
      if (sum.workers.empty()) continue;
      row.set_workers(static_cast<uint32_t>(sum.workers.size()));
      row.set_cp_per_worker(sum.cp / static_cast<double>(sum.workers.size()));
    }
  }

 private:
  void AddAll(const WindowParticipation& window) {
    if (by_ == ParticipationBy::kLink) return AddLinks(window);
    const bool by_code = by_ == ParticipationBy::kFunction || by_ == ParticipationBy::kOperator;
    for (const StayParticipation& stay : window.stays) {
      if (!by_code || !Runs(stay.activity)) Add(NameOfStay(stay), stay.cp, stay.crossings);
    }
    if (by_ == ParticipationBy::kActivity) AddHops(window);
    if (!by_code) return;
    ForEachRun(graph_, window, [&](const RunShare& run) {
      const StayParticipation& stay = *run.stay;
      RowSum& sum = Add(NameOfRun(run), stay.cp * run.share, stay.crossings * run.share);
      if (by_ == ParticipationBy::kOperator) sum.workers.insert(stay.thread);
    });
    if (by_ == ParticipationBy::kOperator) AddOtherWorkers(window);
  }

  RowSum& Add(const std::string& name, double cp, double crossings) {
    RowSum& sum = sums_[name];
    sum.cp += cp;
    sum.crossings += crossings;
    return sum;
  }

  std::string NameOfStay(const StayParticipation& stay) const {
    switch (by_) {
      case ParticipationBy::kActivity:
        return std::string(NameOf(stay.activity));
      case ParticipationBy::kThread:
        return names_.thread(stay.thread);
      case ParticipationBy::kVertex:
        return names_.vertex(stay.thread);
      case ParticipationBy::kPhase:
        return stay.phase == kNoPhase ? "" : names_.phase(stay.phase);
      case ParticipationBy::kOperator:
      case ParticipationBy::kFunction:
      case ParticipationBy::kLink:
        break;
    }
    return Bracketed(stay.activity);
  }

  std::string NameOfRun(const RunShare& run) {
    if (by_ == ParticipationBy::kOperator && run.stay->phase != kNoPhase)
      return names_.phase(run.stay->phase);
    return run.is_sampled ? FunctionOf(run.stack_id) : kNotSampled;
  }

  const std::string& FunctionOf(uint32_t stack_id) {
    std::string& name = function_of_stack_[stack_id];
    if (name.empty()) name = names_.function_of_stack(stack_id);
    return name;
  }

  void AddHops(const WindowParticipation& window) {
    double crossings = 0;
    for (const HopParticipation& hop : window.hops)
      crossings += hop.kind == HopKind::kMessage ? 0 : hop.crossings;
    if (crossings > 0) Add("ControlMessage", 0, crossings);
  }

  void AddLinks(const WindowParticipation& window) {
    for (const HopParticipation& hop : window.hops)
      Add(absl::StrCat(names_.vertex(hop.from), " → ", names_.vertex(hop.to)), hop.cp,
          hop.crossings);
  }

  // Threads that do it in this window, on no path.
  void AddOtherWorkers(const WindowParticipation& window) {
    for (auto first = graph_.phases.begin(); first != graph_.phases.end();) {
      const auto of_thread = PhasesOf(graph_, first->thread);
      const auto from = std::partition_point(
          of_thread.begin(), of_thread.end(),
          [&](const ThreadPhase& phase) { return phase.to_ns <= window.from_ns; });
      for (auto phase = from; phase != of_thread.end() && phase->from_ns < window.to_ns; ++phase)
        AddWorker(names_.phase(phase->name), phase->thread);
      first += static_cast<std::ptrdiff_t>(of_thread.size());
    }
    auto sample = std::partition_point(samples_.begin(), samples_.end(), [&](const TimedIndex& at) {
      return at.time_ns < window.from_ns;
    });
    for (; sample != samples_.end() && sample->time_ns < window.to_ns; ++sample) {
      const StackSample& shown = graph_.timeline.stack_samples()[sample->index];
      if (PhaseBefore(PhasesOf(graph_, shown.thread), sample->time_ns + 1) == kNoPhase)
        AddWorker(FunctionOf(shown.stack_id), shown.thread);
    }
  }

  // Of what is on a path at all.
  void AddWorker(const std::string& name, EntityId thread) {
    const auto sum = sums_.find(name);
    if (sum != sums_.end()) sum->second.workers.insert(thread);
  }

  const RecordedGraph& graph_;
  ParticipationBy by_;
  const RecordedRowNames& names_;
  RunningSamples samples_;
  std::map<std::string, RowSum> sums_;
  absl::flat_hash_map<uint32_t, std::string> function_of_stack_;
};

void AddCount(std::string_view name, uint64_t value, pb::Participation& told) {
  if (value == 0) return;
  pb::ParticipationCounter& counter = *told.add_counters();
  counter.set_name(std::string(name));
  counter.set_value(value);
}

bool AddsUpToOne(const WindowParticipation& window) {
  double sum = 0;
  for (const StayParticipation& stay : window.stays) sum += stay.cp;
  return std::abs(sum - 1) < kMostRounding;
}

}  // namespace

pb::Participation RowsOf(const RecordedGraph& graph, std::span<const WindowParticipation> windows,
                         ParticipationBy by, const RecordedRowNames& names) {
  pb::Participation told;
  told.set_by(std::string(NameOf(by)));
  RowMaker maker(graph, by, names);
  ParticipationDoubts doubts;
  uint64_t without_path = 0;
  uint64_t inexact = 0;
  uint64_t by_sleepers = 0;
  uint64_t cut_short = 0;
  for (const WindowParticipation& window : windows) {
    pb::ParticipationWindow& row = *told.add_windows();
    row.set_from_ns(window.from_ns - graph.timeline.start_ns());
    row.set_to_ns(window.to_ns - graph.timeline.start_ns());
    row.set_paths(window.paths);
    if (window.paths > 0) row.set_paths_to_ns(window.paths_to_ns - graph.timeline.start_ns());
    cut_short += window.paths > 0 && window.paths_to_ns < window.to_ns ? 1 : 0;
    row.set_log10_paths(window.paths > 0 ? std::log10(window.paths) : 0);
    maker.Tell(window, row);
    doubts += window.doubts;
    without_path += window.paths == 0 ? 1 : 0;
    inexact += window.paths > 0 && !AddsUpToOne(window) ? 1 : 0;
    by_sleepers += window.by_sleepers ? 1 : 0;
  }
  AddCount("windows_without_path", without_path, told);
  AddCount("windows_inexact", inexact, told);
  AddCount("windows_cut_short", cut_short, told);
  AddCount("windows_of_sleepers", by_sleepers, told);
  AddCount("wakes_by_sleepers", doubts.wakes_by_sleepers, told);
  AddCount("births_without_creator", doubts.births_without_creator, told);
  AddCount("messages_by_sleepers", doubts.messages_by_sleepers, told);
  AddCount("waits_not_ended", doubts.waits_not_ended, told);
  return told;
}

std::vector<CriticalStack> CriticalStacks(const RecordedGraph& graph,
                                          std::span<const WindowParticipation> windows) {
  std::map<std::tuple<EntityId, bool, uint32_t>, CriticalStack> sums;
  for (const WindowParticipation& window : windows) {
    if (window.paths == 0) continue;
    const auto length_ns = static_cast<double>(window.paths_to_ns - window.from_ns);
    ForEachRun(graph, window, [&](const RunShare& run) {
      CriticalStack& sum = sums[{run.stay->thread, run.is_sampled, run.stack_id}];
      sum.thread = run.stay->thread;
      sum.is_sampled = run.is_sampled;
      sum.stack_id = run.stack_id;
      sum.samples += run.samples;
      sum.ns += run.stay->cp * run.share * length_ns;
    });
  }
  std::vector<CriticalStack> stacks;
  stacks.reserve(sums.size());
  for (const auto& [key, sum] : sums) stacks.push_back(sum);
  return stacks;
}

}  // namespace gordian
