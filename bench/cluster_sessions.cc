// SPDX-License-Identifier: Apache-2.0
#include "bench/cluster_sessions.h"

#include <netinet/in.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr uint16_t kNetRxVector = 3;
constexpr uint16_t kServerPort = 5000;
constexpr uint16_t kFirstClientPort = 40000;
constexpr uint32_t kSentHeaders = 66;  // with the interface's own
constexpr uint32_t kReceivedHeaders = 52;
constexpr uint64_t kMeasureEveryNs = 100'000'000;

}  // namespace

absl::StatusOr<std::unique_ptr<ClusterSessions>> ClusterSessions::Create(
    const ClusterShape& shape, const std::string& directory, bool as_one_node) {
  std::unique_ptr<ClusterSessions> cluster(new ClusterSessions(shape, as_one_node));
  const int sessions = as_one_node ? 1 : shape.nodes;
  std::error_code ignored;  // the writer tells the error
  std::filesystem::create_directories(directory, ignored);
  for (int i = 0; i < sessions; ++i) {
    Session session{.name = absl::StrCat("n", i)};
    if (!as_one_node && static_cast<size_t>(i) < shape.clocks.size())
      session.clock = shape.clocks[i];
    auto writer = SessionWriter::Create(
        as_one_node ? directory : absl::StrCat(directory, "/", session.name), {});
    if (!writer.ok()) return writer.status();
    session.writer = *std::move(writer);
    session.known.cpu = kNoCpu;
    session.blocks.resize(shape.cpus_per_node * shape.nodes / sessions);
    for (size_t cpu = 0; cpu < session.blocks.size(); ++cpu) {
      session.blocks[cpu].cpu = static_cast<uint16_t>(cpu);
    }
    cluster->sessions_.push_back(std::move(session));
  }
  return cluster;
}

uint64_t ClusterSessions::Shown(const PlayedClock& clock, uint64_t time_ns) const {
  const auto since_start_ns = static_cast<int64_t>(time_ns - kPlayedStartNs);
  return time_ns +
         static_cast<uint64_t>(clock.skew_ns + since_start_ns * clock.drift_ppm / 1'000'000);
}

void ClusterSessions::AddThread(int node, int32_t tid, const std::string& name) {
  Session& session = Of(node);
  tids_[tid] = 1000 + session.threads++;
  session.known.AddTask(Shown(session.clock, kPlayedStartNs),
                        {.tid = tids_[tid], .tgid = tids_[tid], .start_time_ns = 1, .comm = name});
}

void ClusterSessions::AddConnection(const PlayedWay& way) {
  for (const int node : {way.from, way.to}) {
    for (const bool back : {false, true}) AddFlow(Of(node), way, back);
  }
}

void ClusterSessions::AddFlow(Session& session, const PlayedWay& way, bool back) {
  const auto number = static_cast<uint32_t>(session.flows.size() + 1);
  if (!session.flows.try_emplace({way, back}, number).second) return;
  FlowRecord flow{.flow_id = number, .family = FlowFamily::kIpv4, .protocol = IPPROTO_TCP};
  flow.source_port = static_cast<uint16_t>(kFirstClientPort + way.number);
  flow.destination_port = kServerPort;
  flow.source = {10, 0, 0, static_cast<uint8_t>(way.from)};
  flow.destination = {10, 0, 0, static_cast<uint8_t>(way.to)};
  if (back) {
    std::swap(flow.source_port, flow.destination_port);
    std::swap(flow.source, flow.destination);
  }
  session.known.AddFlow(Shown(session.clock, kPlayedStartNs), flow);
}

TraceEvent ClusterSessions::NewEvent(EventKind kind, int cpu, uint64_t time_ns) {
  return {.time_ns = Shown(Of(NodeOf(cpu)).clock, time_ns),
          .kind = kind,
          .cpu = static_cast<uint16_t>(as_one_node_ ? cpu : cpu % shape_.cpus_per_node)};
}

void ClusterSessions::Add(int cpu, const TraceEvent& event) {
  Session& session = Of(NodeOf(cpu));
  EventBlock& block = session.blocks[event.cpu];
  block.events.push_back(event);
  ++events_;
  if (block.events.size() == shape_.events_per_block)
    failure_.Update(session.writer->AppendEvents(block));
}

void ClusterSessions::Switch(int cpu, uint64_t time_ns, int32_t from_tid, int32_t to_tid) {
  TraceEvent event = NewEvent(EventKind::kSwitch, cpu, time_ns);
  event.sched_switch = {.prev_tid = Tid(from_tid),
                        .next_tid = Tid(to_tid),
                        .prev_state = from_tid == 0 ? kStateRunning : kStateInterruptible};
  Add(cpu, event);
}

void ClusterSessions::Wake(int cpu, uint64_t time_ns, int32_t wakee_tid, int32_t waker_tid) {
  TraceEvent event = NewEvent(EventKind::kWake, cpu, time_ns);
  event.wake = WakeEvent{.wakee_tid = Tid(wakee_tid), .waker_tid = Tid(waker_tid)};
  Add(cpu, event);
}

void ClusterSessions::WakeByPacket(int cpu, uint64_t time_ns, int32_t wakee_tid,
                                   int32_t interrupted_tid, const PlayedWay& way) {
  TraceEvent event = NewEvent(EventKind::kWake, cpu, time_ns);
  event.wake = WakeEvent{.wakee_tid = Tid(wakee_tid),
                         .waker_tid = Tid(interrupted_tid),
                         .context = WakeContext::kSoftirq,
                         .waker_is_cause = false,
                         .device_kind = DeviceKind::kNic,
                         .vector = kNetRxVector,
                         .device = InterfaceOf(NodeOf(cpu)),
                         .flow_id = Of(NodeOf(cpu)).flows.at({way, false})};
  Add(cpu, event);
}

void ClusterSessions::AddPacket(EventKind kind, int cpu, uint64_t time_ns, const PlayedWay& way,
                                bool back, const NetEvent& packet) {
  TraceEvent event = NewEvent(kind, cpu, time_ns);
  event.net = packet;
  event.net.flow_id = Of(NodeOf(cpu)).flows.at({way, back});
  event.net.interface = InterfaceOf(NodeOf(cpu));
  event.net.bytes += kind == EventKind::kNetSend ? kSentHeaders : kReceivedHeaders;
  Add(cpu, event);
}

void ClusterSessions::Send(int cpu, uint64_t time_ns, const PlayedWay& way, uint32_t sequence,
                           uint32_t payload, int32_t tid) {
  AddPacket(EventKind::kNetSend, cpu, time_ns, way, false,
            {.bytes = payload, .sequence = sequence, .tid = Tid(tid), .in_softirq = tid == 0});
}

void ClusterSessions::Receive(int cpu, uint64_t time_ns, const PlayedWay& way, uint32_t sequence,
                              uint32_t payload, int32_t interrupted_tid) {
  AddPacket(
      EventKind::kNetReceive, cpu, time_ns, way, false,
      {.bytes = payload, .sequence = sequence, .tid = Tid(interrupted_tid), .in_softirq = true});
}

void ClusterSessions::Acknowledge(int cpu, uint64_t time_ns, const PlayedWay& way) {
  AddPacket(EventKind::kNetSend, cpu, time_ns, way, true, {.sequence = 1, .in_softirq = true});
}

void ClusterSessions::ReceiveAcknowledgement(int cpu, uint64_t time_ns, const PlayedWay& way,
                                             int32_t interrupted_tid) {
  AddPacket(EventKind::kNetReceive, cpu, time_ns, way, true,
            {.sequence = 1, .tid = Tid(interrupted_tid), .in_softirq = true});
}

absl::Status ClusterSessions::Finish(uint64_t end_ns) {
  for (Session& session : sessions_) {
    failure_.Update(session.writer->AppendTasks(session.known));
    for (EventBlock& block : session.blocks) {
      failure_.Update(session.writer->AppendEvents(block));
    }
    failure_.Update(FinishSession(session, end_ns));
  }
  return failure_;
}

absl::Status ClusterSessions::FinishSession(Session& session, uint64_t end_ns) {
  pb::Session meta;
  meta.set_name("played");
  meta.set_backend("tracepoint");
  meta.mutable_host()->set_cpus(static_cast<uint32_t>(session.blocks.size()));
  meta.mutable_host()->set_hostname(session.name);
  meta.mutable_host()->set_boot_id(absl::StrCat("boot of ", session.name));
  for (int node = 0; node < (as_one_node_ ? shape_.nodes : 1); ++node) {
    pb::Interface& interface = *meta.add_interfaces();
    interface.set_index(InterfaceOf(node));
    interface.set_name(absl::StrCat("eth", as_one_node_ ? absl::StrCat("n", node) : session.name));
  }
  pb::NodeClock& clock = *meta.mutable_node_clock();
  clock.set_node(session.name);
  clock.set_reference("n0");
  if (session.name != "n0") {
    clock.set_reference_boot_id("boot of n0");
    clock.set_drift_ppb(250'000);
    for (uint64_t time_ns = kPlayedStartNs; time_ns <= end_ns + kMeasureEveryNs;
         time_ns += kMeasureEveryNs) {
      const uint64_t shown_ns = Shown(session.clock, time_ns);
      pb::ClockOffset& offset = *clock.add_offsets();
      offset.set_monotonic_ns(shown_ns);
      offset.set_offset_ns(static_cast<int64_t>(time_ns - shown_ns) + session.clock.error_ns);
      offset.set_bound_ns(session.clock.bound_ns);
    }
  }
  meta.set_start_time_ns(Shown(session.clock, kPlayedStartNs));
  meta.set_end_time_ns(Shown(session.clock, end_ns));
  meta.set_complete(true);
  return session.writer->WriteSession(meta);
}

}  // namespace gordian
