// SPDX-License-Identifier: Apache-2.0
#include "views/unit_numbers.h"

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

// Before what is on a node, where there are several.
std::string NodePrefix(const Units& units, uint32_t node) {
  return units.nodes.size() < 2 ? "" : absl::StrCat(units.nodes[node].name, ": ");
}

std::string NodeName(const Units& units, uint32_t node) {
  return units.nodes[node].name.empty() ? "this node" : units.nodes[node].name;
}

std::string ContainerName(const Units& units, uint32_t unit) {
  if (unit < units.containers.size())
    return absl::StrCat(NodePrefix(units, units.containers[unit].node),
                        units.containers[unit].name);
  const auto node = unit - static_cast<uint32_t>(units.containers.size());
  return absl::StrCat(NodePrefix(units, node), "outside of containers");
}

std::string RawName(const Units& units, UnitLevel level, uint32_t unit, const Timeline& timeline) {
  switch (level) {
    case UnitLevel::kThread: {
      const Entity& thread = timeline.entities()[unit];
      return absl::StrCat(NodePrefix(units, thread.node), thread.name, "/", thread.tid);
    }
    case UnitLevel::kProcess: {
      const UnitProcess& process = units.processes[unit];
      return absl::StrCat(NodePrefix(units, process.node), process.name, "/", process.pid);
    }
    case UnitLevel::kContainer:
      return ContainerName(units, unit);
    case UnitLevel::kNode:
      return NodeName(units, unit);
    case UnitLevel::kRack:
      break;
  }
  return units.racks[unit].name;
}

}  // namespace

size_t UnitCount(const Units& units, UnitLevel level) {
  const size_t outside_of_containers = level == UnitLevel::kContainer ? units.nodes.size() : 0;
  return units.CountOf(level) + outside_of_containers;
}

uint32_t UnitOfNode(const Units& units, UnitLevel level, uint32_t node) {
  if (level == UnitLevel::kNode) return node;
  return level == UnitLevel::kRack ? units.nodes[node].rack : kNoUnit;
}

uint32_t UnitOfProcess(const Units& units, UnitLevel level, uint32_t process) {
  const UnitProcess& found = units.processes[process];
  if (level == UnitLevel::kProcess) return process;
  if (level != UnitLevel::kContainer) return UnitOfNode(units, level, found.node);
  if (found.container >= 0) return static_cast<uint32_t>(found.container);
  return static_cast<uint32_t>(units.containers.size()) + found.node;
}

uint32_t UnitOfThread(const Units& units, UnitLevel level, EntityId thread) {
  if (level == UnitLevel::kThread) return thread;
  return UnitOfProcess(units, level, units.process_of[thread]);
}

std::string_view NameOf(UnitLevel level) {
  switch (level) {
    case UnitLevel::kThread:
      return "thread";
    case UnitLevel::kProcess:
      return "process";
    case UnitLevel::kContainer:
      return "container";
    case UnitLevel::kNode:
      return "node";
    case UnitLevel::kRack:
      break;
  }
  return "rack";
}

std::string UnitName(const Units& units, UnitLevel level, uint32_t unit, const Timeline& timeline) {
  return CleanText(RawName(units, level, unit, timeline));
}

}  // namespace gordian
