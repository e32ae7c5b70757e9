// SPDX-License-Identifier: Apache-2.0
#include "nodes/flow_directory.h"

#include <algorithm>
#include <numeric>

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
  if (lesser_.empty()) return key;  // as mostly: there is no need to hash it
  for (auto next = lesser_.find(key); next != lesser_.end(); next = lesser_.find(key))
    key = next->second;
  return key;
}

void SameFlows::Join(const FlowKey& a, const FlowKey& b) {
  if (a != b) lesser_.emplace(std::max(a, b), std::min(a, b));
}

FlowDirectory::FlowDirectory(std::span<const FlowTable* const> flows_of_node)
    : same_(flows_of_node) {
  size_t count = 0;
  for (const FlowTable* flows : flows_of_node) count += flows->size();
  std::vector<uint32_t> number_of;  // each flow of each node, in the order of the tables
  number_of.reserve(count);
  for (const FlowTable* flows : flows_of_node) {
    for (const auto& [id, flow] : *flows) {
      const auto next = static_cast<uint32_t>(numbers_.size());
      number_of.push_back(numbers_.try_emplace(same_.NameOf(KeyOf(flow)), next).first->second);
    }
  }
  ends_.resize(numbers_.size());
  for (const uint32_t number : number_of) ++ends_[number];
  std::exclusive_scan(ends_.begin(), ends_.end(), ends_.begin(), size_t{0});
  places_.resize(count);
  auto number = number_of.begin();
  for (uint32_t node = 0; node < flows_of_node.size(); ++node) {
    for (const auto& [id, flow] : *flows_of_node[node]) places_[ends_[*number++]++] = {node, id};
  }
  for (size_t i = 0, begin = 0; i < ends_.size(); begin = ends_[i++])
    std::sort(places_.begin() + static_cast<ptrdiff_t>(begin),
              places_.begin() + static_cast<ptrdiff_t>(ends_[i]));
}

std::span<const FlowDirectory::Place> FlowDirectory::PlacesOf(const FlowRecord& flow) const {
  const auto found = numbers_.find(same_.NameOf(KeyOf(flow)));
  if (found == numbers_.end()) return {};
  const size_t begin = found->second == 0 ? 0 : ends_[found->second - 1];
  return std::span(places_).subspan(begin, ends_[found->second] - begin);
}

}  // namespace gordian
