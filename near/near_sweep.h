// SPDX-License-Identifier: Apache-2.0
// Sweeps a slice back from node to node: it asks for parts, asks who sent the packets that parts
// ended at, and goes on there.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "near/near_asker.h"
#include "near/near_slice.h"
#include "near/near_stretches.h"
#include "near/packet_senders.h"

namespace gordian {

class NearSweep {
 public:
  // Both must outlive it. All nodes have told about themselves.
  NearSweep(NearAsker& asker, const NearSliceQuestion& question);

  // Finds the thread that is asked about. NotFound, or InvalidArgument if it means several.
  absl::Status Begin();
  // All that leads there.
  void Run();

  // The thread that it began at, and when.
  struct Start {
    size_t node = 0;
    EntityId thread = kNobody;
    uint64_t at_ns = 0;
    std::string label;
  };
  const Start& start() const { return start_; }
  std::vector<NearStretches::Stretch> StretchesOf(size_t node) const {
    return states_[node].stretches.All();
  }
  // Threads that slept on where something could have led to them.
  uint64_t CountAsleep() const;
  // Packets of that fate that the slice came to.
  uint64_t CountReached(PacketSender::Fate fate) const;

 private:
  // An entry that is not swept yet. Higher moments first.
  struct Pending {
    uint64_t at_ns = 0;
    EntityId thread = kNobody;
    bool by_turn = false;
    CauseEdge edge = CauseEdge::kMessage;
    bool operator<(const Pending& other) const {
      return std::tie(other.at_ns, thread, by_turn) < std::tie(at_ns, other.thread, other.by_turn);
    }
  };
  struct Told {
    bool is_sent = false;
    uint64_t sent_ns = 0;    // for the receiver: not after it came
    uint64_t sender_ns = 0;  // the same moment on the sender's clock: what it did then
    uint64_t woken_ns = 0;
    size_t from_node = 0;
    EntityId sender = kNobody;
    bool is_followed = false;
  };
  struct State;                                           // of a node
  using Packets = std::set<std::pair<size_t, uint32_t>>;  // node, message

  static Pending PendingOf(const pb::NearEntry& entry);
  size_t Highest() const;
  void SweepOn(size_t node);
  pb::NearQuestion PartQuestion(const State& state, uint64_t from_ns) const;
  void Take(size_t node, const pb::NearPart& part);
  void Follow(size_t node, uint32_t number);
  void FindSenders(size_t node, const pb::NearPart& part);
  void AskSenders(size_t node, const pb::NearFlow& flow,
                  std::span<const pb::NearPacket* const> packets);

  // How far back a part goes at first. Short parts repeat little; long ones need fewer questions.
  static constexpr uint64_t kFirstPartNs = 10'000'000;
  struct State {
    std::set<Pending> pending;
    NearStretches stretches;
    std::map<uint32_t, Told> told;                                 // by message
    std::map<std::pair<EntityId, uint64_t>, uint32_t> message_of;  // by receiver and its wake
    std::set<std::pair<uint64_t, EntityId>> asleep;
    uint64_t part_ns = kFirstPartNs;
  };

  NearAsker& asker_;
  const NearSliceQuestion& question_;
  std::vector<State> states_;
  Start start_;
  absl::flat_hash_set<std::tuple<size_t, uint64_t, EntityId>> left_off_;
  Packets resumed_;
  std::array<Packets, kPacketFates> fates_;
  PacketSenders senders_;
};

}  // namespace gordian
