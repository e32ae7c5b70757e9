// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_locks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

class LockFinder {
 public:
  LockFinder(const Timeline& timeline, const TokenTurns& turns,
             std::span<const uint32_t> vertex_of_entity, const std::set<uint32_t>& event_loops)
      : timeline_(timeline), turns_(turns), vertices_(vertex_of_entity), loops_(event_loops) {}

  TokenLocks Find() {
    made_.of_turn.resize(turns_.turns.size());
    made_.waits.resize(turns_.turns.size());
    for (size_t i = 0; i < turns_.turns.size(); ++i)
      made_.waits[i].assign(turns_.turns[i].way.size(), kNobody);
    // Where only some requests are kept, most of the holders are not.
    if (turns_.requests >= 2 * turns_.turns.size()) return std::move(made_);
    for (size_t i = 0; i < turns_.turns.size(); ++i)
      of_thread_[turns_.turns[i].request->thread].push_back(i);
    for (size_t i = 0; i < turns_.turns.size(); ++i) FindWaits(i);
    for (auto& [thread, of_thread] : releases_) std::sort(of_thread.begin(), of_thread.end());
    FindHolds();
    CountSeats();
    return std::move(made_);
  }

 private:
  struct Release {
    uint64_t time_ns = 0;
    uint32_t lock = 0;
    bool operator<(const Release& other) const {
      return std::tie(time_ns, lock) < std::tie(other.time_ns, other.lock);
    }
  };
  // Of one turn and lock.
  struct Use {
    uint64_t waited_ns = 0;    // when its last wait ended; 0: none
    uint64_t released_ns = 0;  // when it last woke somebody, behind that wait; 0: never
  };

  uint32_t VertexOf(EntityId id) const { return id < vertices_.size() ? vertices_[id] : kNobody; }

  // Whether the thread worked for another request then.
  bool Serves(EntityId thread, uint64_t time_ns) const {
    const auto found = of_thread_.find(thread);
    if (found == of_thread_.end()) return false;
    // Of one thread they are in order of their answers.
    const auto turn = std::lower_bound(
        found->second.begin(), found->second.end(), time_ns,
        [&](size_t i, uint64_t at_ns) { return turns_.turns[i].request->answer_ns < at_ns; });
    return turn != found->second.end() && turns_.turns[*turn].request->start_ns <= time_ns;
  }

  bool IsWaitForHolder(const RequestStep& step) const {
    return (step.kind == RequestStepKind::kLock || step.kind == RequestStepKind::kThread) &&
           step.waits_for < timeline_.thread_count() && step.waits_for != step.thread &&
           !loops_.contains(VertexOf(step.thread)) && !loops_.contains(VertexOf(step.waits_for)) &&
           NestedPortOf(turns_, step.waits_for) == 0;
  }

  void FindWaits(size_t turn) {
    const std::span<const RequestStep> way = turns_.turns[turn].way;
    for (size_t begin = 0; begin < way.size();) {
      size_t end = begin + 1;
      if (!IsWaitForHolder(way[begin])) {
        begin = end;
        continue;
      }
      while (end < way.size() && IsWaitForHolder(way[end]) &&
             way[end].thread == way[begin].thread && way[end].waits_for == way[begin].waits_for)
        ++end;
      const uint64_t to_ns = way[end - 1].to_ns;
      if (Serves(way[begin].waits_for, to_ns)) {
        const uint32_t lock = LockOf(VertexOf(way[begin].thread), VertexOf(way[begin].waits_for));
        std::fill(made_.waits[turn].begin() + static_cast<std::ptrdiff_t>(begin),
                  made_.waits[turn].begin() + static_cast<std::ptrdiff_t>(end), lock);
        releases_[way[begin].waits_for].push_back({to_ns, lock});
        waited_.push_back({.lock = lock, .take_ns = way[begin].from_ns, .give_ns = to_ns});
        uses_[{turn, lock}].waited_ns = to_ns;
      }
      begin = end;
    }
  }

  uint32_t LockOf(uint32_t waiter, uint32_t holder) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::pair(waiter, holder), static_cast<uint32_t>(made_.locks.size()));
    if (is_new) made_.locks.push_back({waiter, holder});
    return found->second;
  }

  void FindHolds() {
    for (const auto& [thread, releases] : releases_) {
      const auto turns = of_thread_.find(thread);
      if (turns == of_thread_.end()) continue;
      for (const size_t turn : turns->second) {
        const Request& request = *turns_.turns[turn].request;
        for (auto at =
                 std::lower_bound(releases.begin(), releases.end(), Release{request.start_ns, 0});
             at != releases.end() && at->time_ns <= request.answer_ns; ++at) {
          Use& use = uses_[{turn, at->lock}];
          if (at->time_ns > use.waited_ns) use.released_ns = at->time_ns;
        }
      }
    }
    const std::vector<uint64_t> medians = MedianHolds();
    for (const auto& [key, use] : uses_) {
      const auto [turn, lock] = key;
      const Request& request = *turns_.turns[turn].request;
      const uint64_t median_ns = medians[lock];
      LockHold hold = {.lock = lock, .take_ns = use.waited_ns, .give_ns = use.released_ns};
      if (use.waited_ns == 0)
        hold.take_ns =
            std::max(request.start_ns, use.released_ns - std::min(use.released_ns, median_ns));
      if (use.released_ns == 0)
        hold.give_ns = std::min(request.answer_ns, use.waited_ns + median_ns);
      made_.of_turn[turn].push_back(hold);
    }
    for (std::vector<LockHold>& holds : made_.of_turn)
      std::sort(holds.begin(), holds.end(), [](const LockHold& a, const LockHold& b) {
        return std::tie(a.take_ns, a.lock) < std::tie(b.take_ns, b.lock);
      });
  }

  // By lock, of those whose both ends were seen.
  std::vector<uint64_t> MedianHolds() const {
    std::vector<std::vector<uint64_t>> lengths(made_.locks.size());
    for (const auto& [key, use] : uses_)
      if (use.waited_ns != 0 && use.released_ns != 0)
        lengths[key.second].push_back(use.released_ns - use.waited_ns);
    std::vector<uint64_t> medians(lengths.size());
    for (size_t lock = 0; lock < lengths.size(); ++lock) {
      if (lengths[lock].empty()) continue;
      const auto middle =
          lengths[lock].begin() + static_cast<std::ptrdiff_t>(lengths[lock].size() / 2);
      std::nth_element(lengths[lock].begin(), middle, lengths[lock].end());
      medians[lock] = *middle;
    }
    return medians;
  }

  // While somebody waits, all seats are taken: so many as are held at once at the median of that
  // time. Of a mutex it is one, whatever the holds whose ends are estimated add.
  void CountSeats() {
    struct Change {
      uint64_t at_ns = 0;
      int held = 0;
      int waiting = 0;
    };
    std::vector<std::vector<Change>> changes(made_.locks.size());
    const auto add = [&](const LockHold& stretch, int held, int waiting) {
      if (stretch.take_ns >= stretch.give_ns) return;
      changes[stretch.lock].push_back({stretch.take_ns, held, waiting});
      changes[stretch.lock].push_back({stretch.give_ns, -held, -waiting});
    };
    for (const std::vector<LockHold>& holds : made_.of_turn)
      for (const LockHold& hold : holds) add(hold, 1, 0);
    for (const LockHold& wait : waited_) add(wait, 0, 1);
    for (uint32_t lock = 0; lock < changes.size(); ++lock) {
      std::vector<Change>& of_lock = changes[lock];
      std::sort(of_lock.begin(), of_lock.end(),
                [](const Change& a, const Change& b) { return a.at_ns < b.at_ns; });
      std::map<int, uint64_t> time_ns;  // by holds at once
      uint64_t all_ns = 0;
      Change now;
      for (const Change& change : of_lock) {
        const uint64_t passed_ns = change.at_ns - now.at_ns;
        if (now.waiting > 0 && now.held > 0) time_ns[now.held] += passed_ns;
        if (now.waiting > 0 && now.held > 0) all_ns += passed_ns;
        now = {change.at_ns, now.held + change.held, now.waiting + change.waiting};
      }
      uint64_t below_ns = 0;
      for (const auto& [held, its_ns] : time_ns) {
        below_ns += its_ns;
        if (below_ns * 2 < all_ns) continue;
        made_.locks[lock].seats = static_cast<uint32_t>(held);
        break;
      }
    }
  }

  const Timeline& timeline_;
  const TokenTurns& turns_;
  const std::span<const uint32_t> vertices_;
  const std::set<uint32_t>& loops_;
  TokenLocks made_;
  std::vector<LockHold> waited_;                       // from the wait's begin to its end
  std::map<EntityId, std::vector<size_t>> of_thread_;  // turns
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers_;
  std::map<EntityId, std::vector<Release>> releases_;
  std::map<std::pair<size_t, uint32_t>, Use> uses_;  // by turn and lock
};

}  // namespace

TokenLocks LocksOfTurns(const Timeline& timeline, const TokenTurns& turns,
                        std::span<const uint32_t> vertex_of_entity,
                        const std::set<uint32_t>& event_loops) {
  return LockFinder(timeline, turns, vertex_of_entity, event_loops).Find();
}

}  // namespace gordian
