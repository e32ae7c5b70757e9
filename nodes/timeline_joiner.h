// SPDX-License-Identifier: Apache-2.0
// Puts timelines of several nodes together; see joined_nodes.h. Each node's is moved to the joined
// timeline's time and numbers first, apart from the others'; then all are put behind each other.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "nodes/join_plan.h"
#include "nodes/joined_nodes.h"
#include "nodes/messages.h"

namespace gordian {

// A node's part of the joined timeline. Its stacks and things waited for have numbers of their own,
// from 1 on; its flows are still there.
struct MovedNode {
  Timeline timeline;
  MatchedWaits waits;
  std::vector<NodeLink> links;  // to it, by sender's node; without `entity` and `bound_ns`
  StackIdMap stack_ids;         // from the recording's to the part's
  uint32_t objects = 0;         // how many numbers of things waited for
};

class TimelineJoiner {
 public:
  // Moves the node of that number. `messages` are those to the node, as the last matching gave
  // them. All must outlive it. What is noted of each message lies in `notes`.
  TimelineJoiner(const JoinPlan& plan, uint32_t number, std::span<const Message> messages,
                 int threads, const ColumnMemory& notes = {});
  MovedNode Move(Timeline timeline);
  // The pieces of a window's threads, by number, once they are moved. Theirs is the memory of the
  // window until the call returns.
  using UseWindow = std::function<void(std::span<const uint32_t> numbers,
                                       std::span<const std::span<const ThreadSegment>> pieces)>;
  // The same of a timeline whose segments are made on demand, window by window: so no more than one
  // window of them needs to be anywhere. The timeline that is returned has none.
  MovedNode MoveByWindow(Timeline timeline, const UseWindow& use_window);

  // Puts all together. `names` by node. Segments that a part makes on demand are made on demand.
  // `questions`: who asks whom, if that is known; else it is found, with a look at all packets.
  // `bound_ns` of links, and what JoinedNode says of clocks, are left at 0.
  static JoinedNodes Compose(
      const JoinPlan& plan, std::span<const std::string> names, std::vector<MovedNode> parts,
      const std::optional<std::vector<QuestionCount>>& questions = std::nullopt);
  // Of a joined timeline that was put together without them.
  static void SetQuestions(std::vector<QuestionCount> questions, JoinedNodes& joined) {
    joined.timeline.questions_ = std::move(questions);
  }

 private:
  // The end of a wait, with only the fields of a Message that cut it. There may be millions, and
  // they are moved to the place of their receiver's. What is found of a message takes the place of
  // what told it: so it is in order of threads, whichever window of time is moved first.
  struct Delivery {
    uint64_t woken_ns = 0;     // on the receiver's clock; of a flight the joined timeline's
    uint64_t received_ns = 0;  // likewise; if timed, how long it was under way
    uint64_t sent_ns = 0;      // on the sender's; of a flight the joined timeline's
    EntityId sender = kNobody;
    uint16_t from_node = 0;
    MessageFate fate = MessageFate::kWithoutPacket;
    bool tcp : 1 = false;
    bool by_last_writer : 1 = false;
    bool sure : 1 = true;
    bool in_mixed_batch : 1 = false;
    // Of one that has ended a wait:
    bool is_timed : 1 = false;
    bool is_flight : 1 = false;  // from another node
  };
  static_assert(sizeof(Delivery) == 32);
  struct LinkCounts {
    uint64_t messages = 0;
    uint64_t timed = 0;
  };
  // The results of a worker besides segments.
  struct alignas(128) Harvest {
    MatchedWaits waits;
    std::vector<LinkCounts> links;                  // by sender's node
    std::vector<size_t> sent_cursors;               // of the nodes' clocks
    std::deque<std::vector<ThreadSegment>> longer;  // pieces of the window that is moved
  };
  struct Inserted {
    size_t behind = 0;  // the segment at this place of its piece
    ThreadSegment segment;
  };
  // A thread on its way to the reference's time.
  struct Mover {
    EntityId thread = kNobody;       // on its node
    std::span<Delivery> deliveries;  // those left, in order of time
    size_t cursor = 0;               // of the clock
    uint32_t piece = 0;              // the next one
    // The last segment so far, which lasts until the next begins.
    std::optional<ThreadSegment> open;
  };

  const ClockMap& clock() const { return node_.time.clock; }
  void ShareOutMessages(std::span<const Message> messages);
  void NumberDevices();
  uint32_t NewDevice(bool disk, uint32_t device) const;
  MovedNode MoveAll(Timeline timeline, const UseWindow& use_window);
  void BeginThreads();
  void MoveThreads();
  void MoveWindows(const UseWindow& use_window);
  void EndThread(Mover& mover);
  // Those before `end_piece`.
  void MovePieces(Mover& mover, Harvest& harvest, uint32_t end_piece);
  void MovePiece(Mover& mover, Harvest& harvest, std::span<ThreadSegment>& piece, uint64_t end_ns);
  std::span<ThreadSegment> RoomFor(size_t segments, Harvest& harvest);
  // What another node's pause leaves of a segment. False if nothing.
  bool Cut(uint64_t raw_start_ns, uint64_t raw_end_ns, ThreadSegment& segment) const;
  static Delivery* TakeDeliveryAt(Mover& mover, uint64_t end_ns);
  bool EndWait(Mover& mover, Harvest& harvest, Delivery& delivery, uint64_t raw_end_ns,
               ThreadSegment& wait, ThreadSegment& link);
  void MoveEntity(size_t id);
  void MoveSession();
  void MovePrograms();
  void MoveRequests();
  void MovePackets();
  void MoveLocalMessages();
  void MoveSamples(uint64_t raw_start_ns);
  void MoveBorders(uint64_t raw_end_ns);
  void TakeHarvest();
  void TakeFlights();
  void TakeLinks();

  // Of Compose, each from all parts.
  static void ComposeSessions(std::span<const std::string> names, std::vector<MovedNode>& parts,
                              JoinedNodes& joined);
  static void ComposeLinks(const JoinPlan& plan, std::vector<MovedNode>& parts,
                           JoinedNodes& joined);
  static void ComposeEntities(const JoinPlan& plan, std::vector<MovedNode>& parts,
                              JoinedNodes& joined);
  static void ComposeThreads(std::vector<MovedNode>& parts, Timeline& joined);
  static void ComposeRecords(std::vector<MovedNode>& parts, Timeline& joined);
  static void ComposeRequests(std::vector<MovedNode>& parts, Timeline& joined);
  static void ComposeSamples(std::vector<MovedNode>& parts, JoinedNodes& joined);
  static void ComposeBorders(std::vector<MovedNode>& parts, Timeline& joined);
  static void ComposeCounters(std::vector<MovedNode>& parts, Timeline& joined);
  static void FindQuestionsOf(std::vector<MovedNode>& parts, Timeline& joined);
  static void ComposeSegments(std::vector<MovedNode>& parts, Timeline& joined);

  const JoinPlan& plan_;
  const uint32_t number_;
  const PlannedNode& node_;
  const int threads_;
  ColumnMemory notes_;
  const std::vector<EntityId> links_;           // by sender's node
  std::vector<uint32_t> deliveries_of_thread_;  // where they begin in deliveries_, and an end
  std::span<Delivery> deliveries_;              // by thread, then by time
  std::map<std::pair<bool, uint32_t>, uint32_t> devices_;
  std::map<uint64_t, uint64_t> cgroups_;
  std::vector<Harvest> harvests_;
  std::vector<Mover> movers_;  // by thread
  bool by_window_ = false;     // else all segments stay
  MovedNode moved_;
};

}  // namespace gordian
