// SPDX-License-Identifier: Apache-2.0
// The model that is being told of a recording: its places, and the steps so far. Inner to the
// library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "analysis/token_teller.h"
#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

class TokenDraft {
 public:
  TokenDraft(const Timeline& timeline, const TokenTurns& turns,
             std::span<const uint32_t> vertex_of_entity)
      : timeline_(timeline), turns_(turns), vertices_(vertex_of_entity) {}

  ToldTokens& told() { return made_; }

  uint32_t VertexOf(EntityId id) const {
    return id < vertices_.size() ? vertices_[id] : kNoTokenVertex;
  }
  uint32_t NodeOf(EntityId id) const {
    return id < timeline_.thread_count() ? timeline_.entities()[id].node : 0;
  }
  TokenStep& Add(TokenDeed deed, EntityId who, double ns = 0,
                 TokenPause pause = TokenPause::kOther) {
    return made_.model.steps.emplace_back(
        TokenStep{.deed = deed, .pause = pause, .who = VertexOf(who), .ns = ns});
  }
  SeatsSeen& SeatsOf(EntityId thread);
  // Of connections to a server that the root, or a server that it asks, asks.
  uint32_t PoolOf(uint16_t port, EntityId asker);
  uint32_t DiskOf(EntityId device);
  // A message from one thread's node to the other's.
  void AddFlight(EntityId from, EntityId to, double ns);

 private:
  const Timeline& timeline_;
  const TokenTurns& turns_;
  const std::span<const uint32_t> vertices_;
  uint32_t LinkOf(uint32_t from_node, uint32_t to_node);

  std::map<std::pair<uint32_t, uint32_t>, uint32_t> links_;  // by nodes: a vertex
  ToldTokens made_;
};

}  // namespace gordian
