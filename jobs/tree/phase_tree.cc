// SPDX-License-Identifier: Apache-2.0
#include "jobs/tree/phase_tree.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "jobs/tree/phase_search.h"

namespace gordian {
namespace {

// Works from type to type, parents before children where ends are handed down, children before
// parents where times are handed up. Each step looks at each phase once.
class TreeMaker {
 public:
  TreeMaker(const PhaseTypes& types, FoundPhases& found, Tally& tally)
      : types_(types), found_(found), tally_(tally), by_type_(types.size()) {}

  void Make(Job& job);

 private:
  using ImpliedKey = std::tuple<PhaseTypeId, uint32_t, uint32_t, uint32_t, int32_t, int32_t>;

  void SortTypes();
  void MakeRoot();
  void FindParents();
  uint32_t ParentFor(PhaseTypeId type, const FoundPhase& inner);
  uint32_t Implied(PhaseTypeId type, uint32_t parent, const FoundPhase& inner);
  PhaseSearch& SearchIn(PhaseTypeId type);
  void StretchImplied();
  void FindEnds();
  void FitIntoParents();
  void Assemble(Job& job);
  void TakeOrder(Job& job) const;
  void TakeBlocked(Job& job);
  void AddBlocked(const FoundBlocked& blocked, uint32_t phase, Job& job);
  void SortByStart(std::span<uint32_t> ids) const;

  const PhaseTypes& types_;
  FoundPhases& found_;
  Tally& tally_;
  uint32_t root_ = kNoId;
  std::vector<std::vector<uint32_t>> by_type_;
  std::vector<std::unique_ptr<PhaseSearch>> searches_;
  absl::flat_hash_map<ImpliedKey, uint32_t> implied_;
  std::vector<PhaseId> final_;  // of found phases
};

// Keeps the order of those that begin at the same time. Logs mostly are in order; where they are
// not, beginnings are sorted rather than the phases, which lie far apart.
void TreeMaker::SortByStart(std::span<uint32_t> ids) const {
  const auto earlier = [this](uint32_t a, uint32_t b) {
    return found_.phases[a].start_ns < found_.phases[b].start_ns;
  };
  if (std::is_sorted(ids.begin(), ids.end(), earlier)) return;
  struct Start {
    uint64_t start_ns;
    uint32_t id;
  };
  std::vector<Start> starts;
  starts.reserve(ids.size());
  for (const uint32_t id : ids) starts.push_back({found_.phases[id].start_ns, id});
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.start_ns < b.start_ns; });
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = starts[i].id;
}

// By beginning; and leaves out repeated phases. Phases without a key of their own are never
// the same: a log may tell of many in one millisecond.
void TreeMaker::SortTypes() {
  for (uint32_t id = 0; id < found_.phases.size(); ++id)
    by_type_[found_.phases[id].type].push_back(id);
  for (PhaseTypeId type = 0; type < by_type_.size(); ++type) {
    std::vector<uint32_t>& ids = by_type_[type];
    const size_t depth = types_.depth(type);
    const auto order = [&](uint32_t a, uint32_t b) {
      const FoundPhase& left = found_.phases[a];
      const FoundPhase& right = found_.phases[b];
      const auto fields = [](const FoundPhase& phase) {
        return std::tie(phase.start_ns, phase.end_ns, phase.node, phase.pid, phase.tid);
      };
      if (fields(left) != fields(right)) return fields(left) < fields(right);
      const auto left_keys = found_.KeysOf(left, depth);
      const auto right_keys = found_.KeysOf(right, depth);
      return std::lexicographical_compare(left_keys.begin(), left_keys.end(), right_keys.begin(),
                                          right_keys.end());
    };
    SortByStart(ids);
    for (size_t begin = 0, end = 0; begin < ids.size(); begin = end) {
      const uint64_t start_ns = found_.phases[ids[begin]].start_ns;
      while (end < ids.size() && found_.phases[ids[end]].start_ns == start_ns) ++end;
      std::stable_sort(ids.begin() + static_cast<ptrdiff_t>(begin),
                       ids.begin() + static_cast<ptrdiff_t>(end), order);
    }
    const auto same = [&](uint32_t a, uint32_t b) {
      const FoundPhase& phase = found_.phases[b];
      return found_.keys[phase.keys + depth] != 0 && !phase.parent_told && !order(a, b) &&
             !order(b, a);
    };
    const auto kept = std::unique(ids.begin(), ids.end(), same);
    tally_.Count("phases_duplicate", ids.end() - kept);
    ids.erase(kept, ids.end());
  }
}

// There is one root: if the logs tell of several jobs, it spans them.
void TreeMaker::MakeRoot() {
  std::vector<uint32_t>& roots = by_type_[0];
  if (roots.empty()) {
    FoundPhase root{.start_ns = kNoEnd, .keys = static_cast<uint32_t>(found_.keys.size())};
    root.implied = true;
    found_.keys.push_back(0);
    roots.push_back(static_cast<uint32_t>(found_.phases.size()));
    found_.phases.push_back(root);
  }
  root_ = roots.front();
  FoundPhase& root = found_.phases[root_];
  tally_.Count("phase_roots_joined", roots.size() - 1);
  for (const uint32_t other : roots)
    root.end_ns = std::max(root.end_ns, found_.phases[other].end_ns);
  for (const uint32_t other : roots) found_.phases[other].dropped = other != root_;
  if (roots.size() > 1) {
    root.node = 0;
    root.pid = root.tid = 0;
  }
  roots.resize(1);
}

PhaseSearch& TreeMaker::SearchIn(PhaseTypeId type) {
  if (!searches_[type])
    searches_[type] = std::make_unique<PhaseSearch>(types_, found_, type, by_type_[type]);
  return *searches_[type];
}

// The phase of that type which `inner` lies in; made up if no source tells of one, so that its own
// parent must be found first. kNoId if there are some, but not at that time. Ends: each turn goes
// one type up.
uint32_t TreeMaker::ParentFor(PhaseTypeId type, const FoundPhase& inner) {
  if (type == 0) return root_;
  const PhaseSearch::Answer answer = SearchIn(type).Around(inner);
  if (answer.phase != kNoId || answer.only_others) return answer.phase;
  const uint32_t parent = ParentFor(types_[type].parent, inner);
  return parent == kNoId ? kNoId : Implied(type, parent, inner);
}

uint32_t TreeMaker::Implied(PhaseTypeId type, uint32_t parent, const FoundPhase& inner) {
  const PhasePlace place = types_[type].place;
  const uint32_t node = place >= PhasePlace::kNode ? inner.node : 0;
  const int32_t pid = place >= PhasePlace::kProcess ? inner.pid : 0;
  const int32_t tid = place == PhasePlace::kThread ? inner.tid : 0;
  const uint32_t key = found_.keys[inner.keys + types_.depth(type)];
  const auto [entry, is_new] =
      implied_.try_emplace(ImpliedKey(type, parent, key, node, pid, tid), 0);
  if (!is_new) return entry->second;
  tally_.Count("phases_implied");
  entry->second = static_cast<uint32_t>(found_.phases.size());
  FoundPhase phase{.start_ns = kNoEnd, .type = type, .keys = inner.keys, .parent = parent};
  phase.implied = true;
  found_.phases.push_back(phase);
  by_type_[type].push_back(entry->second);
  return entry->second;
}

void TreeMaker::FindParents() {
  searches_.resize(types_.size());
  // Searches look only at phases from sources: they are made before implied phases join by_type_.
  for (PhaseTypeId type = 1; type < types_.size(); ++type) {
    if (types_[type].parent != 0) SearchIn(types_[type].parent);
  }
  for (PhaseTypeId type = 1; type < types_.size(); ++type) {
    const size_t told = by_type_[type].size();
    for (size_t i = 0; i < told; ++i) {
      const uint32_t id = by_type_[type][i];
      if (found_.phases[id].implied) continue;
      const FoundPhase inner = found_.phases[id];  // a copy: phases may be added
      uint32_t parent = inner.parent == kNoId && inner.parent_told ? root_ : inner.parent;
      if (!inner.parent_told) parent = ParentFor(types_[type].parent, inner);
      found_.phases[id].parent = parent;
      if (parent == kNoId) {
        found_.phases[id].dropped = true;
        tally_.Count("phases_outside_parent");
      }
    }
  }
}

// Implied phases are as long as the phases in them, and on their node if they have only one.
// Children come
// first: their types have the larger numbers.
void TreeMaker::StretchImplied() {
  for (size_t type = by_type_.size(); --type > 0;) {
    for (const uint32_t id : by_type_[type]) {
      const FoundPhase& inner = found_.phases[id];
      if (inner.dropped) continue;
      FoundPhase& outer = found_.phases[inner.parent];
      if (!outer.implied) continue;
      const bool first = outer.start_ns == kNoEnd;
      outer.start_ns = std::min(outer.start_ns, inner.start_ns);
      const bool open = inner.end_ns == kNoEnd || (inner.implied && inner.end_assumed);
      if (open) outer.end_assumed = true;  // its own is not known either
      outer.end_ns = std::max(outer.end_ns, inner.end_ns == kNoEnd ? inner.start_ns : inner.end_ns);
      if (first)
        std::tie(outer.node, outer.pid, outer.tid) = std::tie(inner.node, inner.pid, inner.tid);
      if (outer.node != inner.node) outer.node = 0;
      if (outer.pid != inner.pid || outer.node == 0) outer.pid = outer.tid = 0;
      if (outer.tid != inner.tid) outer.tid = 0;
    }
  }
  FoundPhase& root = found_.phases[root_];
  if (root.start_ns == kNoEnd) root.start_ns = root.end_ns = found_.last_time_ns;
}

// A phase without an end lasts until the next one of a sequence begins, or its parent ends. The
// root lasts until the last word of any source. Parents come first.
void TreeMaker::FindEnds() {
  FoundPhase& root = found_.phases[root_];
  if (root.end_ns == kNoEnd || root.end_assumed) {
    tally_.Count("phase_ends_assumed");
    root.end_assumed = true;
    root.end_ns = std::max(root.start_ns, found_.last_time_ns);
  }
  for (PhaseTypeId type = 1; type < types_.size(); ++type) {
    std::vector<uint32_t>& ids = by_type_[type];
    SortByStart(ids);
    const bool sequence = types_[type].repeat == PhaseRepeat::kSequential;
    absl::flat_hash_map<std::pair<uint32_t, int32_t>, uint64_t> next_start_ns;
    for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
      FoundPhase& phase = found_.phases[*id];
      if (phase.dropped) continue;
      uint64_t next_ns = kNoEnd;
      if (sequence) {
        const bool own_thread = types_[type].place == PhasePlace::kThread;
        uint64_t& known =
            next_start_ns.try_emplace({phase.parent, own_thread ? phase.tid : 0}, kNoEnd)
                .first->second;
        next_ns = std::exchange(known, phase.start_ns);
      }
      const bool open = phase.end_ns == kNoEnd || (phase.implied && phase.end_assumed);
      if (!open) continue;
      const uint64_t known_ns = phase.end_ns == kNoEnd ? phase.start_ns : phase.end_ns;
      phase.end_ns = std::max(known_ns, std::min(found_.phases[phase.parent].end_ns, next_ns));
      phase.end_assumed = true;
      tally_.Count("phase_ends_assumed");
    }
  }
}

void TreeMaker::FitIntoParents() {
  for (PhaseTypeId type = 1; type < types_.size(); ++type) {
    for (const uint32_t id : by_type_[type]) {
      FoundPhase& inner = found_.phases[id];
      if (inner.dropped) continue;
      const FoundPhase& outer = found_.phases[inner.parent];
      if (outer.dropped || inner.start_ns > outer.end_ns || inner.end_ns < outer.start_ns) {
        inner.dropped = true;
        tally_.Count("phases_outside_parent");
        continue;
      }
      if (inner.start_ns < outer.start_ns || inner.end_ns > outer.end_ns) {
        tally_.Count("phases_clipped");
        inner.start_ns = std::max(inner.start_ns, outer.start_ns);
        inner.end_ns = std::min(inner.end_ns, outer.end_ns);
      }
    }
  }
}

void TreeMaker::Assemble(Job& job) {
  // The children of all phases, one behind the other in the order of their parents' numbers; those
  // of one end where the next one's begin.
  std::vector<uint32_t> first_child(found_.phases.size() + 1, 0);
  const auto for_each_child = [this](const auto& take) {
    for (PhaseTypeId type = 1; type < types_.size(); ++type) {
      for (const uint32_t id : by_type_[type]) {
        if (!found_.phases[id].dropped) take(id, found_.phases[id].parent);
      }
    }
  };
  for_each_child([&](uint32_t /*id*/, uint32_t parent) { ++first_child[parent + 1]; });
  std::partial_sum(first_child.begin(), first_child.end(), first_child.begin());
  std::vector<uint32_t> children(first_child.back());
  std::vector<uint32_t> next_child(first_child.begin(), first_child.end() - 1);
  for_each_child([&](uint32_t id, uint32_t parent) { children[next_child[parent]++] = id; });
  std::vector<uint32_t>().swap(next_child);
  final_.assign(found_.phases.size(), kNoId);
  job.phases.reserve(children.size() + 1);
  std::vector<uint32_t> waiting = {root_};
  while (!waiting.empty()) {
    const uint32_t id = waiting.back();
    waiting.pop_back();
    const FoundPhase& phase = found_.phases[id];
    final_[id] = static_cast<PhaseId>(job.phases.size());
    job.phases.push_back(
        {.type = phase.type,
         .parent = id == root_ ? kNoId : final_[phase.parent],
         .key = std::string(found_.texts.Text(found_.keys[phase.keys + types_.depth(phase.type)])),
         .start_ns = phase.start_ns,
         .end_ns = phase.end_ns,
         .node = std::string(found_.texts.Text(phase.node)),
         .pid = phase.pid,
         .tid = phase.tid,
         .end_assumed = phase.end_assumed,
         .after = {}});
    const auto inner =
        std::span(children).subspan(first_child[id], first_child[id + 1] - first_child[id]);
    SortByStart(inner);
    waiting.insert(waiting.end(), inner.rbegin(), inner.rend());
  }
}

// A predecessor must be a sibling that began earlier: so there are no cycles.
void TreeMaker::TakeOrder(Job& job) const {
  for (const auto& [id, others] : found_.after) {
    if (final_[id] == kNoId) continue;
    Phase& phase = job.phases[final_[id]];
    for (const uint32_t other : others) {
      const PhaseId before = final_[other];
      if (before == kNoId || before >= final_[id]) continue;
      if (job.phases[before].parent == phase.parent) phase.after.push_back(before);
    }
    std::sort(phase.after.begin(), phase.after.end());
    phase.after.erase(std::unique(phase.after.begin(), phase.after.end()), phase.after.end());
  }
}

void TreeMaker::AddBlocked(const FoundBlocked& blocked, uint32_t phase, Job& job) {
  const PhaseId id = final_[phase];
  if (id == kNoId) return;
  const uint64_t start_ns = std::max(blocked.where.start_ns, job.phases[id].start_ns);
  const uint64_t end_ns = std::min(blocked.where.end_ns, job.phases[id].end_ns);
  if (start_ns < end_ns) job.blocked.push_back({id, blocked.resource, start_ns, end_ns});
}

void TreeMaker::TakeBlocked(Job& job) {
  searches_.clear();
  searches_.resize(types_.size());
  for (PhaseTypeId type = 0; type < by_type_.size(); ++type) {
    std::erase_if(by_type_[type], [&](uint32_t id) { return found_.phases[id].dropped; });
  }
  for (const FoundBlocked& blocked : found_.blocked) {
    const size_t before = job.blocked.size();
    if (blocked.phase != kNoId) {
      AddBlocked(blocked, blocked.phase, job);
    } else {
      for (const uint32_t phase : SearchIn(blocked.where.type).Overlapping(blocked.where))
        AddBlocked(blocked, phase, job);
    }
    if (job.blocked.size() == before && blocked.where.start_ns < blocked.where.end_ns)
      tally_.Count("blocked_without_phase");
  }
  std::stable_sort(job.blocked.begin(), job.blocked.end(),
                   [](const BlockedInterval& a, const BlockedInterval& b) {
                     return std::tie(a.start_ns, a.end_ns, a.phase) <
                            std::tie(b.start_ns, b.end_ns, b.phase);
                   });
}

void TreeMaker::Make(Job& job) {
  SortTypes();
  MakeRoot();
  FindParents();
  StretchImplied();
  FindEnds();
  FitIntoParents();
  Assemble(job);
  TakeOrder(job);
  TakeBlocked(job);
}

}  // namespace

void MakePhaseTree(const PhaseTypes& types, FoundPhases& found, Tally& tally, Job& job) {
  TreeMaker(types, found, tally).Make(job);
}

}  // namespace gordian
