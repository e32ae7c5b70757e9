// SPDX-License-Identifier: Apache-2.0
// Packets on their way, and the waits that they end.
#include <algorithm>

#include "bench/simulated_run.h"

namespace gordian {
namespace {

constexpr uint64_t kShortestWayNs = 20'000;
constexpr uint64_t kLongestWayNs = 80'000;
constexpr uint64_t kSlowWayNs = 2'000'000;
constexpr uint64_t kSentAgainNs = 2'000'000;
constexpr uint32_t kRequestBytes = 200;
constexpr uint32_t kAnswerBytes = 900;
constexpr uint32_t kSentHeaders = 66;  // with the interface's own
constexpr uint32_t kReceivedHeaders = 52;
constexpr uint16_t kNetReceiveVector = 3;

}  // namespace

uint64_t ClusterSimulation::Send(uint32_t sender, uint32_t caller, SimulatedWay way) {
  const uint64_t sent_ns = RecorderOf(sender).Stamp(now_ns_);
  AddPacket(EventKind::kNetSend, sender, threads_[sender].cpu, sent_ns, caller, way,
            places_.TidOf(sender));
  const SimulatedDue due{
      .subject = caller, .sent_ns = sent_ns, .what = SimulatedDue::What::kArrive, .way = way};
  if (shape_.disturbances.packets_lost > 0 &&
      static_cast<double>(Random() >> 11) * 0x1p-53 < shape_.disturbances.packets_lost) {
    SimulatedDue again = due;
    again.what = SimulatedDue::What::kAgain;
    Plan(sent_ns + kSentAgainNs, again);
    return sent_ns;
  }
  Plan(sent_ns + WayNs(), due);
  return sent_ns;
}

uint64_t ClusterSimulation::WayNs() {
  const uint64_t way_ns = kShortestWayNs + Random() % (kLongestWayNs - kShortestWayNs);
  return way_ns + (shape_.limit == SimulatedLimit::kLink ? kSlowWayNs : 0);
}

void ClusterSimulation::SendAgain(const SimulatedDue& due) {
  const uint32_t sender = due.way == SimulatedWay::kRequest ? due.subject : due.subject + 1;
  const uint64_t again_ns = RecorderOf(sender).Stamp(now_ns_);
  AddPacket(EventKind::kNetSend, sender, 0, again_ns, due.subject, due.way, 0);
  SimulatedDue arrive = due;
  arrive.what = SimulatedDue::What::kArrive;
  arrive.is_again = true;
  Plan(again_ns + WayNs(), arrive);
}

void ClusterSimulation::AddPacket(EventKind kind, uint32_t here, int cpu, uint64_t time_ns,
                                  uint32_t caller, SimulatedWay way, int32_t tid) {
  TraceEvent* event = Add(kind, here, cpu, time_ns);
  if (event == nullptr) return;
  const bool is_request = way == SimulatedWay::kRequest;
  const bool is_sent = kind == EventKind::kNetSend;
  event->net = {
      .flow_id =
          here == caller ? places_.FlowAtCaller(caller, way) : places_.FlowAtCallee(caller, way),
      .interface = kSimulatedInterface,
      .bytes =
          (is_request ? kRequestBytes : kAnswerBytes) + (is_sent ? kSentHeaders : kReceivedHeaders),
      .sequence = is_request ? threads_[caller].request_sequence : threads_[caller].answer_sequence,
      .tid = tid,
      .in_softirq = !is_sent || tid == 0};
}

void ClusterSimulation::Arrive(const SimulatedDue& due) {
  const bool is_request = due.way == SimulatedWay::kRequest;
  const uint32_t caller = due.subject;
  const uint32_t receiver = is_request ? caller + 1 : caller;
  const uint32_t sender = is_request ? caller : caller + 1;
  const int cpu =
      static_cast<int>(places_.LaneOf(caller) % static_cast<uint32_t>(shape_.cpus_per_node));
  Resume(receiver, now_ns_);
  const uint64_t arrived_ns = RecorderOf(receiver).Stamp(now_ns_);
  const uint32_t running = NodeOf(receiver).running[static_cast<size_t>(cpu)];
  AddPacket(EventKind::kNetReceive, receiver, cpu, arrived_ns, caller, due.way,
            running == kNobodyRuns ? 0 : places_.TidOf(running));
  (is_request ? threads_[caller].request_sequence : threads_[caller].answer_sequence) +=
      is_request ? kRequestBytes : kAnswerBytes;
  const uint64_t since_ns = threads_[receiver].since_ns;
  threads_[receiver].step = is_request ? SimulatedStep::kBegin : SimulatedStep::kFinish;
  const uint32_t flow_id =
      is_request ? places_.FlowAtCallee(caller, due.way) : places_.FlowAtCaller(caller, due.way);
  const uint64_t woken_ns = Wake(receiver, cpu,
                                 {.context = WakeContext::kSoftirq,
                                  .waker_is_cause = false,
                                  .device_kind = DeviceKind::kNic,
                                  .vector = kNetReceiveVector,
                                  .device = kSimulatedInterface,
                                  .flow_id = flow_id},
                                 arrived_ns);
  NotePacketWait(receiver, sender, since_ns, due, woken_ns);
}

void ClusterSimulation::NotePacketWait(uint32_t receiver, uint32_t sender, uint64_t since_ns,
                                       const SimulatedDue& due, uint64_t woken_ns) {
  SimulatedWaits& waits = WaitsOf(receiver);
  const uint64_t until_sent_ns = std::max(due.sent_ns, since_ns) - since_ns;
  (due.way == SimulatedWay::kRequest ? waits.for_caller_ns : waits.for_callee_ns) += until_sent_ns;
  waits.on_way_ns += woken_ns - since_ns - until_sent_ns;
  ++truth_.all_waits;
  ++truth_.packet_waits;
  truth_.cross_node_waits += places_.NodeOf(receiver) != places_.NodeOf(sender) ? 1 : 0;
  if (!shape_.tells_hand_overs) return;
  const SimulatedHandOver row{.woken_ns = woken_ns,
                              .sent_ns = due.sent_ns,
                              .waited_ns = woken_ns - since_ns,
                              .receiver_tid = places_.TidOf(receiver),
                              .sender_tid = places_.TidOf(sender),
                              .receiver_node = static_cast<uint16_t>(places_.NodeOf(receiver)),
                              .sender_node = static_cast<uint16_t>(places_.NodeOf(sender)),
                              .sent_again = due.is_again ? 1U : 0U};
  hand_overs_.write(reinterpret_cast<const char*>(&row), sizeof(row));
}

}  // namespace gordian
