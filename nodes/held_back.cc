// SPDX-License-Identifier: Apache-2.0
#include "nodes/held_back.h"

#include <netinet/in.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "nodes/rows_by_thread.h"
#include "nodes/thresholds.h"

namespace gordian {
namespace {

// A packet that an acknowledgement set free.
struct HeldPacket {
  uint64_t silent_since_ns = 0;
  uint32_t flow_id = 0;
  uint32_t sequence = 0;
  bool is_sent_here = false;
  // Who wrote to the flow last, and where.
  const Timeline* node = nullptr;
  EntityId writer = kNobody;
};

// One direction of a connection, as its receiver sees it.
struct Direction {
  uint64_t last_ns = 0;  // of the receiver's packets, in or out
  // A delayed acknowledgement went out, and nothing since; 0: none.
  uint64_t acknowledged_ns = 0;
  uint64_t silent_since_ns = 0;    // before it
  uint32_t acknowledgement = 0;    // its sequence number
  std::optional<HeldPacket> held;  // the latest that came in, if it was held back
  uint32_t held_sequence = 0;
  // The sending, if the recording holds it.
  bool is_sent_here = false;
  bool by_kernel = false;     // the latest
  EntityId writer = kNobody;  // the latest thread
};

// A flow, on whichever node.
using Endpoints =
    std::tuple<FlowFamily, std::array<uint8_t, 16>, std::array<uint8_t, 16>, uint16_t, uint16_t>;

Endpoints EndpointsOf(const FlowRecord& flow) {
  return {flow.family, flow.source, flow.destination, flow.source_port, flow.destination_port};
}

struct HeldWait {
  EntityId thread = kNobody;
  uint64_t woken_ns = 0;
  HeldPacket packet;
};

// Goes over packets and wakes in order of time.
class HeldPackets {
 public:
  explicit HeldPackets(const Timeline& timeline) : timeline_(timeline) {
    std::map<Endpoints, uint32_t> ids;
    for (const auto& [id, flow] : timeline.flows()) {
      if (flow.protocol == IPPROTO_TCP) ids[EndpointsOf(flow)] = id;
    }
    for (const auto& [id, flow] : timeline.flows()) {
      const auto back = ids.find(
          {flow.family, flow.destination, flow.source, flow.destination_port, flow.source_port});
      if (flow.protocol == IPPROTO_TCP && back != ids.end()) back_[id] = back->second;
    }
    for (const PacketRecord& packet : timeline.packet_rows().front()) {
      if (!packet.sent) continue;
      const auto [least, is_new] = least_bytes_.try_emplace(packet.flow_id, packet.bytes);
      least->second = std::min(least->second, packet.bytes);
    }
  }

  void Take(const PacketRecord& packet) {
    if (packet.cpu >= on_cpu_.size()) on_cpu_.resize(packet.cpu + size_t{1});
    const auto back = back_.find(packet.flow_id);
    if (back == back_.end()) {
      if (!packet.sent) on_cpu_[packet.cpu].reset();
      return;
    }
    if (packet.sent) {
      Direction& sent = directions_[packet.flow_id];
      sent.is_sent_here = true;
      sent.by_kernel = packet.thread == kNobody;
      if (!sent.by_kernel) sent.writer = packet.thread;
      Answer(packet, directions_[back->second]);
    } else {
      on_cpu_[packet.cpu] = Receive(packet, directions_[packet.flow_id]);
    }
  }

  // The recording paused: what the next packets follow is not known.
  void Pause() {
    directions_.clear();
    on_cpu_.clear();
  }

  // What the latest packet that came in on the CPU was.
  std::optional<HeldPacket> OnCpu(uint16_t cpu) const {
    return cpu < on_cpu_.size() ? on_cpu_[cpu] : std::nullopt;
  }

 private:
  // The receiver of `direction` sends.
  void Answer(const PacketRecord& packet, Direction& direction) {
    const bool is_empty = packet.bytes == least_bytes_[packet.flow_id];
    const bool by_kernel = packet.thread == kNobody;
    // A bridge handed it on.
    const bool again = direction.acknowledged_ns != 0 && by_kernel && is_empty &&
                       packet.sequence == direction.acknowledgement;
    if (again) return;
    const uint64_t silence_ns = packet.time_ns - std::min(packet.time_ns, direction.last_ns);
    const bool is_delayed = by_kernel && is_empty && direction.last_ns != 0 &&
                            silence_ns >= kShortestAckDelayNs && silence_ns <= kLongestAckDelayNs;
    direction.acknowledged_ns = is_delayed ? packet.time_ns : 0;
    direction.silent_since_ns = direction.last_ns;
    direction.acknowledgement = packet.sequence;
    direction.last_ns = packet.time_ns;
  }

  std::optional<HeldPacket> Receive(const PacketRecord& packet, Direction& direction) const {
    direction.last_ns = packet.time_ns;
    if (direction.acknowledged_ns == 0) {
      // A bridge handed it on.
      if (direction.held && packet.sequence != direction.held_sequence) direction.held.reset();
      return direction.held;
    }
    const uint64_t silence_ns = direction.acknowledged_ns - direction.silent_since_ns;
    const uint64_t since_ns = packet.time_ns - direction.acknowledged_ns;
    const bool is_held =
        static_cast<double>(since_ns) <= kSoonAfterAck * static_cast<double>(silence_ns) &&
        (!direction.is_sent_here || direction.by_kernel);
    direction.acknowledged_ns = 0;
    direction.held.reset();
    if (is_held) {
      direction.held = HeldPacket{.silent_since_ns = direction.silent_since_ns,
                                  .flow_id = packet.flow_id,
                                  .sequence = packet.sequence,
                                  .is_sent_here = direction.is_sent_here,
                                  .node = &timeline_,
                                  .writer = direction.writer};
    }
    direction.held_sequence = packet.sequence;
    return direction.held;
  }

  const Timeline& timeline_;
  absl::flat_hash_map<uint32_t, uint32_t> back_;  // of TCP flows: the other direction
  absl::flat_hash_map<uint32_t, uint32_t> least_bytes_;
  absl::flat_hash_map<uint32_t, Direction> directions_;  // by flow
  std::vector<std::optional<HeldPacket>> on_cpu_;
};

std::vector<HeldWait> FindHeldWaits(const Timeline& timeline) {
  std::vector<HeldWait> waits;
  HeldPackets packets(timeline);
  const std::span<const PacketRecord> all = timeline.packet_rows().front();
  size_t next = 0;
  uint64_t resumed_ns = timeline.pauses().NextResume(timeline.start_ns());
  const auto reach = [&](uint64_t time_ns) {
    if (time_ns < resumed_ns) return;
    packets.Pause();
    resumed_ns = timeline.pauses().NextResume(time_ns);
  };
  for (const PacketWake& wake : timeline.packet_wakes()) {
    for (; next < all.size() && all[next].time_ns <= wake.time_ns; ++next) {
      reach(all[next].time_ns);
      packets.Take(all[next]);
    }
    reach(wake.time_ns);
    const std::optional<HeldPacket> held = packets.OnCpu(wake.cpu);
    if (held && wake.thread != kNobody) waits.push_back({wake.thread, wake.time_ns, *held});
  }
  std::stable_sort(waits.begin(), waits.end(), [](const HeldWait& a, const HeldWait& b) {
    return std::tie(a.thread, a.woken_ns) < std::tie(b.thread, b.woken_ns);
  });
  return waits;
}

// Who sent on other nodes. TCP's numbers come again after four gigabytes only.
class OtherSenders {
 public:
  explicit OtherSenders(std::span<const Timeline* const> others) {
    for (const Timeline* node : others) {
      absl::flat_hash_map<uint32_t, Flow*> flows;
      for (const auto& [id, record] : node->flows()) {
        if (record.protocol != IPPROTO_TCP) continue;
        flows[id] = &flows_[EndpointsOf(record)];
      }
      for (const PacketRecord& packet : node->packet_rows().front()) {
        const auto flow = packet.sent ? flows.find(packet.flow_id) : flows.end();
        if (flow == flows.end()) continue;
        flow->second->sender_of[packet.sequence] = packet.thread;
        if (packet.thread == kNobody) continue;
        // Several nodes may know the flow; the thread is one of this node.
        flow->second->node = node;
        flow->second->writer = packet.thread;
      }
    }
  }

  // False if a thread sent it just then. Knows its writer if its sending is recorded.
  bool Check(const FlowRecord& record, HeldPacket& packet) const {
    packet.node = nullptr;
    const auto flow = flows_.find(EndpointsOf(record));
    if (flow == flows_.end()) return true;
    const auto sender = flow->second.sender_of.find(packet.sequence);
    if (sender == flow->second.sender_of.end()) return true;
    packet.node = flow->second.node;
    packet.writer = flow->second.writer;
    return sender->second == kNobody;
  }

 private:
  struct Flow {
    const Timeline* node = nullptr;
    EntityId writer = kNobody;
    absl::flat_hash_map<uint32_t, EntityId> sender_of;  // by sequence number
  };
  std::map<Endpoints, Flow> flows_;
};

void AskOthers(const Timeline& timeline, const TimelinesWithFlows& others,
               std::vector<HeldWait>& waits) {
  std::vector<uint32_t> unsure;
  for (const HeldWait& wait : waits)
    if (!wait.packet.is_sent_here) unsure.push_back(wait.packet.flow_id);
  if (unsure.empty()) return;
  std::sort(unsure.begin(), unsure.end());
  unsure.erase(std::unique(unsure.begin(), unsure.end()), unsure.end());
  const OtherSenders senders(others(unsure));
  std::erase_if(waits, [&](HeldWait& wait) {
    return !wait.packet.is_sent_here &&
           !senders.Check(timeline.flows().at(wait.packet.flow_id), wait.packet);
  });
}

// If it was silent for most of the wait.
bool IsHeldBack(const ThreadSegment& wait, uint64_t end_ns, const HeldPacket& packet) {
  if (wait.kind != SegmentKind::kWait || wait.cause != WaitCause::kNic || wait.open_end)
    return false;
  const uint64_t held_ns = end_ns - std::max(wait.start_ns, packet.silent_since_ns);
  return 2 * held_ns >= end_ns - wait.start_ns;
}

}  // namespace

class HeldBackMarker {
 public:
  explicit HeldBackMarker(Timeline& timeline) : timeline_(timeline) {}

  uint64_t Mark(std::span<const HeldWait> waits) {
    ForEachThread(waits, &HeldWait::thread, [this](EntityId thread, std::span<const HeldWait> own) {
      timeline_.ForEachPiece(thread, [&](std::span<ThreadSegment> piece, uint64_t end_ns) {
        MarkWaitsIn(piece, end_ns, own);
      });
    });
    return marked_;
  }

 private:
  // Takes from `waits` what the piece holds.
  void MarkWaitsIn(std::span<ThreadSegment> piece, uint64_t piece_end_ns,
                   std::span<const HeldWait>& waits) {
    for (size_t at = 0; at < piece.size() && !waits.empty(); ++at) {
      const uint64_t end_ns = at + 1 < piece.size() ? piece[at + 1].start_ns : piece_end_ns;
      while (!waits.empty() && waits.front().woken_ns < end_ns) waits = waits.subspan(1);
      if (waits.empty() || waits.front().woken_ns != end_ns) continue;
      MarkWait(piece[at], end_ns, waits.front().packet);
    }
  }

  void MarkWait(ThreadSegment& wait, uint64_t end_ns, const HeldPacket& packet) {
    if (!IsHeldBack(wait, end_ns, packet)) return;
    wait.waker = EntityOf(packet);
    wait.cause = WaitCause::kLink;
    ++marked_;
  }

  EntityId EntityOf(const HeldPacket& packet) {
    std::string name = kHeldBackOfPeer;
    if (packet.node != nullptr && packet.writer != kNobody)
      name =
          absl::StrCat("held-back data of ", packet.node->entities()[packet.writer].process_name);
    const auto [known, is_new] =
        entities_.try_emplace(name, static_cast<EntityId>(timeline_.entities_.size()));
    if (is_new) {
      Entity entity;
      entity.kind = EntityKind::kHeldBack;
      entity.name = name;
      entity.begin_ns = timeline_.start_ns_;
      entity.end_ns = timeline_.end_ns_;
      timeline_.entities_.push_back(std::move(entity));
    }
    return known->second;
  }

  Timeline& timeline_;
  std::map<std::string, EntityId> entities_;
  uint64_t marked_ = 0;
};

uint64_t MarkHeldBack(Timeline& timeline, std::span<const Timeline* const> others) {
  return MarkHeldBack(timeline, [&](std::span<const uint32_t>) {
    return std::vector<const Timeline*>(others.begin(), others.end());
  });
}

uint64_t MarkHeldBack(Timeline& timeline, const TimelinesWithFlows& others) {
  std::vector<HeldWait> waits = FindHeldWaits(timeline);
  AskOthers(timeline, others, waits);
  return HeldBackMarker(timeline).Mark(waits);
}

std::vector<MaybeHeldWait> MarkOwnHeldBack(Timeline& timeline) {
  std::vector<HeldWait> waits = FindHeldWaits(timeline);
  std::vector<MaybeHeldWait> others;
  std::erase_if(waits, [&](const HeldWait& wait) {
    if (wait.packet.is_sent_here) return false;
    const SegmentCursor at = timeline.SegmentsFrom(wait.thread, wait.woken_ns - 1);
    if (!at.done() && at.end_ns() == wait.woken_ns &&
        IsHeldBack(at.segment(), at.end_ns(), wait.packet))
      others.push_back({wait.thread, wait.woken_ns});
    return true;
  });
  HeldBackMarker(timeline).Mark(waits);
  return others;
}

}  // namespace gordian
