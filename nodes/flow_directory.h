// SPDX-License-Identifier: Apache-2.0
// Which flows of different nodes are the same one.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/timeline/flow_table.h"

namespace gordian {

struct FlowKey {
  FlowFamily family = FlowFamily::kUnknown;
  uint8_t protocol = 0;
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  std::array<uint8_t, 16> source{};
  std::array<uint8_t, 16> destination{};
  auto operator<=>(const FlowKey&) const = default;  // NOLINT: clang-tidy 14 errs

  template <typename H>
  friend H AbslHashValue(H state, const FlowKey& key) {
    return H::combine(std::move(state), key.family, key.protocol, key.source_port,
                      key.destination_port, key.source, key.destination);
  }
};
FlowKey KeyOf(const FlowRecord& flow);

// Flows whose packets are the same: the kernel replaced the addresses of the one on the way (NAT),
// and the packets went on in the other. Each such set has one of its keys as its name, the least:
// that depends on no order. Every step of a search goes to a lesser key, so it ends.
class SameFlows {
 public:
  explicit SameFlows(std::span<const FlowTable* const> flows_of_node);
  FlowKey NameOf(FlowKey key) const;

 private:
  void Join(const FlowKey& a, const FlowKey& b);
  absl::flat_hash_map<FlowKey, FlowKey> lesser_;
};

// Where each flow is known.
class FlowDirectory {
 public:
  struct Place {
    uint32_t node = 0;
    uint32_t flow_id = 0;
    auto operator<=>(const Place&) const = default;  // NOLINT: clang-tidy 14 errs
  };
  explicit FlowDirectory(std::span<const FlowTable* const> flows_of_node);
  // Of the same flow, by whichever addresses. In order of nodes.
  std::span<const Place> PlacesOf(const FlowRecord& flow) const;

 private:
  SameFlows same_;
  absl::flat_hash_map<FlowKey, uint32_t> numbers_;
  // By number: one behind the other, as a list of its own for each would cost more than is in it.
  std::vector<Place> places_;
  std::vector<size_t> ends_;
};

}  // namespace gordian
