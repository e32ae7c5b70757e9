// SPDX-License-Identifier: Apache-2.0
// The two ends of a flow.
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "trace/trace_event.h"

namespace gordian {

struct HostAddress {
  FlowFamily family = FlowFamily::kUnknown;
  std::array<uint8_t, 16> bytes{};
  bool operator==(const HostAddress&) const = default;
  bool operator<(const HostAddress& other) const {
    return std::tie(family, bytes) < std::tie(other.family, other.bytes);
  }
};

struct FlowTuple {
  HostAddress source;
  HostAddress destination;
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint8_t protocol = 0;
  bool operator==(const FlowTuple&) const = default;
  auto Fields() const {
    return std::tie(source, destination, source_port, destination_port, protocol);
  }
  bool operator<(const FlowTuple& other) const { return Fields() < other.Fields(); }
  FlowTuple Mirrored() const;
  template <typename H>
  friend H AbslHashValue(H hash, const FlowTuple& tuple) {
    return H::combine(std::move(hash), tuple.source.family, tuple.source.bytes,
                      tuple.destination.bytes, tuple.source_port, tuple.destination_port,
                      tuple.protocol);
  }
};

FlowTuple TupleOf(const FlowRecord& flow);

}  // namespace gordian
