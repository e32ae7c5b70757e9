// SPDX-License-Identifier: Apache-2.0
// Where the threads of a simulated cluster live, and by which numbers their nodes know them and
// their connections.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/simulated_cluster.h"
#include "trace/trace_event.h"

namespace gordian {

// The two directions of the connection between a service's thread and the next service's.
enum class SimulatedWay : uint8_t { kRequest, kAnswer };

class SimulatedPlaces {
 public:
  explicit SimulatedPlaces(const SimulatedShape& shape);

  uint32_t lanes() const { return lanes_; }
  int services() const { return services_; }
  uint32_t threads() const { return lanes_ * static_cast<uint32_t>(services_); }
  // Threads stand lane by lane.
  uint32_t LaneOf(uint32_t thread) const { return thread / static_cast<uint32_t>(services_); }
  int ServiceOf(uint32_t thread) const {
    return static_cast<int>(thread % static_cast<uint32_t>(services_));
  }
  int NodeOf(uint32_t thread) const { return node_of_[thread]; }
  int32_t TidOf(uint32_t thread) const { return tid_of_[thread]; }
  // One process for each service on a node.
  static int32_t PidOf(int service) { return 1000 + service; }
  uint32_t ThreadsAt(int node, int service) const {
    return count_at_[static_cast<size_t>(node) * static_cast<size_t>(services_) +
                     static_cast<size_t>(service)];
  }
  bool IsAt(int node, int service) const { return ThreadsAt(node, service) > 0; }

  // `caller` has a next service. Both nodes have numbers of their own.
  uint32_t FlowAtCaller(uint32_t caller, SimulatedWay way) const {
    return flow_base_[caller] + (way == SimulatedWay::kRequest ? 0 : 1);
  }
  uint32_t FlowAtCallee(uint32_t caller, SimulatedWay way) const;
  // As the packets of that way leave, or, if `arrives`, as they come in: behind a rack's border the
  // caller has another address.
  FlowRecord Flow(uint32_t caller, SimulatedWay way, bool at_caller) const;

 private:
  bool IsTranslated(uint32_t caller) const;

  const int services_;
  const int nodes_per_rack_;
  const uint32_t lanes_;
  std::vector<uint16_t> node_of_;
  std::vector<int32_t> tid_of_;
  std::vector<uint32_t> flow_base_;  // of the connection to the next service, two; then that to the
                                     // one before, two
  std::vector<uint32_t> count_at_;   // by node and service
  std::vector<uint32_t> number_at_caller_;  // of the caller among its node's and service's
};

}  // namespace gordian
