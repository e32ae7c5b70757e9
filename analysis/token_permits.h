// SPDX-License-Identifier: Apache-2.0
// What clients hold while their question is under way: a mutex kept for the whole job, or one of a
// few permits. Inner to the library.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "analysis/token_turns.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

class TokenPermits {
 public:
  // Both must outlive it.
  TokenPermits(const Timeline& timeline, const TokenTurns& turns,
               std::span<const uint32_t> vertex_of_entity);

  // How many of a vertex' clients ask at once, if the others stand in line for that.
  const std::map<uint32_t, uint32_t>& of_vertex() const { return of_vertex_; }
  // Whether that is a wait of the client until another one has had its answer.
  bool IsForPermit(EntityId client, const ThreadSegment& segment) const;

 private:
  uint32_t VertexOf(EntityId id) const { return id < vertices_.size() ? vertices_[id] : kNobody; }

  const std::span<const uint32_t> vertices_;
  std::set<EntityId> clients_;
  std::map<uint32_t, uint32_t> of_vertex_;
};

}  // namespace gordian
