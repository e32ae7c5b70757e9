#include "analyzer/findings/limit_search.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/closed_circle.h"
#include "analyzer/findings/explain.h"
#include "analyzer/findings/waiters.h"
#include "analyzer/findings/wording.h"
#include "analyzer/knots/knots.h"

namespace gordian {
namespace {

constexpr uint32_t kNowhere = 0xffffffff;
// A knot whose members together want less of one CPU than this sleeps often: a background knot.
constexpr double kBackgroundCpus = 0.95;
// A sleeper nobody waits for is a worker only if it does such a part of the target's work, and more
// than look now and then whether there is any.
constexpr double kCarriesTheWork = 0.20;

// A client that waits again and again and for most of the time does so for work under way: however
// little they use the CPUs who do it, they are no background.
constexpr double kClientWaits = 0.5;
constexpr uint64_t kManyWaits = 20;

std::vector<char> FindThoseClientsWaitFor(const Measures& measures, const Target& target) {
  std::vector<char> found(measures.graph().vertices.size());
  for (const Edge& edge : measures.graph().edges) {
    const Vertex& from = measures.vertex(edge.from);
    if (!target.is_target[edge.to] || !IsOutsider(measures, target, edge.from) || from.recorder)
      continue;
    found[edge.to] |= edge.count >= kManyWaits && measures.OwnShare(edge) >= kClientWaits;
  }
  return found;
}

class LimitSearch {
 public:
  LimitSearch(const Measures& measures, const VertexWords& words, const Scope& scope,
              const Target& target, const FindingOptions& options)
      : measures_(measures),
        scope_(scope),
        target_(target),
        options_(options),
        explain_(measures, words, options.explain),
        local_of_(measures.graph().vertices.size(), kNowhere),
        place_(scope.vertices.size()),
        waiters_(FindWaiters(measures, scope)),
        client_waits_(FindThoseClientsWaitFor(measures, target)) {
    for (uint32_t i = 0; i < scope.vertices.size(); ++i) local_of_[scope.vertices[i]] = i;
    for (const uint32_t id : target.workers) worker_active_ns_ += Active(id);
  }

  LimitSearchResult Run() {
    SplitIntoComponents();
    explain_.LeftOut(scope_.left_out);
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> open;
    for (uint32_t i = 0; i < components_.members.size(); ++i) {
      if (ways_out_[i] == 0) open.push(i);
    }
    while (!open.empty()) {
      const uint32_t component = open.top();
      open.pop();
      if (IsLimit(component)) continue;
      for (const uint32_t waiting : waiting_[component]) {
        if (--ways_out_[waiting] == 0) open.push(waiting);
      }
    }
    return {std::move(limits_), explain_.Take()};
  }

 private:
  double Active(uint32_t id) const { return static_cast<double>(measures_.vertex(id).active_ns()); }

  void SplitIntoComponents() {
    std::vector<KnotEdge> edges;
    edges.reserve(scope_.edges.size());
    for (const ScopeEdge& edge : scope_.edges) {
      edges.push_back({local_of_[edge.from], local_of_[edge.to], edge.weight_ns, true});
    }
    components_ = StrongComponents(static_cast<uint32_t>(scope_.vertices.size()), edges);
    const size_t count = components_.members.size();
    ways_out_.resize(count);
    waiting_.resize(count);
    inner_.resize(count);
    waited_for_.resize(count);
    for (const ScopeEdge& edge : scope_.edges) {
      const uint32_t from = components_.component_of[local_of_[edge.from]];
      const uint32_t to = components_.component_of[local_of_[edge.to]];
      if (from == to) {
        inner_[from].push_back(edge);
        continue;
      }
      ++ways_out_[from];
      waiting_[to].push_back(from);
      if (measures_.vertex(edge.from).is_device()) continue;
      waited_for_[to] = std::max(waited_for_[to], edge.share);
    }
  }

  bool IsLimit(uint32_t component) {
    std::vector<uint32_t> members;
    for (const uint32_t local : components_.members[component]) {
      members.push_back(scope_.vertices[local]);
    }
    if (!inner_[component].empty()) return IsLimitingKnot(component, members);
    Limit limit = Judge(members[0]);
    if (limit.members.empty()) return false;
    const bool blocks = (limit.kind == LimitKind::kSink && limit.share >= kBusy) ||
                        limit.kind == LimitKind::kDevice;
    limits_.push_back(std::move(limit));
    return blocks;
  }

  // What one vertex that waits for nobody is. Without members: nothing that limits anybody.
  Limit Judge(uint32_t id) const {
    const Vertex& vertex = measures_.vertex(id);
    const double waited_for = waiters_[id].share;
    Limit limit{.members = {id}, .waited_for = waited_for};
    const bool held_up = waited_for > 0 && waited_for >= options_.threshold;
    const bool concerns = target_.is_target[id] || held_up;
    bool found = false;
    if (vertex.is_device()) {
      limit.kind = LimitKind::kDevice;
      limit.share = measures_.BusyShare(id);
      found = held_up && limit.share >= 1 - options_.threshold;
    } else if (vertex.has_threads() && !IsUnrecorded(id)) {
      found = concerns && JudgeThread(id, held_up, limit);
    } else {
      limit.kind = LimitKind::kOutside;
      limit.share = waited_for;
      found = held_up;
      limit.perhaps_idle = waiters_[id].needed_share < options_.threshold;
    }
    if (!found) {
      limit.members.clear();
    } else if (limit.kind != LimitKind::kSleep) {
      limit.attack = waiters_[id].heaviest;
    }
    return limit;
  }

  // Where only the target was recorded, what others did is not known.
  bool IsUnrecorded(uint32_t id) const {
    return options_.recording.chains_end_at_targets() && !target_.is_target[id] &&
           measures_.BusyShare(id) < kMatters;
  }

  bool JudgeThread(uint32_t id, bool held_up, Limit& limit) const {
    const double busy = measures_.BusyShare(id);
    const double asleep = measures_.TimerShare(id);
    if (busy >= kBusy) {
      limit.kind = LimitKind::kSink;
      limit.share = busy;
      return true;
    }
    if (asleep < kSleepy || asleep < busy) return false;
    if (held_up && !measures_.SleepHoldsUp(id, waiters_[id].share)) {
      // It works now and then, and then others cannot.
      limit.kind = LimitKind::kSink;
      limit.share = waiters_[id].share;
      return true;
    }
    MakeSleep(id, asleep, limit);
    limit.perhaps_idle = held_up && waiters_[id].needed_share < options_.threshold;
    return held_up || (Active(id) >= kMatters * measures_.span_ns() &&
                       Active(id) >= kCarriesTheWork * worker_active_ns_);
  }

  void MakeSleep(uint32_t id, double asleep, Limit& limit) const {
    limit.kind = LimitKind::kSleep;
    limit.share = asleep;
    limit.waiter = waiters_[id].heaviest;
    for (const Edge& edge : measures_.edges_from(id)) {
      if (measures_.vertex(edge.to).kind != VertexKind::kTimer) continue;
      if (limit.attack && limit.attack->own_ns >= edge.own_ns) continue;
      limit.attack = ScopeEdge{id, edge.to, edge.weight_ns, edge.own_ns, asleep};
    }
  }

  bool IsLimitingKnot(uint32_t component, const std::vector<uint32_t>& members) {
    if (!options_.keep_background && IsBackground(members)) {
      if (AddSleeperOf(members)) return false;
      if (!IsClosedCircle(measures_, target_, members)) {
        AddBackground(component, members);
        return false;
      }
    }
    const bool concerns = waited_for_[component] >= options_.threshold ||
                          std::any_of(members.begin(), members.end(),
                                      [&](uint32_t id) { return target_.is_target[id]; });
    if (!concerns) return false;
    const size_t before = limits_.size();
    RefineKnot(component, members);
    if (limits_.size() == before) {
      // Nothing that refinement ended with explains anything: the knot as it was does.
      AddKnot(component, members, inner_[component]);
    }
    return true;
  }

  bool IsBackground(const std::vector<uint32_t>& members) const {
    double active_ns = 0;
    for (const uint32_t id : members) {
      if (measures_.vertex(id).is_device() || client_waits_[id]) return false;
      active_ns += Active(id);
    }
    return active_ns < kBackgroundCpus * measures_.span_ns();
  }

  // Some of these knots are held up by a member that sleeps: that is no background.
  bool AddSleeperOf(const std::vector<uint32_t>& members) {
    Limit sleep;
    for (const uint32_t id : members) {
      const double asleep = measures_.TimerShare(id);
      if (asleep < kSleepy || asleep < measures_.BusyShare(id) || asleep < sleep.share) continue;
      const double waited_for = waiters_[id].share;
      if (waited_for < options_.threshold || !measures_.SleepHoldsUp(id, waited_for)) continue;
      sleep = Limit{.members = {id}, .waited_for = waited_for};
      MakeSleep(id, asleep, sleep);
    }
    if (sleep.members.empty()) return false;
    explain_.Background(members);
    limits_.push_back(std::move(sleep));
    return true;
  }

  void AddBackground(uint32_t component, const std::vector<uint32_t>& members) {
    explain_.Background(members);
    Limit limit{.kind = LimitKind::kBackground, .members = members, .edges = inner_[component]};
    SortEdges(limit.edges);
    limit.attack = limit.edges.front();
    for (const uint32_t id : members)
      limit.share += measures_.OfRecording(measures_.vertex(id).cpu_ns());
    limit.share = std::min(1.0, limit.share);
    limit.waited_for = waited_for_[component];
    limits_.push_back(std::move(limit));
  }

  void RefineKnot(uint32_t component, const std::vector<uint32_t>& members) {
    const std::vector<ScopeEdge>& inner = inner_[component];
    for (uint32_t i = 0; i < members.size(); ++i) place_[local_of_[members[i]]] = i;
    std::vector<KnotEdge> edges;
    edges.reserve(inner.size());
    for (uint32_t i = 0; i < inner.size(); ++i) {
      const ScopeEdge& edge = inner[i];
      edges.push_back({place_[local_of_[edge.from]], place_[local_of_[edge.to]], edge.weight_ns,
                       HoldsBack(edge), i});
    }
    const RefineOptions refine_options = {
        .threshold = static_cast<uint64_t>(options_.threshold * measures_.span_ns()),
        .max_vertices = options_.max_vertices,
        .explain = options_.explain};
    const Refinement refinement =
        Refine(static_cast<uint32_t>(members.size()), edges, refine_options);
    explain_.Refined(members, refinement.steps);
    for (const RefinedPiece& piece : refinement.pieces) {
      std::vector<uint32_t> vertices;
      for (const uint32_t local : piece.vertices) vertices.push_back(members[local]);
      if (piece.edges.empty()) {
        Limit limit = Judge(vertices[0]);
        if (!limit.members.empty()) limits_.push_back(std::move(limit));
        continue;
      }
      std::vector<ScopeEdge> kept;
      for (const KnotEdge& edge : piece.edges) kept.push_back(inner[edge.label]);
      AddKnot(component, vertices, std::move(kept));
    }
  }

  // Every edge of the scope matters, but not to one who is busy nearly all the time anyway.
  bool HoldsBack(const ScopeEdge& edge) const {
    return edge.share >= options_.threshold / 2 ||
           measures_.BusyShare(edge.from) < 1 - options_.threshold;
  }

  static void SortEdges(std::vector<ScopeEdge>& edges) {
    std::stable_sort(edges.begin(), edges.end(), [](const ScopeEdge& a, const ScopeEdge& b) {
      return a.weight_ns > b.weight_ns;
    });
  }

  void AddKnot(uint32_t component, std::vector<uint32_t> members, std::vector<ScopeEdge> edges) {
    Limit limit{.kind = LimitKind::kKnot, .members = std::move(members), .edges = std::move(edges)};
    SortEdges(limit.edges);
    limit.attack = EdgeToAttack(limit.edges);
    limit.share = limit.attack->share;
    limit.disk_wait = DiskWaitOf(limit);
    limit.waited_for = waited_for_[component];
    limits_.push_back(std::move(limit));
  }

  // A thread may wait longest for work; who waits for a disk waits for what it asked for. So where
  // several hand work to each other, the heaviest wait alone may be no more than the other end of
  // the disk's.
  std::optional<ScopeEdge> DiskWaitOf(const Limit& circle) const {
    const ScopeEdge& attack = *circle.attack;
    if (circle.members.size() < 3 || attack.from == attack.to ||
        !measures_.vertex(attack.to).has_threads())
      return std::nullopt;
    for (const ScopeEdge& edge : circle.edges) {  // heaviest first
      const bool by_target =
          target_.is_target[edge.from] && !measures_.vertex(edge.from).kernel_thread;
      if (by_target && measures_.vertex(edge.to).kind == VertexKind::kDisk &&
          edge.share >= kMatters)
        return edge;
    }
    return std::nullopt;
  }

  // The heaviest wait of a thread: that a device idles is its users' doing. Waits of the target for
  // itself, devices and the kernel come before waits for outsiders, who are hard to mend. A group
  // counts as its average thread: else a pool whose many threads wait for work would outweigh
  // whoever makes the work wait.
  std::optional<ScopeEdge> EdgeToAttack(const std::vector<ScopeEdge>& heaviest_first) const {
    const auto worth = [&](const ScopeEdge& edge) {
      if (!measures_.vertex(edge.from).has_threads()) return 0;
      const Vertex& to = measures_.vertex(edge.to);
      const bool outsider = to.has_threads() && !to.kernel_thread && !target_.is_target[edge.to];
      if (edge.share < options_.threshold) return 1;
      return target_.is_target[edge.from] && !outsider ? 3 : 2;
    };
    const auto best = std::max_element(
        heaviest_first.begin(), heaviest_first.end(), [&](const ScopeEdge& a, const ScopeEdge& b) {
          return worth(a) != worth(b) ? worth(a) < worth(b) : WeightOfOne(a) < WeightOfOne(b);
        });
    return *best;
  }

  double WeightOfOne(const ScopeEdge& edge) const {
    return static_cast<double>(edge.weight_ns) / std::max(1u, measures_.vertex(edge.from).strands);
  }

  const Measures& measures_;
  const Scope& scope_;
  const Target& target_;
  const FindingOptions& options_;
  Explain explain_;
  std::vector<uint32_t> local_of_;  // by vertex: its place in the scope
  std::vector<uint32_t> place_;     // by place in the scope: within the knot at hand
  std::vector<WaitedFor> waiters_;  // by vertex
  std::vector<char> client_waits_;  // by vertex
  double worker_active_ns_ = 0;

  Components components_;
  std::vector<uint32_t> ways_out_;              // by component: edges to others still there
  std::vector<std::vector<uint32_t>> waiting_;  // by component: one entry per edge into it
  std::vector<std::vector<ScopeEdge>> inner_;   // by component, sorted by ends
  std::vector<double> waited_for_;              // by component, from outside of it
  std::vector<Limit> limits_;
};

}  // namespace

LimitSearchResult FindLimits(const Measures& measures, const VertexWords& words, const Scope& scope,
                             const Target& target, const FindingOptions& options) {
  return LimitSearch(measures, words, scope, target, options).Run();
}

}  // namespace gordian
