// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/thread_containers.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "words/container_name.h"

namespace gordian {

void NameContainers(const pb::Session& session, std::vector<Entity>& entities) {
  absl::flat_hash_map<uint64_t, std::string> container_of;
  for (const pb::Cgroup& cgroup : session.cgroups()) {
    std::string container = ContainerOf(cgroup.path());
    if (!container.empty()) container_of.emplace(cgroup.id(), std::move(container));
  }
  if (container_of.empty()) return;
  for (Entity& entity : entities) {
    const auto found = container_of.find(entity.cgroup_id);
    if (found != container_of.end()) entity.container = found->second;
  }
}

}  // namespace gordian
