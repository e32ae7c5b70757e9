// SPDX-License-Identifier: Apache-2.0
// The units that views have rows and boxes for: racks, nodes, containers, processes, threads, and
// devices. All views number them alike.
//
//   rack > node > container > process > thread      (a process may be in no container)
//
// As JSON (/api/R/units): the lists below, with threads as columns. Only the first kMostToldUnits
// processes and the busiest kMostToldUnits threads are told; the rest are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyzer/graph/graph.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// More rows than this no person scrolls through, and a page's lists become slow.
inline constexpr size_t kMostToldUnits = 20'000;

enum class UnitLevel : uint8_t { kThread, kProcess, kContainer, kNode, kRack };

struct UnitRack {
  std::string name;
};
struct UnitNode {
  std::string name;
  uint32_t rack = 0;
  uint32_t cpus = 0;
};
struct UnitContainer {
  std::string name;
  uint32_t node = 0;
};
struct UnitProcess {
  std::string name;
  int32_t pid = 0;
  uint32_t node = 0;
  int32_t container = -1;  // -1: none
  uint64_t busy_ns = 0;    // its threads ran, span, or were ready to run
};
struct UnitDevice {
  EntityId id = kNobody;
  std::string kind;  // disk, nic
  std::string name;
  uint32_t node = 0;
  int64_t vertex = -1;
};

// Names are clean text.
struct Units {
  std::vector<UnitRack> racks;  // at least one
  std::vector<UnitNode> nodes;  // by Entity::node
  std::vector<UnitContainer> containers;
  std::vector<UnitProcess> processes;  // the busiest first
  std::vector<UnitDevice> devices;
  std::vector<uint32_t> process_of;  // by thread, of all threads
  // Those that are told: the busiest, in order of id.
  std::vector<EntityId> told_threads;

  size_t told_processes() const { return std::min(processes.size(), kMostToldUnits); }
  size_t left_out_threads() const { return process_of.size() - told_threads.size(); }
  size_t left_out_processes() const { return processes.size() - told_processes(); }
  // The unit of that level that the thread belongs to; its container may be none: -1.
  int64_t UnitOf(EntityId thread, UnitLevel level) const;
  // How many there are on that level.
  size_t CountOf(UnitLevel level) const;
};

// `rack_of_node`: by the node's name; nodes that it does not name, and all if it is empty, are in
// the rack "all nodes" or "other nodes".
Units FindUnits(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                const std::map<std::string, std::string>& rack_of_node = {});

// All threads of units, in order of the unit, then of id.
class ThreadsOfUnits {
 public:
  ThreadsOfUnits() = default;
  ThreadsOfUnits(const Units& units, UnitLevel level);
  // Empty if there is no such unit.
  std::span<const EntityId> Of(size_t unit) const;

 private:
  std::vector<EntityId> threads_;
  std::vector<uint32_t> first_;
};

}  // namespace gordian
