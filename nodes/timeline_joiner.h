// SPDX-License-Identifier: Apache-2.0
// Puts timelines of several nodes together; see joined_nodes.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "nodes/clock_bounds.h"
#include "nodes/joined_nodes.h"
#include "nodes/joint_time.h"
#include "nodes/messages.h"

namespace gordian {

class TimelineJoiner {
 public:
  // `messages` as MatchMessages gives them for `views`, and `pauses` as JointPauses.
  TimelineJoiner(std::vector<NodeTimeline>& nodes, std::span<const NodeView> views,
                 const pb::Session& pauses, std::vector<Message> messages, int threads);

  // Moves everything out of the nodes' timelines. `bound_ns` of links is left at 0.
  JoinedNodes Join();

 private:
  struct Node {
    Timeline* timeline = nullptr;
    const ClockMap* clock = nullptr;  // to the joined timeline's time
    const JointTime* time = nullptr;
    EntityId first_thread = 0;  // their new ids
    EntityId first_pseudo_thread = 0;
    uint32_t first_piece = 0;
    std::vector<uint32_t> deliveries_of_thread;  // where they begin in deliveries_, and an end
  };
  // The end of a wait, with only the fields of a Message that cut it. There may be millions, and
  // they are moved to the place of their receiver's.
  struct Delivery {
    uint64_t woken_ns = 0;     // on the receiver's clock
    uint64_t received_ns = 0;  // likewise
    uint64_t sent_ns = 0;      // on the sender's
    EntityId sender = kNobody;
    uint16_t from_node = 0;
    MessageFate fate = MessageFate::kWithoutPacket;
    bool tcp : 1 = false;
    bool by_last_writer : 1 = false;
    bool sure : 1 = true;
    bool in_mixed_batch : 1 = false;
  };
  static_assert(sizeof(Delivery) == 32);
  struct LinkTimes {
    uint64_t messages = 0;
    std::vector<uint64_t> transits_ns;
  };
  // The results of a worker besides segments.
  struct alignas(128) Harvest {
    MatchedWaits waits;
    std::vector<LinkTimes> links;        // by LinkOf
    std::vector<MessageFlight> flights;  // of messages from other nodes
    std::vector<size_t> sent_cursors;    // of the nodes' clocks
  };
  struct Inserted {
    size_t behind = 0;  // the segment at this place of its piece
    ThreadSegment segment;
  };
  // A thread on its way to the reference's time.
  struct Mover {
    const Node& node;
    uint32_t number = 0;        // the node's
    EntityId thread = kNobody;  // on its node
    Harvest& harvest;
    std::span<const Delivery> deliveries;  // those left, in order of time
    size_t cursor = 0;                     // of the clock
  };

  EntityId NewId(const Node& node, EntityId id) const;
  uint32_t LinkOf(uint32_t from, uint32_t to) const {
    return from * static_cast<uint32_t>(nodes_.size()) + to;
  }
  void ShareOutMessages();
  void PlaceThreads();
  void NumberDevices();
  uint32_t NewDevice(uint32_t node, bool disk, uint32_t device) const;
  void MakeLinks();
  void JoinSessions();
  void JoinEntities();
  void JoinThreads();
  void MoveThread(uint32_t number, EntityId thread, Harvest& harvest);
  void MovePiece(Mover& mover, std::span<ThreadSegment>& piece, uint64_t end_ns);
  // What another node's pause leaves of a segment. False if nothing.
  static bool Cut(const Node& node, uint64_t raw_start_ns, uint64_t raw_end_ns,
                  ThreadSegment& segment);
  static const Delivery* DeliveryAt(Mover& mover, uint64_t end_ns);
  bool EndWait(Mover& mover, const Delivery& delivery, uint64_t raw_end_ns, ThreadSegment& wait,
               ThreadSegment& link);
  void JoinRecords();
  Column<PacketRecord> MovePackets(uint32_t number);
  Column<LocalMessage> MoveLocalMessages(uint32_t number);
  void NoteQuestions();
  void JoinSamples();
  void JoinBorders();
  void JoinCounters();
  void TakeHarvest();
  void TakeFlights();

  std::vector<NodeTimeline>& inputs_;
  const pb::Session pauses_;
  std::vector<JointTime> times_;  // by node
  std::vector<Message> messages_;
  std::vector<Delivery> deliveries_;  // by node and thread, then by time
  std::vector<char> is_way_used_;     // by LinkOf
  const int threads_;
  std::vector<Node> nodes_;
  std::map<std::tuple<uint32_t, bool, uint32_t>, uint32_t> devices_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> cgroups_;
  std::vector<EntityId> links_;  // by LinkOf; kNobody: nothing went there
  std::vector<Harvest> harvests_;
  JoinedNodes joined_;
};

}  // namespace gordian
