// Puts timelines of several nodes together; see joined_nodes.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/nodes/clock_bounds.h"
#include "analyzer/nodes/joined_nodes.h"
#include "analyzer/nodes/messages.h"

namespace gordian {

class TimelineJoiner {
 public:
  // `messages` as MatchMessages gives them.
  TimelineJoiner(std::vector<NodeTimeline>& nodes, const std::vector<ClockMap>& clocks,
                 std::vector<Message> messages, int threads);

  // Moves everything out of the nodes' timelines. `bound_ns` of links is left at 0.
  JoinedNodes Join();

 private:
  struct Node {
    Timeline* timeline = nullptr;
    const ClockMap* clock = nullptr;
    EntityId first_thread = 0;  // their new ids
    EntityId first_pseudo_thread = 0;
    uint32_t first_piece = 0;
    std::vector<uint32_t> messages_of_thread;  // where they begin in messages_, and an end
  };
  struct LinkTimes {
    uint64_t messages = 0;
    std::vector<uint64_t> transits_ns;
  };
  // What a worker makes besides segments.
  struct alignas(128) Harvest {
    MatchedWaits waits;
    std::vector<std::vector<ThreadSegment>> pieces;
    std::vector<LinkTimes> links;      // by LinkOf
    std::vector<size_t> sent_cursors;  // of the nodes' clocks
  };
  struct Inserted {
    size_t behind = 0;  // the segment at this place of its piece
    ThreadSegment segment;
  };
  // A thread on its way to the reference's time.
  struct Mover {
    const Node& node;
    Harvest& harvest;
    std::span<const Message> messages;  // those left, in order of time
    size_t cursor = 0;                  // of the clock
  };

  EntityId NewId(const Node& node, EntityId id) const;
  uint32_t LinkOf(uint32_t from, uint32_t to) const {
    return from * static_cast<uint32_t>(nodes_.size()) + to;
  }
  void SortMessages();
  void PlaceThreads();
  void NumberDevices();
  uint32_t NewDevice(uint32_t node, bool disk, uint32_t device) const;
  void MakeLinks();
  void JoinSessions();
  void JoinEntities();
  void JoinThreads();
  void MoveThread(Node& node, EntityId thread, Harvest& harvest);
  void MovePiece(Mover& mover, std::span<ThreadSegment>& piece, uint64_t end_ns);
  static const Message* MessageOf(Mover& mover, uint64_t end_ns);
  bool EndWait(Mover& mover, const Message& message, uint64_t raw_start_ns, uint64_t raw_end_ns,
               ThreadSegment& wait, ThreadSegment& link);
  void JoinRecords();
  std::vector<PacketRecord> MovePackets(uint32_t number);
  void JoinSamples();
  void JoinBorders();
  void JoinCounters();
  void TakeHarvest();

  std::vector<NodeTimeline>& inputs_;
  std::vector<Message> messages_;  // by node and thread, then by time
  const int threads_;
  std::vector<Node> nodes_;
  std::map<std::tuple<uint32_t, bool, uint32_t>, uint32_t> devices_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> cgroups_;
  std::vector<EntityId> links_;  // by LinkOf; kNobody: nothing went there
  std::vector<Harvest> harvests_;
  JoinedNodes joined_;
};

}  // namespace gordian
