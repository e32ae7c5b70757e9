// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/recorded_names.h"

#include <algorithm>
#include <set>

#include "report/find_vertex.h"

namespace gordian {
namespace {

template <typename Condition>
bool AnyEdgeOf(const pb::Report& report, uint32_t from, const Condition& condition) {
  return std::any_of(report.edges().begin(), report.edges().end(), [&](const pb::ReportEdge& edge) {
    return edge.from() == from && edge.own_s() > 0 && condition(edge.to());
  });
}

}  // namespace

std::string WithoutBlanks(std::string_view name) {
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return std::string(name);
}

absl::StatusOr<uint32_t> RecordedNames::Find(std::string_view name) const {
  return FindVertex(recording_.report, name);
}

bool RecordedNames::IsKernelThread(uint32_t vertex) const {
  for (EntityId id = 0; id < recording_.timeline.thread_count(); ++id) {
    if (recording_.vertex_of_entity[id] == vertex)
      return recording_.timeline.entities()[id].kernel_thread;
  }
  return false;
}

std::vector<std::string> RecordedNames::NodesOf(std::span<const uint32_t> vertices) const {
  const Timeline& timeline = recording_.timeline;
  if (timeline.nodes().empty()) return {""};
  std::set<uint32_t> nodes;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    if (std::find(vertices.begin(), vertices.end(), recording_.vertex_of_entity[id]) !=
        vertices.end())
      nodes.insert(timeline.entities()[id].node);
  }
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const uint32_t node : nodes) names.push_back(timeline.nodes()[node]);
  return names;
}

bool RecordedNames::Waits(uint32_t from, uint32_t to) const {
  return AnyEdgeOf(recording_.report, from, [to](uint32_t other) { return other == to; });
}

bool RecordedNames::WaitsForThreads(uint32_t vertex) const {
  return AnyEdgeOf(recording_.report, vertex, [this](uint32_t other) { return IsThread(other); });
}

bool RecordedNames::Sleeps(uint32_t vertex) const {
  return AnyEdgeOf(recording_.report, vertex, [this](uint32_t other) {
    const pb::ReportVertex* to = names_.Find(other);
    return to != nullptr && to->kind() == "timer";
  });
}

}  // namespace gordian
