// SPDX-License-Identifier: Apache-2.0
#include "views/units.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

uint64_t BusyNs(const Entity& thread) {
  return thread.run_ns + thread.spin_ns + thread.runnable_ns;
}

class UnitFinder {
 public:
  UnitFinder(const Timeline& timeline, Units& units) : timeline_(timeline), units_(units) {}

  void FindNodes(const std::map<std::string, std::string>& rack_of_node) {
    const std::string other = rack_of_node.empty() ? "all nodes" : "other nodes";
    absl::flat_hash_map<std::string, uint32_t> racks;
    for (uint32_t node = 0; node < timeline_.node_count(); ++node) {
      const std::string name = timeline_.nodes().empty() ? timeline_.session().host().hostname()
                                                         : timeline_.nodes()[node];
      const auto told = rack_of_node.find(name);
      const std::string rack = CleanText(told == rack_of_node.end() ? other : told->second);
      const auto [place, is_new] = racks.try_emplace(rack, units_.racks.size());
      if (is_new) units_.racks.push_back({rack});
      units_.nodes.push_back({.name = name.empty() ? "this node" : CleanText(name),
                              .rack = place->second,
                              .cpus = timeline_.CpusOf(node)});
    }
  }

  void FindProcesses() {
    units_.process_of.resize(timeline_.thread_count());
    for (EntityId id = 0; id < timeline_.thread_count(); ++id) {
      const Entity& thread = timeline_.entities()[id];
      // A process is one number for as long as its name stays: numbers are used again.
      const std::string& name = thread.process_name.empty() ? thread.name : thread.process_name;
      const uint64_t number =
          NumberOnNode(thread.node, thread.tgid != 0 ? thread.tgid : thread.tid);
      const auto [place, is_new] = processes_.try_emplace({number, name}, units_.processes.size());
      if (is_new) {
        units_.processes.push_back({.name = CleanText(name),
                                    .pid = static_cast<int32_t>(static_cast<uint32_t>(number)),
                                    .node = thread.node,
                                    .container = ContainerOf(thread)});
      }
      units_.process_of[id] = place->second;
      units_.processes[place->second].busy_ns += BusyNs(thread);
    }
  }

  void OrderProcesses() {
    std::vector<uint32_t> order(units_.processes.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return units_.processes[a].busy_ns > units_.processes[b].busy_ns;
    });
    std::vector<uint32_t> place(order.size());
    std::vector<UnitProcess> sorted;
    sorted.reserve(order.size());
    for (const uint32_t old : order) {
      place[old] = static_cast<uint32_t>(sorted.size());
      sorted.push_back(std::move(units_.processes[old]));
    }
    units_.processes = std::move(sorted);
    for (uint32_t& process : units_.process_of) process = place[process];
  }

  void ChooseThreads() {
    std::vector<EntityId>& told = units_.told_threads;
    told.resize(timeline_.thread_count());
    std::iota(told.begin(), told.end(), 0);
    std::erase_if(told,
                  [&](EntityId id) { return units_.process_of[id] >= units_.told_processes(); });
    if (told.size() <= kMostToldUnits) return;
    const auto& entities = timeline_.entities();
    std::nth_element(told.begin(), told.begin() + kMostToldUnits, told.end(),
                     [&](EntityId a, EntityId b) {
                       return std::pair(BusyNs(entities[b]), a) < std::pair(BusyNs(entities[a]), b);
                     });
    told.resize(kMostToldUnits);
    std::sort(told.begin(), told.end());
  }

 private:
  int32_t ContainerOf(const Entity& thread) {
    if (thread.container.empty()) return -1;
    const auto [place, is_new] =
        containers_.try_emplace({thread.node, thread.container}, units_.containers.size());
    if (is_new) units_.containers.push_back({CleanText(thread.container), thread.node});
    return static_cast<int32_t>(place->second);
  }

  const Timeline& timeline_;
  Units& units_;
  absl::flat_hash_map<std::pair<uint64_t, std::string>, uint32_t> processes_;
  absl::flat_hash_map<std::pair<uint32_t, std::string>, uint32_t> containers_;
};

}  // namespace

int64_t Units::UnitOf(EntityId thread, UnitLevel level) const {
  const UnitProcess& process = processes[process_of[thread]];
  switch (level) {
    case UnitLevel::kThread:
      return thread;
    case UnitLevel::kProcess:
      return process_of[thread];
    case UnitLevel::kContainer:
      return process.container;
    case UnitLevel::kNode:
      return process.node;
    case UnitLevel::kRack:
      return nodes[process.node].rack;
  }
  return -1;
}

size_t Units::CountOf(UnitLevel level) const {
  switch (level) {
    case UnitLevel::kThread:
      return process_of.size();
    case UnitLevel::kProcess:
      return processes.size();
    case UnitLevel::kContainer:
      return containers.size();
    case UnitLevel::kNode:
      return nodes.size();
    case UnitLevel::kRack:
      return racks.size();
  }
  return 0;
}

Units FindUnits(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                const std::map<std::string, std::string>& rack_of_node) {
  Units units;
  UnitFinder finder(timeline, units);
  finder.FindNodes(rack_of_node);
  finder.FindProcesses();
  finder.OrderProcesses();
  finder.ChooseThreads();
  const auto& entities = timeline.entities();
  for (EntityId id = timeline.thread_count(); id < entities.size(); ++id) {
    const bool is_disk = entities[id].kind == EntityKind::kDisk;
    if (!is_disk && entities[id].kind != EntityKind::kNic) continue;
    units.devices.push_back(
        {.id = id,
         .kind = is_disk ? "disk" : "nic",
         .name = CleanText(entities[id].name),
         .node = entities[id].node,
         .vertex = id < vertex_of_entity.size() ? static_cast<int64_t>(vertex_of_entity[id]) : -1});
  }
  return units;
}

ThreadsOfUnits::ThreadsOfUnits(const Units& units, UnitLevel level)
    : first_(units.CountOf(level) + 1) {
  const size_t threads = units.process_of.size();
  for (EntityId id = 0; id < threads; ++id) {
    if (const int64_t unit = units.UnitOf(id, level); unit >= 0)
      ++first_[static_cast<size_t>(unit) + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  threads_.resize(first_.back());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (EntityId id = 0; id < threads; ++id) {
    if (const int64_t unit = units.UnitOf(id, level); unit >= 0)
      threads_[next[static_cast<size_t>(unit)]++] = id;
  }
}

std::span<const EntityId> ThreadsOfUnits::Of(size_t unit) const {
  if (unit + 1 >= first_.size()) return {};
  return std::span(threads_).subspan(first_[unit], first_[unit + 1] - first_[unit]);
}

}  // namespace gordian
