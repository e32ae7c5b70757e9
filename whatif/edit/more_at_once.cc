// SPDX-License-Identifier: Apache-2.0
// More requests under way at a time: a larger pool or limit, pipelining, more clients.
//
// A recording shows how requests go round at their recorded number. It is cut into `times`
// stretches with equally many events of progress, and these are played at the same time: each
// brings as many requests as were under way before. All of them go through the same threads, CPUs
// and disks. A thread runs only one of its stretches at a time (Seats); its waits for requests and
// answers overlap.
//
// A wait for a thread that brings requests never keeps a thread from taking others. A wait for a
// thread that works for it does, unless it waits in a loop for events of any kind. Such a thread is
// farther from the source of the requests and waits for it in turn (so it is not the one before it
// in a ring). Waits for timers and devices do so, too. Requests of `more.vertex` itself multiply by
// `times`. A back end behind a single connection is there once for each of them.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <set>

#include "whatif/edit/edit.h"
#include "whatif/edit/own_back_ends.h"
#include "whatif/edit/score_parts.h"
#include "whatif/edit/thresholds.h"
#include "whatif/edit/waits_in_line.h"

namespace gordian {
namespace {

bool IsBirth(const HandOverPair& pair) { return pair.count == 0; }

// Whether requests go from one of its threads to the other.
bool LeadsOn(const HandOverPair& pair, const MoreAtOnce& more) {
  return more.of_job || !IsBirth(pair);
}

// How many hand-overs each folded vertex is away from the source of the requests.
std::map<uint32_t, uint32_t> Distances(const Score& score, std::span<const uint8_t> together,
                                       const MoreAtOnce& more,
                                       std::span<const uint32_t> vertex_of_entity) {
  std::multimap<uint32_t, uint32_t> neighbours;
  for (const HandOverPair& pair : score.pairs) {
    if (!LeadsOn(pair, more) || together[pair.waker] == 0 || together[pair.waiter] == 0) continue;
    const uint32_t from = score.VertexOf(pair.waiter, vertex_of_entity),
                   to = score.VertexOf(pair.waker, vertex_of_entity);
    neighbours.emplace(from, to);
    neighbours.emplace(to, from);
  }
  std::map<uint32_t, uint32_t> distances = {{more.vertex, 0}};
  for (const uint32_t other : more.others) distances.emplace(other, 0);
  std::deque<uint32_t> at;
  for (const auto& [vertex, distance] : distances) at.push_back(vertex);
  for (; !at.empty(); at.pop_front()) {
    const auto [begin, end] = neighbours.equal_range(at.front());
    for (auto next = begin; next != end; ++next) {
      if (distances.emplace(next->second, distances[at.front()] + 1).second)
        at.push_back(next->second);
    }
  }
  return distances;
}

class Stretches {
 public:
  Stretches(const Score& score, const MoreAtOnce& more, const WaitsInLoops& loops, bool order_free,
            std::span<const uint32_t> vertex_of_entity)
      : score_(score),
        more_(more),
        loops_(loops),
        vertices_(vertex_of_entity),
        any_in_line_(order_free &&
                     std::isfinite(MostOfSoManyThreads(score, more, vertex_of_entity))),
        together_(ThreadsTogether(score, more, vertex_of_entity)),
        distances_(Distances(score, together_, more, vertex_of_entity)),
        behind_one_connection_(BehindOneConnection(
            score, [&more](uint32_t vertex) { return more.Holds(vertex); }, vertex_of_entity)),
        one_at_a_time_(OneAtATimeForAPool(
            score, [&more](uint32_t vertex) { return more.Holds(vertex); }, vertex_of_entity)),
        edited_(TakeApart(score)) {}

  Score Play() {
    FindEnds();
    for (const HandOverPair& pair : score_.pairs) {
      if (!IsBirth(pair))
        waits_.emplace(score_.VertexOf(pair.waiter, vertices_),
                       score_.VertexOf(pair.waker, vertices_));
    }
    edited_.rest.seat.resize(score_.threads());
    edited_.rest.stretch.resize(score_.threads());
    for (EntityId thread = 0; thread < score_.threads(); ++thread)
      edited_.rest.seat[thread] = thread;
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (together_[thread] != 0) Cut(thread);
    }
    SetChannels();
    return PutTogether(std::move(edited_));
  }

 private:
  // Among alike threads the order does not matter, but each stretch is by itself: a hand-over to
  // the stretch before is for no other.
  void SetChannels() {
    edited_.rest.channels *= more_.times;
    for (size_t i = 0; i < edited_.hand_overs.size(); ++i) {
      edited_.hand_overs[i].channel =
          stretch_of_hand_over_[i] == stretch_of_await_[i]
              ? edited_.hand_overs[i].channel + stretch_of_hand_over_[i] * score_.channels
              : edited_.rest.channels++;
    }
  }

  void FindEnds() {
    std::vector<uint64_t> marks_ns;
    for (const Step& step : score_.steps) {
      if (step.kind == StepKind::kMark) marks_ns.push_back(step.recorded_ns);
    }
    std::sort(marks_ns.begin(), marks_ns.end());
    for (uint64_t stretch = 1; stretch < more_.times; ++stretch)
      ends_ns_.push_back(marks_ns[stretch * marks_ns.size() / more_.times]);
    stretch_of_hand_over_.resize(edited_.hand_overs.size());
    stretch_of_await_.resize(edited_.hand_overs.size());
  }

  size_t StretchOf(const Step& step) const {
    return static_cast<size_t>(
        std::upper_bound(ends_ns_.begin(), ends_ns_.end(), step.recorded_ns) - ends_ns_.begin());
  }

  // Each stretch is a thread of its own, and all have one seat. The steps of a thread are in order
  // of time, so each stretch is one piece of them.
  void Cut(EntityId thread) {
    const std::vector<Step> steps = std::exchange(edited_.steps[thread], {});
    EntityId player = thread;
    size_t stretch = 0;
    for (Step step : steps) {
      const size_t its_stretch = std::max(stretch, StretchOf(step));
      if (its_stretch > stretch) player = AddPlayer(thread, its_stretch);
      stretch = its_stretch;
      step.keeps_seat = KeepsSeat(thread, step);
      if (step.kind == StepKind::kAwait) {
        edited_.hand_overs[step.number].waiter = player;
        stretch_of_await_[step.number] = static_cast<uint32_t>(stretch);
      } else if (step.kind == StepKind::kHandOver) {
        edited_.hand_overs[step.number].waker = player;
        stretch_of_hand_over_[step.number] = static_cast<uint32_t>(stretch);
      }
      edited_.steps[player].push_back(step);
    }
  }

  EntityId AddPlayer(EntityId thread, size_t stretch) {
    const EntityId player = edited_.AddThread(thread, score_.cpu_class[thread]);
    edited_.rest.like[player] = score_.like[thread];
    edited_.rest.kernel_thread[player] = score_.kernel_thread[thread];
    const bool any_does =
        (more_.more_threads || any_in_line_) && more_.Holds(score_.VertexOf(thread, vertices_));
    const bool alone = any_does || behind_one_connection_[thread] != 0;
    edited_.rest.seat.push_back(alone ? player : thread);
    edited_.rest.stretch.push_back(static_cast<uint32_t>(stretch));
    return player;
  }

  bool KeepsSeat(EntityId thread, const Step& step) const {
    if (score_.kernel_thread[thread] != 0) return false;
    const uint32_t from = score_.VertexOf(thread, vertices_);
    const bool waits = step.kind == StepKind::kPause || step.kind == StepKind::kAwaitDisk;
    if (waits && one_at_a_time_[thread] != 0) return true;
    switch (step.kind) {
      case StepKind::kAwait: {
        const EntityId waker = score_.PairOf(step.number).waker;
        const uint32_t to = score_.VertexOf(waker, vertices_);
        const auto its = distances_.find(from), others = distances_.find(to);
        const bool asks = its != distances_.end() && others != distances_.end() &&
                          others->second > its->second && waits_.count({to, from}) > 0;
        return asks && !more_.Holds(from) && !loops_.IsInLoop(from, to);
      }
      case StepKind::kAwaitDisk:
        return !loops_.IsInLoop(from, vertices_[DiskOf(step)]);
      case StepKind::kPause:
        if (!step.by_timer && more_.Holds(from)) return false;
        return !loops_.IsInLoop(from, step.number == kNobody ? kNobody : vertices_[step.number]);
      default:
        return false;
    }
  }
  EntityId DiskOf(const Step& step) const {
    return score_.disks[score_.requests[step.number].disk].entity;
  }

  const Score& score_;
  const MoreAtOnce& more_;
  const WaitsInLoops& loops_;
  const std::span<const uint32_t> vertices_;
  const bool any_in_line_;
  const std::vector<uint8_t> together_;
  const std::map<uint32_t, uint32_t> distances_;
  const std::vector<uint8_t> behind_one_connection_;
  const std::vector<uint8_t> one_at_a_time_;
  std::set<std::pair<uint32_t, uint32_t>> waits_;  // vertices: the first for the second
  EditableScore edited_;
  std::vector<uint64_t> ends_ns_;  // of all stretches but the last
  std::vector<uint32_t> stretch_of_hand_over_, stretch_of_await_;
};

}  // namespace

bool WaitsInLoops::IsInLoop(uint32_t from, uint32_t to) const {
  for (const LoopShare& known : shares_) {
    if (known.from == from && known.to == to) return known.share >= kMostlyInLoop;
  }
  return unless_known_;
}

std::vector<uint8_t> ThreadsTogether(const Score& score, const MoreAtOnce& more,
                                     std::span<const uint32_t> vertex_of_entity) {
  std::vector<std::vector<EntityId>> neighbours(score.threads());
  for (const HandOverPair& pair : score.pairs) {
    if (!LeadsOn(pair, more)) continue;
    neighbours[pair.waker].push_back(pair.waiter);
    neighbours[pair.waiter].push_back(pair.waker);
  }
  std::vector<uint8_t> together(score.threads());
  std::deque<EntityId> at;
  const auto reach = [&](EntityId thread) {
    if (together[thread] != 0) return;
    together[thread] = 1;
    if (score.kernel_thread[thread] == 0) at.push_back(thread);
  };
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (more.Holds(score.VertexOf(thread, vertex_of_entity))) reach(thread);
  }
  for (; !at.empty(); at.pop_front()) {
    for (const EntityId next : neighbours[at.front()]) reach(next);
  }
  return together;
}

Score PlayStretchesAtOnce(const Score& score, const MoreAtOnce& more, const WaitsInLoops& loops,
                          bool order_free, std::span<const uint32_t> vertex_of_entity) {
  return Stretches(score, more, loops, order_free, vertex_of_entity).Play();
}

double MostOfSoManyThreads(const Score& score, const MoreAtOnce& more,
                           std::span<const uint32_t> vertex_of_entity) {
  double life_ns = 0, waits_ns = 0, in_line_ns = 0;
  std::vector<uint32_t> asked = more.others;
  asked.push_back(more.vertex);
  for (const uint32_t vertex : asked) {
    for (const std::vector<WaitInLine>& waits : WaitsInLine(score, vertex, vertex_of_entity))
      for (const WaitInLine& wait : waits)
        in_line_ns += static_cast<double>(wait.end_ns - wait.begin_ns);
  }
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (!more.Holds(score.VertexOf(thread, vertex_of_entity))) continue;
    for (const Step& step : score.StepsOf(thread)) {
      const auto length_ns = static_cast<double>(step.duration_ns);
      life_ns += length_ns;
      if (step.kind != StepKind::kRun && step.kind != StepKind::kOffCpu) waits_ns += length_ns;
    }
  }
  if (in_line_ns <= kMostlyEachOther * waits_ns) return std::numeric_limits<double>::infinity();
  return life_ns / std::max(life_ns - in_line_ns, life_ns / kMostGainTold);
}

}  // namespace gordian
