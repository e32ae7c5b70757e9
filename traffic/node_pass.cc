// SPDX-License-Identifier: Apache-2.0
#include "traffic/node_pass.h"

#include <arpa/inet.h>

#include <algorithm>

namespace gordian {
namespace {

constexpr uint32_t kLinkHeaderBytes = 14;  // Ethernet's, of packets that are sent
constexpr uint32_t kSmallestTcpHeader = 20;
constexpr uint32_t kUdpHeader = 8;
constexpr uint64_t kOtherInterfaceAfterNs = 1'000'000'000;
constexpr size_t kMostUndefinedPackets = 1 << 16;
constexpr size_t kMostIds = 4 * kMostFlows;
constexpr size_t kCellsLookedAt = 4;

uint32_t IpHeader(const FlowTuple& tuple) {
  return tuple.source.family == FlowFamily::kIpv6 ? 40 : 20;
}

uint32_t Less(uint32_t from, uint32_t what) { return from - std::min(from, what); }

// A later fragment of a packet has no ports.
bool HasPorts(const FlowTuple& tuple) {
  return tuple.source_port != 0 || tuple.destination_port != 0;
}

bool IsTcp(const FlowTuple& tuple) { return tuple.protocol == IPPROTO_TCP && HasPorts(tuple); }

std::set<HostAddress> DeclaredAddresses(const pb::Session& session) {
  std::set<HostAddress> declared;
  for (const pb::Interface& interface : session.interfaces()) {
    for (const std::string& text : interface.addresses()) {
      HostAddress address{.family = FlowFamily::kIpv4};
      if (inet_pton(AF_INET, text.c_str(), address.bytes.data()) != 1) {
        address = {.family = FlowFamily::kIpv6};
        if (inet_pton(AF_INET6, text.c_str(), address.bytes.data()) != 1) continue;
      }
      declared.insert(address);
    }
  }
  return declared;
}

}  // namespace

NodePass::NodePass(const pb::Session& session, const ClockShift& shift, const SpanPlan& plan,
                   size_t node)
    : shift_(shift), untimed_span_(plan.FindKind(SpanKind::kUntimed)), spans_(plan, node) {
  traffic_.declared = DeclaredAddresses(session);
}

uint32_t NodePass::FlowOf(const FlowTuple& tuple) {
  const auto known = traffic_.flow_of.find(tuple);
  if (known != traffic_.flow_of.end()) return known->second;
  if (traffic_.flows.size() >= kMostFlows) return kMostFlows;
  const auto flow = static_cast<uint32_t>(traffic_.flows.size());
  traffic_.flow_of.emplace(tuple, flow);
  traffic_.flows.push_back({.tuple = tuple});
  return flow;
}

void NodePass::Define(const FlowRecord& record) {
  if (record.local != LocalChannel::kNone || flow_of_id_.size() >= kMostIds) return;
  flow_of_id_[record.flow_id] = FlowOf(TupleOf(record));
  const auto waiting = undefined_.find(record.flow_id);
  if (waiting == undefined_.end()) return;
  const std::vector<Packet> packets = std::move(waiting->second);
  undefined_.erase(waiting);
  undefined_packets_ -= packets.size();
  for (const Packet& packet : packets) AddPacket(packet);
}

// Small enough a search: one flow's packets come nearly in order, and mostly from one process.
TrafficAmount& NodePass::AmountOf(std::vector<TrafficCell>& cells, uint32_t span,
                                  uint32_t process) {
  if (cells_ >= kMostCells) span = untimed_span_;
  const size_t look_at = span == untimed_span_ ? cells.size() : kCellsLookedAt;
  for (size_t back = 1; back <= std::min(look_at, cells.size()); ++back) {
    TrafficCell& cell = cells[cells.size() - back];
    if (cell.span == span && (cell.process == process || span == untimed_span_)) return cell.amount;
  }
  cells.push_back({.span = span, .process = process});
  ++cells_;
  return cells.back().amount;
}

void NodePass::CountUnknown(const Packet& packet) {
  const uint32_t span = spans_.Find(shift_.Apply(packet.time_ns), 0);
  const uint32_t ip_bytes =
      packet.sent ? Less(packet.net.bytes, kLinkHeaderBytes) : packet.net.bytes;
  AmountOf(traffic_.unknown_flows, span, kNoProcess) +=
      {.ip_bytes = ip_bytes, .packets = 1, .unknown_size_bytes = ip_bytes};
}

void NodePass::AddPacket(const Packet& packet) {
  const auto known = flow_of_id_.find(packet.net.flow_id);
  if (known == flow_of_id_.end()) {
    if (undefined_packets_ >= kMostUndefinedPackets) return CountUnknown(packet);
    undefined_[packet.net.flow_id].push_back(packet);
    ++undefined_packets_;
    return;
  }
  if (known->second == kMostFlows) {
    ++traffic_.other_flows_packets;
    return CountUnknown(packet);
  }
  CountPacket(traffic_.flows[known->second], packet);
}

// A packet passes several interfaces of a node on its way from a container: the first one counts,
// until another sees a packet that the first did not.
bool NodePass::IsCounted(const NodeFlow& flow, FlowSide& side, const Packet& packet) {
  const bool other = side.seen && packet.net.interface != side.interface;
  if (other) {
    const bool goes_on_there = IsTcp(flow.tuple)
                                   ? side.tcp.IsAhead(packet.net.sequence)
                                   : packet.time_ns > side.last_packet_ns + kOtherInterfaceAfterNs;
    if (!goes_on_there) return false;
  }
  side.seen = true;
  side.interface = packet.net.interface;
  side.last_packet_ns = packet.time_ns;
  return true;
}

NodePass::Sizes NodePass::SizesOf(const FlowTuple& tuple, const Packet& packet) {
  const uint32_t interface = packet.net.interface;
  uint32_t link = packet.sent && !without_link_header_.contains(interface) ? kLinkHeaderBytes : 0;
  const uint32_t headers = IpHeader(tuple) + (IsTcp(tuple) ? kSmallestTcpHeader : 0);
  if (link != 0 && packet.net.bytes >= headers && packet.net.bytes < headers + link) {
    // A tunnel: its packets begin with the header of IP.
    if (IsTcp(tuple)) without_link_header_.insert(interface);
    link = 0;
  }
  const uint32_t ip_bytes = Less(packet.net.bytes, link);
  return {.ip_bytes = ip_bytes, .transport_bytes = Less(ip_bytes, IpHeader(tuple))};
}

// A thread that sends speaks for its process. A packet that an interrupt sends belongs to the
// process that wrote to the flow last.
uint32_t NodePass::SenderOf(NodeFlow& flow, const Packet& packet) {
  if (packet.sent && !packet.net.in_softirq) {
    const uint32_t process = processes_.Of(packet.net.tid);
    if (process != kNoProcess && process != flow.writer) {
      flow.writer = process;
      traffic_.learned.insert(flow.tuple.source);
    }
  }
  return flow.writer;
}

NodeFlow* NodePass::Mirror(const NodeFlow& flow) {
  const auto mirror = traffic_.flow_of.find(flow.tuple.Mirrored());
  return mirror == traffic_.flow_of.end() ? nullptr : &traffic_.flows[mirror->second];
}

void NodePass::CountPacket(NodeFlow& flow, const Packet& packet) {
  FlowSide& side = packet.sent ? flow.sent : flow.received;
  const uint32_t sender = SenderOf(flow, packet);
  if (!IsCounted(flow, side, packet)) {
    ++traffic_.seen_again_packets;
    return;
  }
  uint32_t here = sender;
  if (const NodeFlow* mirror = Mirror(flow); here == kNoProcess && mirror != nullptr)
    here = mirror->writer;
  const int32_t pid = here == kNoProcess ? 0 : processes_[here].pid;
  const uint32_t span = spans_.Find(shift_.Apply(packet.time_ns), pid);
  const Sizes sizes = SizesOf(flow.tuple, packet);
  if (!IsTcp(flow.tuple)) return CountDatagram(flow, side, sizes, span, sender);
  CountTcp(flow, side,
           {.sequence = packet.net.sequence,
            .tcp_bytes = sizes.transport_bytes,
            .ip_bytes = sizes.ip_bytes,
            .span = span,
            .process = sender});
}

void NodePass::CountDatagram(const NodeFlow& flow, FlowSide& side, const Sizes& sizes,
                             uint32_t span, uint32_t process) {
  const bool udp = flow.tuple.protocol == IPPROTO_UDP && HasPorts(flow.tuple);
  const bool fragment = flow.tuple.protocol == IPPROTO_UDP && !udp;
  AmountOf(side.cells, span, process) +=
      {.payload_bytes = Less(sizes.transport_bytes, udp ? kUdpHeader : 0),
       .ip_bytes = sizes.ip_bytes,
       .packets = 1,
       .messages = fragment ? 0u : 1u};
}

// A message begins with the first payload after the other direction's. Sent packets tell a
// direction's turn better than received ones, if both are recorded as often. (A kernel of several
// network namespaces sees single packets of others being sent on.)
void NodePass::CountTcp(NodeFlow& flow, FlowSide& side, TcpPacket tcp) {
  NodeFlow* mirror = Mirror(flow);
  if (mirror != nullptr) {
    const TcpPayload& other = mirror->sent.seen ? mirror->sent.tcp : mirror->received.tcp;
    side.tcp.LearnHeader(other.header_bytes());
  }
  const bool news = side.tcp.MayBeNews(tcp);
  if (const auto judged = side.tcp.Add(tcp)) CountJudged(side, *judged);
  if (!news) return;
  uint64_t answered = 0;
  if (mirror != nullptr) {
    const bool sent_tells = mirror->sent.turns >= mirror->received.turns;
    answered = (sent_tells ? mirror->sent : mirror->received).last_payload_turn;
  }
  TcpPacket& held = *side.tcp.held();
  held.last_payload_turn = side.last_payload_turn;
  held.begins_message = side.last_payload_turn == 0 || answered > side.last_payload_turn;
  side.last_payload_turn = ++turn_;
  ++side.turns;
}

void NodePass::CountJudged(FlowSide& side, const JudgedPacket& judged) {
  TrafficAmount& amount = AmountOf(side.cells, judged.packet.span, judged.packet.process);
  amount += {.ip_bytes = judged.packet.ip_bytes, .packets = 1, .unseen_bytes = judged.unseen_bytes};
  if (judged.payload_bytes == 0) {
    ++amount.empty_packets;
    if (judged.packet.begins_message) side.last_payload_turn = judged.packet.last_payload_turn;
  } else if (judged.repeated) {
    ++amount.repeated_packets;
    amount.repeated_bytes += judged.payload_bytes;
  } else {
    amount.payload_bytes += judged.payload_bytes;
    amount.messages += judged.packet.begins_message ? 1 : 0;
  }
}

void NodePass::AddWake(const WakeEvent& wake) {
  if (wake.device_kind != DeviceKind::kNic || wake.flow_id == 0) return;
  const auto known = flow_of_id_.find(wake.flow_id);
  if (known == flow_of_id_.end() || known->second == kMostFlows) return;
  NodeFlow& flow = traffic_.flows[known->second];
  if (flow.reader == kNoProcess) flow.reader = processes_.Of(wake.wakee_tid);
}

void NodePass::Add(const TraceEvent& event, const EventBlock& block) {
  switch (event.kind) {
    case EventKind::kTask:
      return processes_.Learn(block.tasks[event.task.index]);
    case EventKind::kFlow:
      return Define(block.flows[event.flow.index]);
    case EventKind::kNetSend:
    case EventKind::kNetReceive:
      return AddPacket(
          {.time_ns = event.time_ns, .net = event.net, .sent = event.kind == EventKind::kNetSend});
    case EventKind::kWake:
      return AddWake(event.wake);
    case EventKind::kLoss:
      if (event.loss.kind == EventKind::kNetSend || event.loss.kind == EventKind::kNetReceive)
        traffic_.lost_packets += std::min(event.loss.count, UINT64_MAX - traffic_.lost_packets);
      return;
    default:
      return;
  }
}

NodeTraffic NodePass::Finish() {
  for (NodeFlow& flow : traffic_.flows) {
    for (FlowSide* side : {&flow.sent, &flow.received})
      if (const auto judged = side->tcp.Finish()) CountJudged(*side, *judged);
  }
  for (const auto& [id, packets] : undefined_)
    for (const Packet& packet : packets) CountUnknown(packet);
  traffic_.processes = processes_.Take();
  return std::move(traffic_);
}

}  // namespace gordian
