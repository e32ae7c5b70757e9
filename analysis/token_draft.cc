// SPDX-License-Identifier: Apache-2.0
#include "analysis/token_draft.h"

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
  const auto [found, is_new] =
      pools_.try_emplace(port, static_cast<uint32_t>(made_.model.seats.size()));
  if (is_new)
    made_.model.seats.push_back({.vertex = VertexOf(asker),
                                 .is_pool = true,
                                 .count = std::max(1u, turns_.open_at_once.at(port))});
  return found->second;
}

uint32_t TokenDraft::DiskOf(EntityId device) {
  const uint32_t vertex = VertexOf(device);
  const auto [found, is_new] =
      made_.disks.try_emplace(vertex, static_cast<uint32_t>(made_.model.disks.size()));
  if (is_new) made_.model.disks.push_back({.vertex = vertex});
  return found->second;
}

}  // namespace gordian
