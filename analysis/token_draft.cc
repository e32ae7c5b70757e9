// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_draft.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace gordian {

SeatsSeen& TokenDraft::SeatsOf(EntityId thread) {
  const uint32_t vertex = VertexOf(thread);
  const auto [found, is_new] = made_.seen.try_emplace(vertex);
  if (is_new) {
    found->second.place = static_cast<uint32_t>(made_.model.seats.size());
    made_.model.seats.push_back({.vertex = vertex, .node = NodeOf(thread)});
  }
  if (thread < timeline_.thread_count()) found->second.threads.insert(thread);
  return found->second;
}

uint32_t TokenDraft::PoolOf(uint16_t port, EntityId asker) {
  // A way may begin with the question.
  if (asker == kNobody)
    if (const auto known = turns_.asker_of.find(port); known != turns_.asker_of.end())
      asker = known->second;
  const auto [found, is_new] =
      made_.pools.try_emplace(port, static_cast<uint32_t>(made_.model.seats.size()));
  if (is_new)
    made_.model.seats.push_back({.vertex = VertexOf(asker),
                                 .is_pool = true,
                                 .of_each = turns_.asked_by_each.contains(port),
                                 .is_private = turns_.private_ports.contains(port),
                                 .count = std::max(1u, turns_.open_at_once.at(port))});
  TokenSeats& pool = made_.model.seats[found->second];
  const uint32_t vertex = VertexOf(asker);
  if (vertex != kNoTokenVertex && vertex != pool.vertex &&
      std::find(pool.more_askers.begin(), pool.more_askers.end(), vertex) == pool.more_askers.end())
    pool.more_askers.push_back(vertex);
  return found->second;
}

uint32_t TokenDraft::DiskOf(EntityId device) {
  const uint32_t vertex = VertexOf(device);
  const auto [found, is_new] =
      made_.disks.try_emplace(vertex, static_cast<uint32_t>(made_.model.disks.size()));
  if (is_new) made_.model.disks.push_back({.vertex = vertex});
  return found->second;
}

uint32_t TokenDraft::LinkOf(uint32_t from_node, uint32_t to_node) {
  const std::vector<std::string>& nodes = timeline_.nodes();
  if (from_node == to_node || from_node >= nodes.size() || to_node >= nodes.size())
    return kNoTokenVertex;
  const auto [found, is_new] = links_.try_emplace({from_node, to_node}, kNoTokenVertex);
  if (!is_new) return found->second;
  const std::string name = absl::StrCat("link ", nodes[from_node], "→", nodes[to_node]);
  for (EntityId id = timeline_.thread_count(); id < timeline_.entities().size(); ++id) {
    const Entity& entity = timeline_.entities()[id];
    if (entity.kind == EntityKind::kLink && entity.name == name) found->second = VertexOf(id);
  }
  return found->second;
}

void TokenDraft::AddFlight(EntityId from, EntityId to, double ns) {
  if (ns <= 0) return;
  Add(TokenDeed::kPause, kNobody, ns, TokenPause::kNetwork).whom = LinkOf(NodeOf(from), NodeOf(to));
}

}  // namespace gordian
