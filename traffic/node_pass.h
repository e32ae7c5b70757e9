// SPDX-License-Identifier: Apache-2.0
// The one pass over a node's events (node_traffic.h), event by event.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "traffic/node_traffic.h"

namespace gordian {

class NodePass {
 public:
  NodePass(const pb::Session& session, const ClockShift& shift, const SpanPlan& plan, size_t node);

  void LearnBefore(const TaskRecord& task) { processes_.Learn(task); }
  void Add(const TraceEvent& event, const EventBlock& block);
  NodeTraffic Finish();

 private:
  struct Packet {
    uint64_t time_ns = 0;
    NetEvent net;
    bool sent = false;
  };
  struct Sizes {
    uint32_t ip_bytes = 0;         // with its header
    uint32_t transport_bytes = 0;  // behind that
  };

  void Define(const FlowRecord& record);
  uint32_t FlowOf(const FlowTuple& tuple);
  void AddPacket(const Packet& packet);
  void CountPacket(NodeFlow& flow, const Packet& packet);
  void CountTcp(NodeFlow& flow, FlowSide& side, TcpPacket tcp);
  void CountDatagram(const NodeFlow& flow, FlowSide& side, const Sizes& sizes, uint32_t span,
                     uint32_t process);
  void CountJudged(FlowSide& side, const JudgedPacket& judged);
  void CountUnknown(const Packet& packet);
  void AddWake(const WakeEvent& wake);
  bool IsCounted(const NodeFlow& flow, FlowSide& side, const Packet& packet);
  Sizes SizesOf(const FlowTuple& tuple, const Packet& packet);
  uint32_t SenderOf(NodeFlow& flow, const Packet& packet);
  NodeFlow* Mirror(const NodeFlow& flow);
  TrafficAmount& AmountOf(std::vector<TrafficCell>& cells, uint32_t span, uint32_t process);

  const ClockShift& shift_;
  const uint32_t untimed_span_;
  SpanFinder spans_;
  Processes processes_;
  NodeTraffic traffic_;
  absl::flat_hash_map<uint32_t, uint32_t> flow_of_id_;            // ids of flows that were defined
  absl::flat_hash_map<uint32_t, std::vector<Packet>> undefined_;  // by id, until it is defined
  size_t undefined_packets_ = 0;
  absl::flat_hash_set<uint32_t> without_link_header_;  // interfaces
  size_t cells_ = 0;
  uint64_t turn_ = 0;  // counts packets with payload, to tell which side spoke last
};

}  // namespace gordian
