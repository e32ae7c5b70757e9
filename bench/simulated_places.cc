// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_places.h"

#include <netinet/in.h>

#include <algorithm>
#include <utility>

namespace gordian {
namespace {

constexpr int32_t kFirstTid = 10'000;
constexpr uint16_t kFirstClientPort = 2'000;
constexpr uint32_t kPortsOfAddress = 60'000;
constexpr uint16_t kServerPort = 1'000;

void SetAddress(int node, uint32_t alias, std::array<uint8_t, 16>& address) {
  address[0] = 10;
  address[1] = static_cast<uint8_t>(alias);
  address[2] = static_cast<uint8_t>(node >> 8);
  address[3] = static_cast<uint8_t>(node);
}

}  // namespace

// Nodes are dealt out to services in equal parts. If there are fewer nodes, a node has several.
SimulatedPlaces::SimulatedPlaces(const SimulatedShape& shape)
    : services_(shape.services),
      nodes_per_rack_(shape.disturbances.nodes_per_rack),
      lanes_(static_cast<uint32_t>(
          std::max<uint64_t>(1, shape.threads / static_cast<uint64_t>(shape.services)))),
      count_at_(static_cast<size_t>(shape.nodes * shape.services)) {
  const auto count = static_cast<size_t>(threads());
  node_of_.resize(count);
  tid_of_.resize(count);
  flow_base_.resize(count);
  number_at_caller_.resize(count);
  std::vector<int32_t> threads_on(static_cast<size_t>(shape.nodes));
  for (uint32_t thread = 0; thread < count; ++thread) {
    const int service = ServiceOf(thread);
    const auto first = static_cast<uint32_t>(service * shape.nodes / services_);
    const auto end = static_cast<uint32_t>((service + 1) * shape.nodes / services_);
    const uint32_t own = std::max(end, first + 1) - first;
    // Each round of lanes is shifted against the one before, by a step that differs by service.
    const uint32_t lane = LaneOf(thread);
    const uint32_t shift = lane / own * static_cast<uint32_t>(service);
    const auto node = first + (lane + shift) % own;
    node_of_[thread] = static_cast<uint16_t>(node);
    number_at_caller_[thread] =
        count_at_[node * static_cast<uint32_t>(services_) + static_cast<uint32_t>(service)]++;
    const int32_t number = threads_on[node]++;
    tid_of_[thread] = kFirstTid + number;
    flow_base_[thread] = 1 + 4 * static_cast<uint32_t>(number);
  }
}

// Within a node there is one connection, not two.
uint32_t SimulatedPlaces::FlowAtCallee(uint32_t caller, SimulatedWay way) const {
  if (node_of_[caller] == node_of_[caller + 1]) return FlowAtCaller(caller, way);
  return flow_base_[caller + 1] + (way == SimulatedWay::kRequest ? 2 : 3);
}

bool SimulatedPlaces::IsTranslated(uint32_t caller) const {
  return nodes_per_rack_ > 0 &&
         node_of_[caller] / nodes_per_rack_ != node_of_[caller + 1] / nodes_per_rack_;
}

FlowRecord SimulatedPlaces::Flow(uint32_t caller, SimulatedWay way, bool at_caller) const {
  const uint32_t number = number_at_caller_[caller];
  FlowRecord flow{.flow_id = at_caller ? FlowAtCaller(caller, way) : FlowAtCallee(caller, way),
                  .family = FlowFamily::kIpv4,
                  .protocol = IPPROTO_TCP,
                  .source_port = static_cast<uint16_t>(kFirstClientPort + number % kPortsOfAddress),
                  .destination_port = static_cast<uint16_t>(kServerPort + ServiceOf(caller) + 1)};
  SetAddress(node_of_[caller], number / kPortsOfAddress, flow.source);
  SetAddress(node_of_[caller + 1], 0, flow.destination);
  // Callers of a rack come out of one address; their nodes' numbers go into the second byte, so
  // that no two connections become one.
  if (!at_caller && IsTranslated(caller)) {
    flow.source[0] = 172;
    flow.source[1] = static_cast<uint8_t>(16 + number / kPortsOfAddress);
  }
  if (way == SimulatedWay::kAnswer) {
    std::swap(flow.source_port, flow.destination_port);
    std::swap(flow.source, flow.destination);
  }
  return flow;
}

}  // namespace gordian
