// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/evidence/descent.h"

#include <map>
#include <vector>

namespace gordian {
namespace {

// Which thread created which, as far as it is known.
class Descent {
 public:
  explicit Descent(const std::vector<Entity>& entities) : entities_(entities) {
    for (EntityId id = 0; id < entities.size(); ++id) {
      if (entities[id].kind == EntityKind::kThread)
        lives_of_[NumberOnNode(entities[id].node, entities[id].tid)].push_back(id);
    }
  }

  // Marks all threads that descend from marked threads. Each round marks at least one more, or is
  // the last.
  void Mark(std::vector<char>& marked) const {
    for (bool more = true; more;) {
      more = false;
      for (EntityId id = 0; id < entities_.size(); ++id) {
        const Entity& entity = entities_[id];
        if (marked[id] || entity.kind != EntityKind::kThread) continue;
        if (!IsMarked(entity.tgid, id, marked) && !IsMarked(entity.parent_tid, id, marked))
          continue;
        marked[id] = 1;
        more = true;
      }
    }
  }

 private:
  // Of several lives of a tid the latest that began before the descendant did.
  bool IsMarked(int32_t tid, EntityId descendant, const std::vector<char>& marked) const {
    const auto found = lives_of_.find(NumberOnNode(entities_[descendant].node, tid));
    if (tid == 0 || found == lives_of_.end()) return false;
    EntityId ancestor = found->second.front();
    for (const EntityId life : found->second) {
      if (entities_[life].start_time_ns <= entities_[descendant].start_time_ns) ancestor = life;
    }
    return marked[ancestor] != 0;
  }

  const std::vector<Entity>& entities_;
  std::map<uint64_t, std::vector<EntityId>> lives_of_;  // by tid on its node
};

}  // namespace

void MarkDescendants(WaitForGraph& graph) {
  std::vector<char> marked(graph.entities.size());
  for (EntityId id = 0; id < marked.size(); ++id) marked[id] = graph.entities[id].target;
  Descent(graph.entities).Mark(marked);
  for (EntityId id = 0; id < marked.size(); ++id) {
    Entity& entity = graph.entities[id];
    if (!marked[id]) continue;
    entity.target = true;
    if (entity.merged_into != kNobody) graph.entities[entity.merged_into].target = true;
  }
}

}  // namespace gordian
