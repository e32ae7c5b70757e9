// SPDX-License-Identifier: Apache-2.0
#include "near/near_recording.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "analyzer/timeline/block_source.h"
#include "nodes/held_back.h"
#include "nodes/join_plan.h"
#include "nodes/joint_time.h"
#include "nodes/messages.h"
#include "nodes/node_clocks.h"
#include "trace/session_reader.h"
#include "trace/session_span.h"

namespace gordian {
namespace {

uint64_t BytesIn(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const uint64_t size = entry.is_regular_file(error) ? entry.file_size(error) : 0;
    if (!error) bytes += size;
  }
  return bytes;
}

std::string NodeNameOf(const pb::Session& session) {
  if (!session.node_clock().node().empty()) return session.node_clock().node();
  return session.host().hostname();
}

// The packet that a message came with. A flow may have several ids.
const PacketRecord* PacketOf(const Timeline& timeline, const PacketWake& wake,
                             const Message& message) {
  const auto flow = timeline.flows().find(wake.flow_id);
  if (flow == timeline.flows().end()) return nullptr;
  const std::string key = KeyOfFlow(flow->second);
  const std::span<const PacketRecord> packets = timeline.packet_rows().front();
  auto at = std::partition_point(packets.begin(), packets.end(), [&](const PacketRecord& packet) {
    return packet.time_ns < message.received_ns;
  });
  for (; at != packets.end() && at->time_ns == message.received_ns; ++at) {
    if (at->sent || at->cpu != wake.cpu) continue;
    const auto known = timeline.flows().find(at->flow_id);
    if (known != timeline.flows().end() && KeyOfFlow(known->second) == key) return &*at;
  }
  return nullptr;
}

// Whose sender another node may know. An own thread's packet needs nobody else.
bool IsFromElsewhere(const Message& message) {
  return message.fate == MessageFate::kOutside || message.fate == MessageFate::kNotSent ||
         message.fate == MessageFate::kByKernel;
}

class PacketTaker {
 public:
  PacketTaker(const Timeline& timeline, NearRecording& node) : timeline_(timeline), node_(node) {}

  void TakeSent(const NodeView& view, const JointTime& time) {
    for (const PacketRecord& packet : timeline_.packet_rows().front()) {
      if (!packet.sent) continue;
      const auto flow = timeline_.flows().find(packet.flow_id);
      if (flow == timeline_.flows().end()) continue;
      const uint64_t time_ns = view.clock.ToReference(packet.time_ns);
      if (view.pauses->Holds(time_ns)) continue;
      node_.sent[KeyOfFlow(flow->second)].push_back(
          {.time_ns = time_ns,
           .node_time_ns = time.clock.ToReference(packet.time_ns),
           .thread = packet.thread,
           .sequence = packet.sequence,
           .bytes = packet.bytes,
           .interface = packet.interface});
    }
  }

  void TakeOutside(const NodeView& view, const JointTime& time, std::span<const Message> messages,
                   std::span<const MaybeHeldWait> held) {
    for (size_t i = 0; i < messages.size(); ++i) {
      const Message& message = messages[i];
      if (!IsFromElsewhere(message)) continue;
      const PacketRecord* packet = PacketOf(timeline_, timeline_.packet_wakes()[i], message);
      if (packet == nullptr || time.IsCut(message.woken_ns)) continue;
      const uint64_t received_clock_ns = view.clock.ToReference(message.received_ns);
      if (view.pauses->Holds(received_clock_ns)) continue;
      node_.outside.push_back({.receiver = message.receiver,
                               .woken_ns = time.clock.ToReference(message.woken_ns),
                               .received_ns = time.clock.ToReference(message.received_ns),
                               .received_clock_ns = received_clock_ns,
                               .flow = FlowOf(packet->flow_id),
                               .sequence = packet->sequence,
                               .bytes = packet->bytes,
                               .interface = packet->interface,
                               .may_be_held_back = IsAmong(held, message)});
    }
  }

 private:
  static bool IsAmong(std::span<const MaybeHeldWait> held, const Message& message) {
    const auto at = std::partition_point(held.begin(), held.end(), [&](const MaybeHeldWait& wait) {
      return std::tie(wait.thread, wait.woken_ns) < std::tie(message.receiver, message.woken_ns);
    });
    return at != held.end() && at->thread == message.receiver && at->woken_ns == message.woken_ns;
  }

  uint32_t FlowOf(uint32_t id) {
    const FlowRecord& flow = timeline_.flows().at(id);
    const auto [place, is_new] =
        numbers_.try_emplace(KeyOfFlow(flow), static_cast<uint32_t>(node_.flows.size()));
    if (is_new) node_.flows.push_back(flow);
    return place->second;
  }

  const Timeline& timeline_;
  NearRecording& node_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

void TellAddresses(const pb::Session& session, pb::NearAbout& about) {
  for (const pb::Interface& interface : session.interfaces()) {
    if (interface.loopback()) continue;
    for (const std::string& address : interface.addresses())
      about.add_addresses(address.substr(0, address.find('/')));
  }
}

}  // namespace

uint64_t NearRecording::JointOf(uint64_t since_start_ns) const {
  const uint64_t length_ns = own_end_ns - own_start_ns;
  return joint.clock.ToReference(own_start_ns + std::min(since_start_ns, length_ns));
}

uint64_t NearRecording::SinceStart(uint64_t joint_ns) const {
  return FirstAt(joint.clock, joint_ns, own_start_ns, own_end_ns) - own_start_ns;
}

pb::NearAbout AboutSession(const SessionReader& reader, const std::string& directory) {
  const pb::Session& session = reader.session();
  pb::NearAbout about;
  const std::string name = NodeNameOf(session);
  about.set_node(name);
  about.set_hostname(session.host().hostname());
  const Pauses pauses = BlockSource::PausesOf(reader);
  for (const auto& stream : reader.cpus())
    for (const BlockInfo& block : stream->blocks()) about.set_events(about.events() + block.events);
  about.set_bytes(BytesIn(directory));
  TellAddresses(session, about);
  const NodeClocks clocks = ClocksOf({{.name = name, .session = &session}});
  const ClockMap clock(clocks.bounds.front());
  const SessionSpan span = SpanOf(reader);
  for (const auto& [from_ns, to_ns] : pauses.Stretches()) {
    const uint64_t on_clock_ns = clock.ToReference(from_ns);
    about.mutable_pauses()->add_from_ns(on_clock_ns);
    about.mutable_pauses()->add_length_ns(clock.ToReference(to_ns) - on_clock_ns);
  }
  about.set_start_ns(clock.ToReference(span.start_ns));
  about.set_end_ns(clock.ToReference(span.end_ns));
  about.set_clock_bound_ns(clocks.bounds.front().BoundWithin(span.start_ns, span.end_ns));
  about.set_reference(clocks.reference);
  const pb::NodeClock& told = session.node_clock();
  const bool is_reference = told.node() == told.reference();
  about.set_reference_boot_id(is_reference ? session.host().boot_id() : told.reference_boot_id());
  about.set_is_clock_measured(!told.reference().empty() &&
                              (is_reference || !told.offsets().empty()));
  return about;
}

absl::StatusOr<std::unique_ptr<NearRecording>> ReadNearRecording(const std::string& directory,
                                                                 const pb::NearPauses& pauses,
                                                                 int threads) {
  auto reader = SessionReader::Open(directory);
  if (!reader.ok()) return reader.status();
  auto timeline =
      Timeline::Load(**reader, {.threads = threads, .keep_packet_wakes = true}, Progress());
  if (!timeline.ok()) return timeline.status();
  auto node = std::make_unique<NearRecording>();
  node->about = AboutSession(**reader, directory);
  pb::NearAbout& about = node->about;
  const pb::Session session = timeline->session();
  const NodeClocks clocks = ClocksOf({{.name = about.node(), .session = &session}});
  const ClockMap clock(clocks.bounds.front());
  for (int i = 0; i < std::min(pauses.from_ns_size(), pauses.length_ns_size()); ++i) {
    pb::Pause& pause = *node->pauses_of_all.add_pauses();
    pause.set_from_ns(pauses.from_ns(i));
    pause.set_to_ns(pauses.from_ns(i) + pauses.length_ns(i));
  }
  const Pauses joint(node->pauses_of_all, 0);
  const NodeFacts facts = FactsOf(about.node(), *timeline);
  const NodeView view{.timeline = &*timeline,
                      .clock = TimelineToReference(facts, clock),
                      .clock_bound_ns = about.clock_bound_ns(),
                      .pauses = &joint};
  const JointTime time = JointTimeOf(facts, view.clock, joint);
  const std::vector<MaybeHeldWait> held = MarkOwnHeldBack(*timeline);
  const Column<Message> messages = MatchMessages({&view, 1}, threads);
  PacketTaker packets(*timeline, *node);
  packets.TakeSent(view, time);
  packets.TakeOutside(view, time, messages, held);
  node->joint = time;
  node->own_start_ns = timeline->start_ns();
  node->own_end_ns = timeline->end_ns();
  std::vector<NodeTimeline> one(1);
  one.front().name = about.node();
  one.front().timeline = *std::move(timeline);
  node->recording = RecordingOf(JoinNodes(std::move(one), threads, &node->pauses_of_all));
  node->recording.directory = directory;
  node->recording.directories = {directory};
  return node;
}

}  // namespace gordian
