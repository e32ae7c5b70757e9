// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/natural_fix.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/thresholds.h"

namespace gordian {
// A yardstick: only the reader knows whether so many requests come, and how many a pool or limit
// allows.
NaturalFix MoreInFlight(uint32_t waiter) {
  return {.change = FixChange::kInFlight, .who = waiter, .amount = kMoreOfIt, .of_wait = false};
}

NaturalFix MoreThreads(const Case& it, uint32_t vertex) {
  return {.change = FixChange::kAddThread,
          .who = vertex,
          .amount = static_cast<double>(ThreadsOf(it, vertex))};
}

NaturalFix FewerWakes(uint32_t woken) {
  return {.change = FixChange::kNoFalseWakeups,
          .who = woken,
          .advice =
              "Many wakes are for nothing: wake no more threads than there is work for (one, not "
              "all; of those that poll one socket EPOLLEXCLUSIVE wakes one).",
          .if_woken_for_nothing = true};
}
NaturalFix MoreClients(uint32_t outsider) {
  return {.change = FixChange::kClients, .who = outsider, .amount = kMoreOfIt, .of_wait = false};
}

NaturalFixes NoFix(std::string because) { return {.none_because = std::move(because)}; }

NaturalFixes NoFixOfLink(const Case& it, uint32_t link) {
  return NoFix(absl::StrCat("no change of the program makes ", it.Name(link),
                            " faster; gordian whatif --scale tells what a faster network would "
                            "gain"));
}

bool IsMemberOutside(const Case& it, uint32_t vertex) {
  return it.limit.has_member(vertex) && it.vertex(vertex).has_threads() &&
         !it.evidence.IsTarget(vertex);
}

bool AreHelpersOfTarget(const Case& it, uint32_t vertex) {
  if (!IsMemberOutside(it, vertex)) return false;
  const std::vector<Entity>& entities = it.evidence.recording.entities;
  const std::vector<uint32_t>& vertex_of = it.measures().graph().vertex_of_entity;
  std::set<uint64_t> begun_by;
  for (EntityId id = 0; id < entities.size(); ++id)
    if (vertex_of[id] == vertex && entities[id].parent_tid > 0)
      begun_by.insert(NumberOnNode(entities[id].node, entities[id].parent_tid));
  for (EntityId id = 0; id < entities.size(); ++id) {
    const bool began_it = begun_by.contains(NumberOnNode(entities[id].node, entities[id].tid));
    if (began_it && it.evidence.IsTarget(vertex_of[id])) return true;
  }
  return false;
}

size_t ThreadsOf(const Case& it, uint32_t vertex) {
  return std::max(1u, it.vertex(vertex).threads);
}

double ShareOfLife(const Case& it, uint32_t vertex, double time_ns) {
  return time_ns / (it.measures().span_ns() * static_cast<double>(ThreadsOf(it, vertex)));
}

}  // namespace gordian
