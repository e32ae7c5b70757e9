// SPDX-License-Identifier: Apache-2.0
#include "jobs/issues/order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace gordian {
namespace {

class Orderer {
 public:
  Orderer(const Job& job, uint64_t tolerance_ns) : job_(job), tolerance_ns_(tolerance_ns) {}

  void OrderSiblings(const std::vector<PhaseId>& siblings) {
    std::map<PhaseTypeId, std::vector<PhaseId>> by_type;
    for (const PhaseId phase : siblings) by_type[job_.phases[phase].type].push_back(phase);
    for (const auto& [type, phases] : by_type) {
      if (job_.model.types[type].repeat == PhaseRepeat::kConcurrent) {
        ChainWaves(type, phases);
      } else {
        Chain(phases, 1);
      }
    }
    for (const auto& [type, phases] : by_type) {
      std::set<PhaseTypeId> before;
      CollectBefore(type, by_type, before);
      for (const PhaseTypeId earlier : before) After(phases, by_type[earlier]);
    }
  }

  // Of phases bound to one thread one runs at a time, anywhere in the tree.
  void OrderThreads(const std::vector<std::vector<PhaseId>>& children) {
    std::map<std::tuple<std::string, int32_t, int32_t>, std::vector<PhaseId>> by_thread;
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      const Phase& it = job_.phases[phase];
      const bool bound = job_.model.types[it.type].place == PhasePlace::kThread && it.tid != 0;
      if (bound && children[phase].empty()) by_thread[{it.node, it.pid, it.tid}].push_back(phase);
    }
    for (auto& [thread, phases] : by_thread) {
      SortByStart(phases);
      Chain(phases, 1);
    }
  }

  // The order that the logs themselves told, beyond the model.
  void OrderSingly() {
    for (PhaseId phase = 0; phase < job_.phases.size(); ++phase) {
      for (const PhaseId earlier : job_.phases[phase].after) {
        if (EndNs(earlier) <= job_.phases[phase].start_ns + tolerance_ns_) {
          order.edges.push_back({EndOf(earlier), StartOf(phase)});
        } else {
          ++order.contradicted;
        }
      }
    }
  }

  PhaseOrder order;

 private:
  uint64_t EndNs(PhaseId phase) const {
    return std::max(job_.phases[phase].start_ns, job_.phases[phase].end_ns);
  }
  void SortByStart(std::vector<PhaseId>& phases) const {
    std::stable_sort(phases.begin(), phases.end(), [this](PhaseId a, PhaseId b) {
      return job_.phases[a].start_ns < job_.phases[b].start_ns;
    });
  }

  // Gives each phase, by start, to the slot that became free last before it, or to a new one; in a
  // slot one waits for the one before. More slots than `slots` contradict (0: any number is fine).
  void Chain(const std::vector<PhaseId>& phases, size_t slots) {
    std::multimap<uint64_t, PhaseId> free_since;
    size_t used = 0;
    for (const PhaseId phase : phases) {
      const uint64_t start_ns = job_.phases[phase].start_ns;
      auto slot = free_since.upper_bound(start_ns);
      // No slot is free: take one that will be free soon, rather than a new one.
      const bool soon = slot == free_since.begin() && slot != free_since.end() &&
                        slot->first <= start_ns + tolerance_ns_;
      if (slot == free_since.begin() && !soon) {
        if (slots != 0 && ++used > slots) ++order.contradicted;
      } else {
        if (!soon) --slot;
        order.edges.push_back({EndOf(slot->second), StartOf(phase)});
        free_since.erase(slot);
      }
      free_since.emplace(EndNs(phase), phase);
    }
  }

  // Concurrent phases that are bound to a place and follow each other there: as many at a time as
  // were seen at a time, each place by itself. Those of a known thread are chained by thread.
  void ChainWaves(PhaseTypeId type, const std::vector<PhaseId>& phases) {
    const PhasePlace place = job_.model.types[type].place;
    if (place == PhasePlace::kAnywhere) return;
    std::map<std::pair<std::string, int32_t>, std::vector<PhaseId>> by_place;
    for (const PhaseId phase : phases) {
      const Phase& it = job_.phases[phase];
      if (place == PhasePlace::kThread && it.tid != 0) continue;
      by_place[{it.node, place == PhasePlace::kNode ? 0 : it.pid}].push_back(phase);
    }
    for (const auto& [at, there] : by_place) Chain(there, 0);
  }

  // The types that come before: where a phase of such a type did not happen, those before it.
  void CollectBefore(PhaseTypeId type, const std::map<PhaseTypeId, std::vector<PhaseId>>& happened,
                     std::set<PhaseTypeId>& before) const {
    std::set<PhaseTypeId> seen;
    std::vector<PhaseTypeId> open = job_.model.types[type].after;
    while (!open.empty()) {
      const PhaseTypeId at = open.back();
      open.pop_back();
      if (at == type || !seen.insert(at).second) continue;
      if (happened.count(at) > 0) {
        before.insert(at);
      } else {
        const std::vector<PhaseTypeId>& further = job_.model.types[at].after;
        open.insert(open.end(), further.begin(), further.end());
      }
    }
  }

  // All of `later` wait for all of `earlier`: by one join for each of `earlier`, which waits for it
  // and the join before, so that there are few edges; those that ended later than a phase started
  // are left out for it.
  void After(const std::vector<PhaseId>& later, std::vector<PhaseId> earlier) {
    std::stable_sort(earlier.begin(), earlier.end(),
                     [this](PhaseId a, PhaseId b) { return EndNs(a) < EndNs(b); });
    const EventId first_join = static_cast<EventId>(2 * job_.phases.size()) + order.joins;
    for (size_t i = 0; i < earlier.size(); ++i) {
      const EventId join = first_join + static_cast<EventId>(i);
      order.edges.push_back({EndOf(earlier[i]), join});
      if (i > 0) order.edges.push_back({join - 1, join});
    }
    order.joins += static_cast<uint32_t>(earlier.size());
    for (const PhaseId phase : later) {
      const uint64_t start_ns = job_.phases[phase].start_ns + tolerance_ns_;
      const auto ended = std::partition_point(earlier.begin(), earlier.end(),
                                              [&](PhaseId it) { return EndNs(it) <= start_ns; });
      const size_t count = ended - earlier.begin();
      order.contradicted += earlier.size() - count;
      if (count > 0)
        order.edges.push_back({first_join + static_cast<EventId>(count - 1), StartOf(phase)});
    }
  }

  const Job& job_;
  const uint64_t tolerance_ns_;
};

}  // namespace

std::vector<std::vector<PhaseId>> ChildrenOf(const Job& job) {
  std::vector<std::vector<PhaseId>> children(job.phases.size());
  for (PhaseId phase = 1; phase < job.phases.size(); ++phase)
    children[job.phases[phase].parent].push_back(phase);
  for (std::vector<PhaseId>& siblings : children) {
    std::stable_sort(siblings.begin(), siblings.end(), [&job](PhaseId a, PhaseId b) {
      return job.phases[a].start_ns < job.phases[b].start_ns;
    });
  }
  return children;
}

PhaseOrder OrderOf(const Job& job, const std::vector<std::vector<PhaseId>>& children,
                   uint64_t tolerance_ns) {
  Orderer orderer(job, tolerance_ns);
  for (const std::vector<PhaseId>& siblings : children) {
    if (siblings.size() > 1) orderer.OrderSiblings(siblings);
  }
  orderer.OrderThreads(children);
  orderer.OrderSingly();
  return std::move(orderer.order);
}

}  // namespace gordian
