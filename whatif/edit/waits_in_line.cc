// SPDX-License-Identifier: Apache-2.0
#include "whatif/edit/waits_in_line.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "whatif/edit/edit.h"
#include "whatif/edit/own_back_ends.h"
#include "whatif/edit/thresholds.h"

namespace gordian {
namespace {

// Share of the life of threads of a kind. Who waits longer has nothing else to do than to ask.
constexpr double kMostlyWaits = 0.5;
// Share of such waits. So much of it must end together with others: that is a batch.
constexpr double kMostlyShared = 0.5;
// Share of such waits. In less of it the thread is at work for somebody else: that is no line.
constexpr double kShortLine = 0.1;

bool EndsTurn(const Step& step) {
  return step.kind == StepKind::kAwait || step.kind == StepKind::kAwaitDisk ||
         step.kind == StepKind::kPause;
}

class Line {
 public:
  Line(const Score& score, uint32_t vertex, std::span<const uint32_t> vertex_of_entity)
      : score_(score),
        vertex_(vertex),
        vertices_(vertex_of_entity),
        awaited_(score.threads()),
        is_shared_(score.pair_of_hand_over.size()) {
    for (EntityId thread = 0; thread < score.threads(); ++thread) {
      FindThoseAwaited(thread);
      if (IsAlike(thread)) FindShared(thread);
    }
    // In order of their ends: of one thread they end one after the other.
    for (std::vector<WaitInLine>& waits : awaited_)
      std::sort(waits.begin(), waits.end(),
                [](const WaitInLine& a, const WaitInLine& b) { return a.end_ns < b.end_ns; });
  }

  std::vector<std::vector<WaitInLine>> Find() const {
    std::vector<std::vector<WaitInLine>> found(score_.threads());
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (!IsAlike(thread)) continue;
      for (const Step& step : score_.StepsOf(thread)) {
        if (step.kind != StepKind::kAwait || !IsAlike(score_.PairOf(step.number).waker)) continue;
        const WaitInLine wait = {step.recorded_ns, step.recorded_ns + step.duration_ns,
                                 is_shared_[step.number] != 0};
        if (!is_any_awaited_ || IsAwaited(thread, wait)) found[thread].push_back(wait);
      }
    }
    return found;
  }

 private:
  bool IsAlike(EntityId thread) const { return score_.VertexOf(thread, vertices_) == vertex_; }

  void FindThoseAwaited(EntityId thread) {
    if (IsAlike(thread) || score_.kernel_thread[thread] != 0) return;
    for (const Step& step : score_.StepsOf(thread)) {
      if (step.kind != StepKind::kAwait) continue;
      const HandOverPair& pair = score_.PairOf(step.number);
      if (pair.count == 0 || !IsAlike(pair.waker)) continue;
      is_any_awaited_ |= !AsksMore(pair.waker, thread);
      awaited_[pair.waker].push_back({step.recorded_ns, step.recorded_ns + step.duration_ns});
    }
  }

  // Who answers that thread waits for its next question: nothing is due to it. It tells of work all
  // the same where it is a connection of that thread alone.
  bool AsksMore(EntityId asker, EntityId answerer) const {
    return Questions(asker, answerer) > Questions(answerer, asker);
  }
  uint64_t Questions(EntityId asker, EntityId answerer) const {
    const auto found = std::lower_bound(
        score_.questions.begin(), score_.questions.end(), std::pair(asker, answerer),
        [](const QuestionCount& one, const std::pair<EntityId, EntityId>& who) {
          return std::pair(one.asker, one.answerer) < who;
        });
    const bool is_known =
        found != score_.questions.end() && found->asker == asker && found->answerer == answerer;
    return is_known ? found->count : 0;
  }

  void FindShared(EntityId waker) {
    std::vector<uint32_t> of_turn;
    const auto end_turn = [&] {
      if (of_turn.size() > 1)
        for (const uint32_t hand_over : of_turn) is_shared_[hand_over] = 1;
      of_turn.clear();
    };
    for (const Step& step : score_.StepsOf(waker)) {
      if (EndsTurn(step)) end_turn();
      if (step.kind == StepKind::kHandOver && IsAlike(score_.PairOf(step.number).waiter))
        of_turn.push_back(step.number);
    }
    end_turn();
  }

  // For most of it: who asked may still run when the question is read.
  bool IsAwaited(EntityId thread, const WaitInLine& wait) const {
    const std::vector<WaitInLine>& by = awaited_[thread];
    const auto next = std::lower_bound(
        by.begin(), by.end(), wait.end_ns,
        [](const WaitInLine& one, uint64_t time_ns) { return one.end_ns < time_ns; });
    return next != by.end() && next->begin_ns <= wait.begin_ns + (wait.end_ns - wait.begin_ns) / 2;
  }

  const Score& score_;
  const uint32_t vertex_;
  const std::span<const uint32_t> vertices_;
  std::vector<std::vector<WaitInLine>> awaited_;  // by thread: waits of others that it ended
  std::vector<uint8_t> is_shared_;                // by hand-over
  bool is_any_awaited_ = false;
};

// What one kind of askers waits for.
struct Asked {
  std::set<EntityId> threads;
  double life_ns = 0;
  double waits_ns = 0;
  double before_turns_ns = 0;  // of the waits: until the thread was done with others
  double shared_ns = 0;        // of the waits: those that ended in a turn that answered several
  bool ask = false;            // the vertex waits for them, too
};

// A thread's hand-overs to a kind between its own waits, each to another thread. (Who is always
// busy has no waits.)
class Turns {
 public:
  Turns(const Score& score, EntityId thread, uint32_t kind,
        std::span<const uint32_t> vertex_of_entity) {
    bool is_open = false;
    std::set<EntityId> answered;
    for (const Step& step : score.StepsOf(thread)) {
      if (EndsTurn(step)) is_open = false;
      if (step.kind != StepKind::kHandOver ||
          score.VertexOf(score.PairOf(step.number).waiter, vertex_of_entity) != kind)
        continue;
      if (!is_open) answered.clear();
      if (!answered.insert(score.PairOf(step.number).waiter).second) {
        answered = {score.PairOf(step.number).waiter};
        is_open = false;
      }
      if (!is_open) turns_.push_back({.begin_ns = end_ns_});
      ++turns_.back().answers;
      is_open = true;
      end_ns_ = step.recorded_ns;
    }
  }
  struct Turn {
    uint64_t begin_ns = 0;
    uint32_t answers = 0;
  };
  // That which ends a wait at that time.
  Turn EndingAt(uint64_t end_ns) const {
    const auto next = std::lower_bound(
        turns_.begin(), turns_.end(), end_ns,
        [](const Turn& turn, uint64_t time_ns) { return turn.begin_ns < time_ns; });
    return next == turns_.begin() ? Turn() : *(next - 1);
  }

 private:
  std::vector<Turn> turns_;
  uint64_t end_ns_ = 0;
};

}  // namespace

std::vector<std::vector<WaitInLine>> WaitsInLine(const Score& score, uint32_t vertex,
                                                 std::span<const uint32_t> vertex_of_entity) {
  return Line(score, vertex, vertex_of_entity).Find();
}

double ShareInUse(const Score& score, std::span<const std::vector<WaitInLine>> waits_in_line) {
  uint64_t end_ns = 1;
  for (const Step& step : score.steps)
    end_ns = std::max(end_ns, step.recorded_ns + step.duration_ns);
  std::vector<WaitInLine> all;
  for (const std::vector<WaitInLine>& waits : waits_in_line)
    for (const WaitInLine& wait : waits)
      if (!wait.is_shared) all.push_back(wait);
  std::sort(all.begin(), all.end(),
            [](const WaitInLine& a, const WaitInLine& b) { return a.begin_ns < b.begin_ns; });
  uint64_t in_use_ns = 0, until_ns = 0;
  for (const WaitInLine& wait : all) {
    if (wait.end_ns <= until_ns) continue;
    in_use_ns += wait.end_ns - std::max(until_ns, wait.begin_ns);
    until_ns = wait.end_ns;
  }
  return static_cast<double>(in_use_ns) / static_cast<double>(end_ns);
}

double MostOfWhatIsScarce(const Score& score, const MoreAtOnce& more,
                          std::span<const uint32_t> vertex_of_entity) {
  const std::vector<uint8_t> together = ThreadsTogether(score, more, vertex_of_entity);
  std::set<uint32_t> vertices;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    const uint32_t vertex = score.VertexOf(thread, vertex_of_entity);
    const bool grows = more.Holds(vertex) && !more.more_threads;
    if (together[thread] != 0 && score.kernel_thread[thread] == 0 && !grows)
      vertices.insert(vertex);
  }
  double most = MostOfThoseOneAtATime(
      score, [&more](uint32_t vertex) { return more.Holds(vertex); }, vertex_of_entity);
  for (const uint32_t vertex : vertices) {
    const double in_use = ShareInUse(score, WaitsInLine(score, vertex, vertex_of_entity));
    most = std::min(most, 1 / std::max(in_use, 1 / kMostGainTold));
  }
  return most;
}

bool MayStandInLine(const Score& score, uint32_t vertex,
                    std::span<const uint32_t> vertex_of_entity) {
  const auto kind_of = [&](EntityId thread) { return score.VertexOf(thread, vertex_of_entity); };
  std::map<uint32_t, Asked> askers;
  std::map<std::pair<EntityId, uint32_t>, Turns> turns;
  for (EntityId thread = 0; thread < score.threads(); ++thread) {
    if (score.kernel_thread[thread] != 0) continue;
    Asked& asked = askers[kind_of(thread)];
    for (const Step& step : score.StepsOf(thread)) {
      asked.life_ns += static_cast<double>(step.duration_ns);
      if (kind_of(thread) == vertex) {
        if (step.kind == StepKind::kAwait)
          askers[kind_of(score.PairOf(step.number).waker)].ask = true;
        if (step.kind == StepKind::kPause && step.number < score.threads())
          askers[kind_of(step.number)].ask = true;
      }
      if (step.kind != StepKind::kAwait) continue;
      const HandOverPair& pair = score.PairOf(step.number);
      if (pair.count == 0 || kind_of(pair.waker) != vertex) continue;
      const auto its = turns.try_emplace({pair.waker, kind_of(thread)}, score, pair.waker,
                                         kind_of(thread), vertex_of_entity);
      const Turns::Turn turn = its.first->second.EndingAt(step.recorded_ns + step.duration_ns);
      asked.threads.insert(thread);
      asked.waits_ns += static_cast<double>(step.duration_ns);
      if (turn.answers > 1) asked.shared_ns += static_cast<double>(step.duration_ns);
      if (turn.begin_ns > step.recorded_ns)
        asked.before_turns_ns += static_cast<double>(turn.begin_ns - step.recorded_ns);
    }
  }
  askers.erase(vertex);
  bool is_known = false;
  for (const auto& [kind, asked] : askers) {
    const bool waits_for_answers =
        asked.ask && asked.threads.size() > 1 && asked.waits_ns > kMostlyWaits * asked.life_ns;
    if (!waits_for_answers) continue;
    if (asked.before_turns_ns > kShortLine * asked.waits_ns) return true;
    is_known = true;
  }
  return !is_known;
}

}  // namespace gordian
