// SPDX-License-Identifier: Apache-2.0
#include "whatif/paths/paths.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "whatif/paths/gone_waits.h"
#include "whatif/paths/thresholds.h"

namespace gordian {
namespace {

struct TimeSpan {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  double length_ns() const { return static_cast<double>(end_ns - begin_ns); }
};

// What a thread does: its waits that are gone, and its sleeps.
struct Doings {
  EntityId thread = kNobody;
  std::vector<TimeSpan> gone;
  std::vector<TimeSpan> holds;     // from the wait before such ones to the wait behind them
  std::vector<uint64_t> looks_ns;  // when it went to sleep
  double held_ns = 0;              // in the steps of all holds
  double gone_ns = 0;              // of that
  double slept_ns = 0;
  double again_ns = 0;  // of that, in sleeps with nothing but a look between
};

class Reader {
 public:
  // `run_gone`: the share of the thread's CPU time that is on the way of what is gone.
  Reader(const Score& score, const Variation& variation, double run_gone, EntityId thread)
      : score_(score), variation_(variation), run_gone_(run_gone) {
    doings_.thread = thread;
  }

  Doings Read() && {
    for (const Step& step : score_.StepsOf(doings_.thread)) Add(step);
    EndSleeps();
    EndHold(now_ns_);
    return std::move(doings_);
  }

 private:
  void Add(const Step& step) {
    const auto length_ns = static_cast<double>(step.duration_ns);
    now_ns_ = step.recorded_ns + step.duration_ns;
    switch (step.kind) {
      case StepKind::kRun:
        AddToHold(length_ns, run_gone_);
        return;
      case StepKind::kOffCpu:
        AddToHold(length_ns, after_gone_ && step.after_wait ? 1 : 0);
        return;
      case StepKind::kPause:
        EndHold(step.recorded_ns);
        if (!step.by_timer) break;
        doings_.looks_ns.push_back(step.recorded_ns);
        together_ns_ += length_ns;
        ++together_;
        return;
      case StepKind::kAwait:
      case StepKind::kAwaitDisk:
        AddWait(step);
        break;
      case StepKind::kMark:
      case StepKind::kRequest:
        return;
      default:
        break;
    }
    EndSleeps();
  }

  void AddWait(const Step& step) {
    if (IsGone(score_, variation_, doings_.thread, step)) {
      doings_.gone.push_back({step.recorded_ns, step.recorded_ns + step.duration_ns});
      AddToHold(static_cast<double>(step.duration_ns), 1);
      holds_ = after_gone_ = true;
    } else {
      EndHold(step.recorded_ns);
    }
  }

  void AddToHold(double length_ns, double share_gone) {
    hold_ns_ += length_ns;
    hold_gone_ns_ += length_ns * share_gone;
  }

  // With a wait that stays, which begins then.
  void EndHold(uint64_t end_ns) {
    if (holds_) {
      doings_.holds.push_back({hold_begin_ns_, end_ns});
      doings_.held_ns += hold_ns_;
      doings_.gone_ns += hold_gone_ns_;
    }
    holds_ = after_gone_ = false;
    hold_ns_ = hold_gone_ns_ = 0;
    hold_begin_ns_ = now_ns_;
  }

  void EndSleeps() {
    doings_.slept_ns += together_ns_;
    if (together_ > 1) doings_.again_ns += together_ns_;
    together_ns_ = 0;
    together_ = 0;
  }

  const Score& score_;
  const Variation& variation_;
  const double run_gone_;
  Doings doings_;
  double together_ns_ = 0;
  size_t together_ = 0;
  uint64_t now_ns_ = 0;  // the end of the step at hand
  uint64_t hold_begin_ns_ = 0;
  bool holds_ = false;
  bool after_gone_ = false;
  double hold_ns_ = 0;
  double hold_gone_ns_ = 0;
};

double RunGone(std::span<const Path> paths, uint32_t vertex) {
  double share = 0;
  for (const Path& path : paths)
    if (path.vertex == vertex) share = std::max(share, std::clamp(path.run_share, 0.0, 1.0));
  return share;
}

// Of all threads of a kind, in order of time.
std::vector<TimeSpan> AllOf(std::span<const Doings> kind, std::vector<TimeSpan> Doings::*which) {
  std::vector<TimeSpan> all;
  for (const Doings& doings : kind)
    all.insert(all.end(), (doings.*which).begin(), (doings.*which).end());
  std::sort(all.begin(), all.end(), [](const TimeSpan& a, const TimeSpan& b) {
    return std::pair(a.begin_ns, a.end_ns) < std::pair(b.begin_ns, b.end_ns);
  });
  return all;
}

// How many begin while another is under way.
double SeenToMeet(std::span<const TimeSpan> gone) {
  uint64_t latest_end_ns = 0, met = 0;
  for (const TimeSpan& wait : gone) {
    if (wait.begin_ns < latest_end_ns) ++met;
    latest_end_ns = std::max(latest_end_ns, wait.end_ns);
  }
  return static_cast<double>(met);
}

// … if each thread did so at any moment.
double ChanceToMeet(std::span<const Doings> kind, double span_ns) {
  std::vector<double> log_idle;
  double all_idle = 0;
  for (const Doings& doings : kind) {
    double busy_ns = 0;
    for (const TimeSpan& wait : doings.gone) busy_ns += wait.length_ns();
    log_idle.push_back(std::log1p(-std::min(0.999, busy_ns / span_ns)));
    all_idle += log_idle.back();
  }
  double met = 0;
  for (size_t i = 0; i < kind.size(); ++i)
    met += static_cast<double>(kind[i].gone.size()) * -std::expm1(all_idle - log_idle[i]);
  return met;
}

bool TakeTurns(std::span<const Doings> kind, std::span<const TimeSpan> gone) {
  if (gone.empty()) return false;
  uint64_t end_ns = 0;
  for (const TimeSpan& wait : gone) end_ns = std::max(end_ns, wait.end_ns);
  const double by_chance =
      ChanceToMeet(kind, std::max(1.0, static_cast<double>(end_ns - gone.front().begin_ns)));
  return by_chance >= static_cast<double>(kFewestStretches) &&
         SeenToMeet(gone) < kHardlyAny * by_chance;
}

// Whether most sleeps begin while another thread has the lock. Who has nothing to do goes to sleep
// at any time.
bool FindItTaken(std::span<const Doings> kind) {
  std::vector<TimeSpan> holds = AllOf(kind, &Doings::holds);
  uint64_t latest_end_ns = 0;
  for (TimeSpan& hold : holds) hold.end_ns = latest_end_ns = std::max(latest_end_ns, hold.end_ns);
  size_t looks = 0, taken = 0;
  for (const Doings& doings : kind) {
    for (const uint64_t look_ns : doings.looks_ns) {
      const auto next = std::partition_point(holds.begin(), holds.end(), [&](const TimeSpan& hold) {
        return hold.begin_ns <= look_ns;
      });
      ++looks;
      if (next != holds.begin() && std::prev(next)->end_ns > look_ns) ++taken;
    }
  }
  return static_cast<double>(taken) > kMostSleeps * static_cast<double>(looks);
}

// What is left of all holds of that lock, as far as threads show them.
double LeftOf(std::span<const Doings> kind) {
  double held_ns = 0, gone_ns = 0;
  for (const Doings& doings : kind) {
    held_ns += doings.held_ns;
    gone_ns += doings.gone_ns;
  }
  return held_ns > 0 ? std::clamp(1 - gone_ns / held_ns, 0.0, 1.0) : 1;
}

bool SleepAgainAndAgain(std::span<const Doings> kind) {
  double slept_ns = 0, again_ns = 0;
  for (const Doings& doings : kind) {
    slept_ns += doings.slept_ns;
    again_ns += doings.again_ns;
  }
  return slept_ns > 0 && again_ns > kMostSleeps * slept_ns;
}

}  // namespace

PolledWaits::PolledWaits(const Score& score, const Variation& variation,
                         std::span<const Path> paths, std::span<const uint32_t> vertex_of_entity)
    : threads_(score.threads()) {
  // Only threads that do it themselves take turns at it.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Doings>> kinds;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (score.like[thread] == kNobody || score.kernel_thread[thread] != 0) continue;
    const uint32_t vertex = score.VertexOf(thread, vertex_of_entity);
    Doings doings = Reader(score, variation, RunGone(paths, vertex), thread).Read();
    if (!doings.gone.empty()) kinds[{vertex, score.node[thread]}].push_back(std::move(doings));
  }
  for (const auto& [vertex, kind] : kinds) {
    if (kind.size() < 2 || !SleepAgainAndAgain(kind)) continue;
    if (!TakeTurns(kind, AllOf(kind, &Doings::gone)) || !FindItTaken(kind)) continue;
    const double left = LeftOf(kind);
    for (const Doings& doings : kind) left_[doings.thread] = left;
  }
}

std::vector<double> PolledWaits::SleepFactors(double gain) const {
  std::vector<double> factors(threads_, 1);
  for (const auto& [thread, left] : left_) factors[thread] = left * std::min(1.0, gain * left);
  return factors;
}

}  // namespace gordian
