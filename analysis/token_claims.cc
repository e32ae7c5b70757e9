// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_claims.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/token_ways.h"

namespace gordian {
namespace {

// Those that only stood there last, then in order of their answers; and the turn.
using Claimant = std::tuple<bool, uint64_t, size_t>;

struct OwnedRun {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
  size_t turn = 0;
};

struct ClaimEdge {
  uint64_t time_ns = 0;
  bool is_end = false;
  Claimant claimant;
  bool operator<(const ClaimEdge& other) const {
    return std::tie(time_ns, is_end, claimant) <
           std::tie(other.time_ns, other.is_end, other.claimant);
  }
};

// Whose that thread is, in order of time, where it is anybody's.
std::vector<OwnedRun> OwnersOf(std::vector<ClaimEdge>& edges) {
  std::sort(edges.begin(), edges.end());
  std::vector<OwnedRun> owned;
  std::multiset<Claimant> open;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && !open.empty() && edges[i - 1].time_ns < edges[i].time_ns) {
      const size_t turn = std::get<2>(*open.begin());
      const bool goes_on =
          !owned.empty() && owned.back().turn == turn && owned.back().to_ns == edges[i - 1].time_ns;
      if (goes_on) {
        owned.back().to_ns = edges[i].time_ns;
      } else {
        owned.push_back({edges[i - 1].time_ns, edges[i].time_ns, turn});
      }
    }
    if (edges[i].is_end) {
      open.erase(open.find(edges[i].claimant));
    } else {
      open.insert(edges[i].claimant);
    }
  }
  return owned;
}

class ClaimKeeper {
 public:
  // Of `waiters` the waits are claimed, too.
  ClaimKeeper(TokenTurns& turns, const std::set<EntityId>& waiters)
      : turns_(turns.turns), servers_(turns.port_of_server), waiters_(waiters) {
    std::map<EntityId, std::vector<ClaimEdge>> edges;
    for (size_t turn = 0; turn < turns_.size(); ++turn) {
      for (const RequestStep& step : turns_[turn].way) {
        if (!IsClaim(step)) continue;
        const Claimant claimant = {step.kind == RequestStepKind::kBehind,
                                   turns_[turn].request->answer_ns, turn};
        edges[step.thread].push_back({step.from_ns, false, claimant});
        edges[step.thread].push_back({step.to_ns, true, claimant});
      }
    }
    for (auto& [thread, of_thread] : edges) owned_[thread] = OwnersOf(of_thread);
  }

  void Keep() {
    for (size_t turn = 0; turn < turns_.size(); ++turn) KeepOf(turn);
  }

 private:
  bool IsClaim(const RequestStep& step) const {
    if (step.thread == kNobody) return false;
    const bool waits = waiters_.contains(step.thread);
    const bool is_behind = step.kind == RequestStepKind::kBehind;
    if (is_behind && !waits) return false;
    const RequestStepKind deed = is_behind ? step.cause : step.kind;
    return deed == RequestStepKind::kRun ||
           (waits && (deed == RequestStepKind::kTimer || deed == RequestStepKind::kDisk));
  }

  // From its answer back.
  void KeepOf(size_t turn) {
    std::vector<RequestStep>& way = turns_[turn].way;
    std::vector<RequestStep> kept;  // from the last one to the first
    EntityId lost = kNobody;        // the thread whose work just behind was another request's
    for (size_t i = way.size(); i-- > 0;) {
      if (way[i].thread != lost) lost = kNobody;
      if (!IsClaim(way[i])) {
        // Whose a server's own question to another one is, is known. So is the work before it.
        const bool is_question = way[i].kind == RequestStepKind::kPeer &&
                                 way[i].asked != kNoConnection && servers_.contains(way[i].thread);
        if (is_question) lost = kNobody;
        kept.push_back(lost != kNobody ? Behind(way[i]) : way[i]);
        continue;
      }
      for (const auto& [piece, is_own] : PiecesOf(way[i], turn)) {
        lost = is_own ? kNobody : piece.thread;
        kept.push_back(is_own ? Own(piece) : Behind(piece));
      }
    }
    way.assign(kept.rbegin(), kept.rend());
  }

  static RequestStep Own(RequestStep step) {
    if (step.kind == RequestStepKind::kBehind) step.kind = step.cause;
    return step;
  }

  static RequestStep Behind(RequestStep step) {
    if (step.kind == RequestStepKind::kBehind) return step;
    step.cause = step.kind;
    step.kind = RequestStepKind::kBehind;
    step.waits_for = step.cause_thread = step.thread;
    step.asked = kNoConnection;
    step.inner = RequestStepKind::kUnknown;
    step.inner_thread = kNobody;
    return step;
  }

  // From the last one to the first; with each, whether it is that request's own.
  std::vector<std::pair<RequestStep, bool>> PiecesOf(const RequestStep& step, size_t turn) const {
    const std::vector<OwnedRun>& owned = owned_.at(step.thread);
    std::vector<std::pair<RequestStep, bool>> pieces;
    auto run = std::lower_bound(
        owned.begin(), owned.end(), step.to_ns,
        [](const OwnedRun& run_of, uint64_t at_ns) { return run_of.from_ns < at_ns; });
    for (RequestStep left = step; run != owned.begin() && left.to_ns > step.from_ns;) {
      --run;
      RequestStep piece = left;
      piece.from_ns = std::max(step.from_ns, run->from_ns);
      left.to_ns = piece.from_ns;
      const bool is_own = run->turn == turn;
      if (!pieces.empty() && pieces.back().second == is_own) {
        pieces.back().first.from_ns = piece.from_ns;
      } else {
        pieces.emplace_back(piece, is_own);
      }
    }
    return pieces;
  }

  const std::span<TokenTurn> turns_;
  const std::map<EntityId, uint16_t>& servers_;
  const std::set<EntityId>& waiters_;
  std::map<EntityId, std::vector<OwnedRun>> owned_;
};

// An event loop waits for another program's thread that it gave a request to, over something that
// was not recorded: the request is with that thread then.
void GoToHelpers(const Timeline& timeline, const std::set<EntityId>& loops, TokenTurns& turns) {
  const std::set<EntityId> clients(turns.clients.begin(), turns.clients.end());
  const auto is_helper = [&](EntityId thread) {
    return thread < timeline.thread_count() && !timeline.entities()[thread].kernel_thread &&
           !loops.contains(thread) && !clients.contains(thread) &&
           !turns.port_of_server.contains(thread);
  };
  for (TokenTurn& turn : turns.turns) {
    for (RequestStep& step : turn.way) {
      if (step.kind != RequestStepKind::kThread || !loops.contains(step.thread) ||
          !is_helper(step.waits_for))
        continue;
      step.thread = step.waits_for;
      if (step.cause_thread == step.waits_for) step.kind = step.cause;
    }
  }
}

}  // namespace

void KeepOneClaim(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                  TokenTurns& turns) {
  // Which threads wait for several requests at once shows only once their runs are told apart.
  std::vector<TokenTurn> recorded = turns.turns;
  ClaimKeeper(turns, {}).Keep();
  const std::set<uint32_t> vertices = EventLoopsOf(timeline, turns, vertex_of_entity);
  turns.turns = std::move(recorded);
  std::set<EntityId> loops;
  std::set<EntityId> others;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
    (vertices.contains(vertex_of_entity[thread]) ? loops : others).insert(thread);
  GoToHelpers(timeline, loops, turns);
  ClaimKeeper(turns, others).Keep();
}

}  // namespace gordian
