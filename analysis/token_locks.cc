// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_locks.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

// Of the requests that waited for a lock. If hardly any of them lets somebody else go on behind its
// wait, it is later requests that do.
constexpr double kHardlyAnyLetsGo = 0.1;
// Fewer waits may have had nobody behind them by chance.
constexpr uint64_t kFewestLockWaits = 100;
constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();
constexpr size_t kNoTurn = std::numeric_limits<size_t>::max();

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
    made_.looks = made_.waits;
    // Where only some requests are kept, most of the holders are not.
    if (turns_.followed >= 2 * turns_.turns.size()) return std::move(made_);
    for (size_t i = 0; i < turns_.turns.size(); ++i)
      of_thread_[turns_.turns[i].request->thread].push_back(i);
    FindQuestions();
    for (size_t i = 0; i < turns_.turns.size(); ++i) {
      FindWaits(i);
      FindLooks(i);
    }
    for (auto& [thread, of_thread] : releases_) std::sort(of_thread.begin(), of_thread.end());
    FindHolds();
    FindLongHolds();
    CountSeats();
    return std::move(made_);
  }

 private:
  struct Release {
    uint64_t time_ns = 0;
    uint32_t lock = 0;
    uint64_t waited_since_ns = 0;  // who is woken
    bool operator<(const Release& other) const {
      return std::tie(time_ns, lock) < std::tie(other.time_ns, other.lock);
    }
  };
  // Of one turn and lock.
  struct Use {
    uint64_t waited_ns = 0;            // when its last wait ended; 0: none
    uint64_t released_ns = 0;          // when it last woke somebody, behind that wait; 0: never
    uint64_t found_taken_ns = kNever;  // by whom it then woke
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

  // Its question to another server, at the thread that has that connection.
  struct Question {
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
    size_t turn = 0;
    bool operator<(const Question& other) const {
      return std::tie(from_ns, turn) < std::tie(other.from_ns, other.turn);
    }
  };

  void FindQuestions() {
    for (size_t turn = 0; turn < turns_.turns.size(); ++turn) {
      for (const RequestStep& step : turns_.turns[turn].way) {
        if (step.kind != RequestStepKind::kPeer || !HasOwnConnection(step.waits_for)) continue;
        std::vector<Question>& of_thread = questions_[step.waits_for];
        if (!of_thread.empty() && of_thread.back().turn == turn &&
            of_thread.back().to_ns == step.from_ns)
          of_thread.back().to_ns = step.to_ns;
        else
          of_thread.push_back({step.from_ns, step.to_ns, turn});
      }
    }
    for (auto& [thread, of_thread] : questions_) std::sort(of_thread.begin(), of_thread.end());
  }

  // A thread of another server that serves one connection, as does who asks over that. Nobody has
  // to wait for such a connection, with a lock of that server in hand or without.
  bool HasOwnConnection(EntityId thread) const {
    const uint16_t port = thread < timeline_.thread_count() ? NestedPortOf(turns_, thread) : 0;
    return port != 0 && turns_.on_one_connection.contains(thread) &&
           turns_.asked_by_each.contains(port);
  }

  // Whose question that thread had then. It begins to work before who asked sleeps, and may let go
  // once it has answered: between two questions it is at the nearer one.
  size_t AskedFor(EntityId thread, uint64_t time_ns) const {
    const auto of_thread = questions_.find(thread);
    if (of_thread == questions_.end()) return kNoTurn;
    const std::vector<Question>& all = of_thread->second;
    const auto next = std::partition_point(
        all.begin(), all.end(), [&](const Question& it) { return it.from_ns <= time_ns; });
    if (next == all.begin()) return next->turn;
    const Question& last = *std::prev(next);
    const bool is_nearer_next =
        next != all.end() && time_ns > last.to_ns && next->from_ns - time_ns < time_ns - last.to_ns;
    return is_nearer_next ? next->turn : last.turn;
  }

  // Who waits for whom.
  struct Waiting {
    EntityId waiter = kNobody;
    EntityId holder = kNobody;
    bool is_nested = false;
    bool operator==(const Waiting& other) const {
      return waiter == other.waiter && holder == other.holder;
    }
  };

  Waiting WaitingOf(const RequestStep& step) const {
    const auto may_be = [](RequestStepKind kind) {
      return kind == RequestStepKind::kLock || kind == RequestStepKind::kThread;
    };
    if (may_be(step.kind) && step.waits_for < timeline_.thread_count() &&
        step.waits_for != step.thread && !loops_.contains(VertexOf(step.thread)) &&
        !loops_.contains(VertexOf(step.waits_for)) && NestedPortOf(turns_, step.waits_for) == 0)
      return {step.thread, step.waits_for};
    if (step.kind == RequestStepKind::kPeer && may_be(step.cause) &&
        step.cause_thread != step.waits_for && HasOwnConnection(step.waits_for) &&
        HasOwnConnection(step.cause_thread))
      return {step.waits_for, step.cause_thread, /*is_nested=*/true};
    return {};
  }

  bool WorksForAnother(const Waiting& waiting, size_t turn, uint64_t time_ns) const {
    if (!waiting.is_nested) return Serves(waiting.holder, time_ns);
    const size_t other = AskedFor(waiting.holder, time_ns);
    return other != kNoTurn && other != turn;
  }

  void FindWaits(size_t turn) {
    const std::span<const RequestStep> way = turns_.turns[turn].way;
    for (size_t begin = 0; begin < way.size();) {
      size_t end = begin + 1;
      const Waiting waiting = WaitingOf(way[begin]);
      if (waiting.waiter == kNobody) {
        begin = end;
        continue;
      }
      while (end < way.size() && WaitingOf(way[end]) == waiting) ++end;
      const uint64_t to_ns = way[end - 1].to_ns;
      if (WorksForAnother(waiting, turn, to_ns)) {
        const uint32_t lock = LockOf(VertexOf(waiting.waiter), VertexOf(waiting.holder));
        made_.locks[lock].is_nested = waiting.is_nested;
        std::fill(made_.waits[turn].begin() + static_cast<std::ptrdiff_t>(begin),
                  made_.waits[turn].begin() + static_cast<std::ptrdiff_t>(end), lock);
        releases_[waiting.holder].push_back({to_ns, lock, way[begin].from_ns});
        waited_.push_back({.lock = lock, .take_ns = way[begin].from_ns, .give_ns = to_ns});
        uses_[{turn, lock}].waited_ns = to_ns;
      }
      begin = end;
    }
  }

  void FindLooks(size_t turn) {
    const std::span<const RequestStep> way = turns_.turns[turn].way;
    size_t last = way.size();  // wait
    for (size_t i = 0; i < way.size(); ++i) {
      const uint32_t lock = made_.waits[turn][i];
      const bool goes_on = last < i && way[i].kind == RequestStepKind::kPeer &&
                           way[last].kind == RequestStepKind::kPeer &&
                           way[i].asked == way[last].asked;
      if (!goes_on) last = way.size();
      if (lock == kNobody) continue;
      if (last < i && made_.waits[turn][last] == lock)
        std::fill(made_.looks[turn].begin() + static_cast<std::ptrdiff_t>(last) + 1,
                  made_.looks[turn].begin() + static_cast<std::ptrdiff_t>(i), lock);
      last = i;
    }
  }

  uint32_t LockOf(uint32_t waiter, uint32_t holder) {
    const auto [found, is_new] =
        numbers_.try_emplace(std::pair(waiter, holder), static_cast<uint32_t>(made_.locks.size()));
    if (is_new) made_.locks.push_back({waiter, holder});
    return found->second;
  }

  void LetGo(size_t turn, const Release& release) {
    Use& use = uses_[{turn, release.lock}];
    if (release.time_ns <= use.waited_ns) return;
    use.released_ns = release.time_ns;
    use.found_taken_ns = release.waited_since_ns;
  }

  void FindHolds() {
    for (const auto& [thread, releases] : releases_) {
      for (const Release& release : releases)
        if (made_.locks[release.lock].is_nested) LetGo(AskedFor(thread, release.time_ns), release);
      const auto turns = of_thread_.find(thread);
      if (turns == of_thread_.end()) continue;
      for (const size_t turn : turns->second) {
        const Request& request = *turns_.turns[turn].request;
        for (auto at =
                 std::lower_bound(releases.begin(), releases.end(), Release{request.start_ns, 0});
             at != releases.end() && at->time_ns <= request.answer_ns; ++at)
          if (!made_.locks[at->lock].is_nested) LetGo(turn, *at);
      }
    }
    const std::vector<uint64_t> medians = MedianHolds();
    const std::vector<std::vector<uint64_t>> all_releases = AllReleases();
    for (const auto& [key, use] : uses_) {
      const auto [turn, lock] = key;
      const Request& request = *turns_.turns[turn].request;
      const uint64_t median_ns = medians[lock];
      LockHold hold = {.lock = lock, .take_ns = use.waited_ns, .give_ns = use.released_ns};
      // It had the lock when the other one found it taken, or as one before gave it back.
      if (use.waited_ns == 0) {
        const uint64_t had_ns =
            std::max(use.found_taken_ns, LastBefore(all_releases[lock], use.released_ns));
        hold.take_ns =
            std::max(request.start_ns,
                     std::min(had_ns, use.released_ns - std::min(use.released_ns, median_ns)));
      }
      if (use.released_ns == 0)
        hold.give_ns = std::min(request.answer_ns, use.waited_ns + median_ns);
      made_.of_turn[turn].push_back(hold);
    }
    for (std::vector<LockHold>& holds : made_.of_turn)
      std::sort(holds.begin(), holds.end(), [](const LockHold& a, const LockHold& b) {
        return std::tie(a.take_ns, a.lock) < std::tie(b.take_ns, b.lock);
      });
  }

  // Whoever lets go may be of another vertex of the same name: any lock counts.
  bool LetsGoBehind(size_t turn, uint64_t waited_ns) const {
    for (auto use = uses_.lower_bound({turn, 0}); use != uses_.end() && use->first.first == turn;
         ++use)
      if (use->second.released_ns > waited_ns) return true;
    return false;
  }

  void FindLongHolds() {
    std::vector<uint64_t> waits(made_.locks.size());
    std::vector<uint64_t> let_go(made_.locks.size());
    for (const auto& [key, use] : uses_) {
      if (use.waited_ns == 0) continue;
      ++waits[key.second];
      let_go[key.second] += LetsGoBehind(key.first, use.waited_ns) ? 1 : 0;
    }
    for (size_t lock = 0; lock < waits.size(); ++lock)
      made_.locks[lock].outlives_requests =
          !made_.locks[lock].is_nested && waits[lock] >= kFewestLockWaits &&
          static_cast<double>(let_go[lock]) < kHardlyAnyLetsGo * static_cast<double>(waits[lock]);
  }

  static uint64_t LastBefore(std::span<const uint64_t> sorted, uint64_t time_ns) {
    const auto next = std::lower_bound(sorted.begin(), sorted.end(), time_ns);
    return next == sorted.begin() ? 0 : *std::prev(next);
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

  // By lock, in order of time.
  std::vector<std::vector<uint64_t>> AllReleases() const {
    std::vector<std::vector<uint64_t>> all(made_.locks.size());
    for (const auto& [thread, releases] : releases_)
      for (const Release& release : releases) all[release.lock].push_back(release.time_ns);
    for (std::vector<uint64_t>& of_lock : all) std::sort(of_lock.begin(), of_lock.end());
    return all;
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
  std::vector<LockHold> waited_;                         // from the wait's begin to its end
  std::map<EntityId, std::vector<size_t>> of_thread_;    // turns
  std::map<EntityId, std::vector<Question>> questions_;  // by who has that connection
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
