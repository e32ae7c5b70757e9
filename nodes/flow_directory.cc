// SPDX-License-Identifier: Apache-2.0
#include "nodes/flow_directory.h"

#include <algorithm>

namespace gordian {

FlowKey KeyOf(const FlowRecord& flow) {
  return {.family = flow.family,
          .protocol = flow.protocol,
          .source_port = flow.source_port,
          .destination_port = flow.destination_port,
          .source = flow.source,
          .destination = flow.destination};
}

SameFlows::SameFlows(std::span<const FlowTable* const> flows_of_node) {
  for (const FlowTable* flows : flows_of_node) {
    for (const auto& [id, flow] : *flows) {
      if (flow.origin_flow_id == 0) continue;
      const auto origin = flows->find(flow.origin_flow_id);
      if (origin != flows->end()) Join(NameOf(KeyOf(flow)), NameOf(KeyOf(origin->second)));
    }
  }
}

FlowKey SameFlows::NameOf(FlowKey key) const {
  for (auto next = lesser_.find(key); next != lesser_.end(); next = lesser_.find(key))
    key = next->second;
  return key;
}

void SameFlows::Join(const FlowKey& a, const FlowKey& b) {
  if (a != b) lesser_.emplace(std::max(a, b), std::min(a, b));
}

FlowDirectory::FlowDirectory(std::span<const FlowTable* const> flows_of_node)
    : same_(flows_of_node) {
  for (uint32_t node = 0; node < flows_of_node.size(); ++node) {
    for (const auto& [id, flow] : *flows_of_node[node])
      places_[same_.NameOf(KeyOf(flow))].push_back({node, id});
  }
  for (auto& [name, places] : places_) std::sort(places.begin(), places.end());
}

std::span<const FlowDirectory::Place> FlowDirectory::PlacesOf(const FlowRecord& flow) const {
  const auto found = places_.find(same_.NameOf(KeyOf(flow)));
  if (found == places_.end()) return {};
  return found->second;
}

}  // namespace gordian
