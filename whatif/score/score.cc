// SPDX-License-Identifier: Apache-2.0
#include "whatif/score/score.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "whatif/score/cpu_schedule.h"
#include "whatif/score/disk_requests.h"
#include "whatif/score/flights.h"
#include "whatif/score/hand_overs.h"
#include "whatif/score/thresholds.h"

namespace gordian {
namespace {

// Something without length that a thread did at that time.
struct Deed {
  uint64_t time_ns = 0;
  uint32_t number = 0;
  EntityId thread = kNobody;
  StepKind kind = StepKind::kMark;
};

// Two walks over all segments, in the same order: the first finds the hand-overs, which are deeds
// of the wakers; the second writes the steps of each thread, its deeds in between.
class ScoreWriter {
 public:
  ScoreWriter(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
              std::span<const ProgressMark> marks, std::span<const uint32_t> pollers,
              std::span<const uint8_t> is_other)
      : timeline_(timeline),
        schedule_(timeline, is_other),
        hand_overs_(timeline, vertex_of_entity, pollers),
        requests_(timeline) {
    CollectDeeds(marks);
  }

  Score Write() {
    score_.first_step.push_back(0);
    size_t deed = 0;
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      size_t end = deed;
      while (end < deeds_.size() && deeds_[end].thread == thread) ++end;
      WriteThread(thread, std::span(deeds_).subspan(deed, end - deed));
      deed = end;
      score_.first_step.push_back(score_.steps.size());
    }
    hand_overs_.MoveTo(score_);
    requests_.MoveTo(score_);
    FindRelays();
    if (!score_.flight_ns.empty()) score_.flight_ns.resize(score_.pair_of_hand_over.size());
    score_.cpus.clear();
    for (uint32_t node = 0; node < timeline_.node_count(); ++node)
      score_.cpus.push_back(std::max(1u, timeline_.CpusOf(node)));
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      score_.node.push_back(timeline_.entities()[thread].node);
      score_.like.push_back(thread);
      score_.kernel_thread.push_back(timeline_.entities()[thread].kernel_thread ? 1 : 0);
      score_.cpu_class.push_back(CpuClassOf(thread));
    }
    TellProcesses();
    SettleLeads(score_);
    return std::move(score_);
  }

 private:
  // A wait that ends with a hand-over; with a message it may be two segments.
  struct Hand {
    EntityId waker = kNobody;  // kNobody: there is no hand-over
    uint64_t over_ns = 0;
    uint64_t end_ns = 0;  // of the wait
    EntityId link = kNobody;
  };

  // A thread's waits, as its segments pass by.
  struct Waits {
    FlightsOf flights;
    uint64_t rest_until_ns = 0;

    // The second part of a wait whose first part was a hand-over already.
    bool IsRest(const SegmentCursor& at) const { return at.start_ns() < rest_until_ns; }
  };

  Hand HandOf(EntityId thread, const SegmentCursor& at, Waits& waits) const {
    const ThreadSegment& segment = at.segment();
    if (segment.kind != SegmentKind::kWait || waits.IsRest(at)) return {};
    if (IsOnLink(segment)) return HandOnLink(thread, at, waits);
    if (segment.waker >= timeline_.thread_count() || !hand_overs_.HandsOn(segment.waker, thread))
      return {};
    Hand hand = {segment.waker, at.end_ns(), at.end_ns()};
    if (!timeline_.flights().empty()) AddFlight(at, waits, hand);
    return hand;
  }

  // A message that was sent before its receiver went to wait.
  Hand HandOnLink(EntityId thread, const SegmentCursor& at, Waits& waits) const {
    const MessageFlight* const flight = waits.flights.ReceivedAt(at.end_ns());
    if (flight == nullptr || !hand_overs_.HandsOn(flight->sender, thread)) return {};
    return {flight->sender, flight->sent_ns, at.end_ns(), at.segment().waker};
  }

  // If the wait goes on for the link until the message is there.
  static void AddFlight(const SegmentCursor& at, Waits& waits, Hand& hand) {
    SegmentCursor rest = at;
    rest.Next();
    if (rest.done() || !IsOnLink(rest.segment())) return;
    FlightsOf flights = waits.flights;
    const MessageFlight* const flight = flights.ReceivedAt(rest.end_ns());
    if (flight == nullptr || flight->sender != hand.waker || flight->sent_ns != hand.over_ns)
      return;
    waits = {flights, rest.end_ns()};
    hand.end_ns = rest.end_ns();
    hand.link = rest.segment().waker;
  }

  void TellProcesses() {
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      const Entity& entity = timeline_.entities()[thread];
      score_.process.push_back(uint64_t{entity.node} << 32 | static_cast<uint32_t>(entity.tgid));
    }
    score_.connections = ConnectionsByThread(timeline_);
    score_.questions.assign(timeline_.questions().begin(), timeline_.questions().end());
  }

  bool IsBetweenNodes(EntityId thread, EntityId other) const {
    return timeline_.entities()[thread].node != timeline_.entities()[other].node;
  }

  static bool IsOnLink(const ThreadSegment& segment) {
    return segment.kind == SegmentKind::kWait && segment.cause == WaitCause::kLink &&
           segment.waker != kNobody;
  }

  // Whether the thread's life began with a deed of its creator.
  bool IsBirth(EntityId thread) const {
    const EntityId creator = timeline_.creator(thread);
    return creator < timeline_.thread_count() && creator != thread &&
           timeline_.entities()[thread].begin_ns > timeline_.start_ns();
  }

  CpuClass CpuClassOf(EntityId thread) const {
    if (!IsPrompt(thread)) return CpuClass::kOrdinary;
    return timeline_.entities()[thread].kernel_thread ? CpuClass::kAtOnce : CpuClass::kPrompt;
  }

  bool IsPrompt(EntityId thread) const {
    uint64_t times = 0;
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind == SegmentKind::kRun || at.segment().kind == SegmentKind::kSpin)
        ++times;
    }
    return timeline_.entities()[thread].runnable_ns <= times * kPromptNs;
  }

  void CollectDeeds(std::span<const ProgressMark> marks) {
    for (EntityId thread = 0; thread < timeline_.thread_count(); ++thread) {
      if (IsBirth(thread)) {
        const EntityId creator = timeline_.creator(thread);
        deeds_.push_back({timeline_.entities()[thread].begin_ns,
                          hand_overs_.AddBirth(creator, thread), creator, StepKind::kHandOver});
      }
      Waits waits = {FlightsOf(timeline_, thread)};
      for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
        const Hand hand = HandOf(thread, at, waits);
        if (hand.waker == kNobody) continue;
        const uint32_t number = hand_overs_.Add(hand.waker, thread, hand.link);
        deeds_.push_back({hand.over_ns, number, hand.waker, StepKind::kHandOver});
        if (IsBetweenNodes(thread, hand.waker)) AddMessage(number, hand.end_ns - hand.over_ns);
      }
    }
    for (const ScoreRequests::Issue& issue : requests_.issues())
      deeds_.push_back({issue.time_ns, issue.request, issue.thread, StepKind::kRequest});
    for (const ProgressMark& mark : marks) {
      if (mark.thread >= timeline_.thread_count()) continue;
      deeds_.push_back({mark.time_ns, mark.stream, mark.thread, StepKind::kMark});
      ++score_.marks;
    }
    std::sort(deeds_.begin(), deeds_.end(), [](const Deed& a, const Deed& b) {
      return std::tuple(a.thread, a.time_ns, a.kind, a.number) <
             std::tuple(b.thread, b.time_ns, b.kind, b.number);
    });
  }

  void AddMessage(uint32_t number, uint64_t flight_ns) {
    is_message_.resize(number + 1);
    score_.flight_ns.resize(number + 1);
    is_message_[number] = 1;
    score_.flight_ns[number] = flight_ns;
  }

  void Push(StepKind kind, uint64_t at_ns, uint64_t duration_ns, uint32_t number = 0,
            bool by_timer = false) {
    score_.steps.push_back({at_ns - timeline_.start_ns(), duration_ns, number, kind, by_timer});
  }

  // `at_ns` is when the replay does it: a thread that does not run does it at the beginning of that
  // time. What its kernel sends later (as acknowledgements come) is under way from then on.
  void PushDeed(const Deed& deed, uint64_t at_ns) {
    Push(deed.kind, deed.time_ns, 0, deed.number);
    if (deed.kind != StepKind::kHandOver || deed.number >= is_message_.size() ||
        is_message_[deed.number] == 0)
      return;
    uint64_t& flight_ns = score_.flight_ns[deed.number];
    flight_ns = deed.time_ns + flight_ns - std::min(deed.time_ns + flight_ns, at_ns);
  }

  void WriteThread(EntityId thread, std::span<const Deed> deeds) {
    const uint64_t begin_ns = timeline_.entities()[thread].begin_ns;
    if (IsBirth(thread)) {
      Push(StepKind::kAwait, begin_ns, 0, next_hand_over_++);
    } else if (begin_ns > timeline_.start_ns()) {
      Push(StepKind::kPause, timeline_.start_ns(), begin_ns - timeline_.start_ns(), kNobody);
    }
    Ready ready;
    CpuSchedule::Walk schedule(schedule_, timeline_.entities()[thread].node);
    Waits waits = {FlightsOf(timeline_, thread)};
    for (auto at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
      uint64_t since_ns = at.start_ns();
      const bool runs =
          at.segment().kind == SegmentKind::kRun || at.segment().kind == SegmentKind::kSpin;
      if (runs) WriteOffCpu(schedule, at, ready);
      ready.Add(at);
      for (; !deeds.empty() && deeds.front().time_ns < at.end_ns(); deeds = deeds.subspan(1)) {
        if (runs && deeds.front().time_ns > since_ns) {
          Push(StepKind::kRun, since_ns, deeds.front().time_ns - since_ns);
          since_ns = deeds.front().time_ns;
        }
        PushDeed(deeds.front(), runs               ? deeds.front().time_ns
                                : waits.IsRest(at) ? waits.rest_until_ns
                                                   : at.start_ns());
      }
      if (runs) {
        if (at.end_ns() > since_ns) Push(StepKind::kRun, since_ns, at.end_ns() - since_ns);
      } else if (!waits.IsRest(at)) {
        WriteWait(thread, at, waits);
      }
    }
    for (const Deed& deed : deeds) PushDeed(deed, timeline_.entities()[thread].end_ns);
  }

  // The time ready to run since the thread last ran or waited.
  struct Ready {
    uint64_t since_ns = 0;
    bool is_ready = false;
    bool after_wait = false;

    void Add(const SegmentCursor& at) {
      const bool was_ready = is_ready;
      is_ready = at.segment().kind == SegmentKind::kRunnable;
      if (is_ready && !was_ready) since_ns = at.start_ns();
      if (!is_ready) after_wait = at.segment().kind == SegmentKind::kWait;
    }
  };

  void WriteOffCpu(CpuSchedule::Walk& schedule, const SegmentCursor& at, const Ready& ready) {
    constexpr uint64_t kMost = 0xffffffff;
    if (!ready.is_ready) return;
    const CpuSchedule::Readiness lost =
        schedule.Between(at.segment().state, ready.since_ns, at.start_ns());
    if (lost.unneeded_ns + lost.others_ns == 0) return;
    Push(StepKind::kOffCpu, ready.since_ns, lost.unneeded_ns,
         static_cast<uint32_t>(std::min(lost.others_ns, kMost)));
    score_.steps.back().after_wait = ready.after_wait;
  }

  // A segment without a CPU.
  void WriteWait(EntityId thread, const SegmentCursor& at, Waits& waits) {
    const Hand hand = HandOf(thread, at, waits);
    if (hand.waker == kNobody) return WriteRest(thread, at);
    Push(StepKind::kAwait, at.start_ns(), hand.end_ns - at.start_ns(), next_hand_over_++);
  }

  // Of one without a hand-over. A segment that had not ended with the recording is the program's
  // end. If it had not ended when the recording paused, the thread that ended it is not known.
  void WriteRest(EntityId thread, const SegmentCursor& at) {
    const ThreadSegment& segment = at.segment();
    const uint64_t length_ns = at.end_ns() - at.start_ns();
    const bool paused = segment.open_end != 0 && at.end_ns() < timeline_.end_ns();
    if (segment.kind == SegmentKind::kUnknown || (segment.waker == kNobody && paused)) {
      Push(StepKind::kPause, at.start_ns(), length_ns, kNobody);
      return;
    }
    if (segment.kind != SegmentKind::kWait || segment.waker == kNobody) return;
    if (timeline_.entities()[segment.waker].kind == EntityKind::kDisk) {
      WriteDiskWait(thread, at);
    } else {
      Push(StepKind::kPause, at.start_ns(), length_ns, segment.waker,
           segment.cause == WaitCause::kTimer);
    }
  }

  void WriteDiskWait(EntityId thread, const SegmentCursor& at) {
    const EntityId disk = at.segment().waker;
    auto request = requests_.EndOfWait(disk, thread, at.start_ns(), at.end_ns());
    if (!request) {
      request = requests_.AddUnseen(disk, at.end_ns() - at.start_ns());
      Push(StepKind::kRequest, at.start_ns(), 0, *request);
    }
    Push(StepKind::kAwaitDisk, at.start_ns(), at.end_ns() - at.start_ns(), *request);
  }

  // The hand-overs of a kernel thread without another wait since it waited for a disk, or for a
  // kernel thread that relayed one. Each round finds one more link of such chains.
  void FindRelays() {
    score_.relayed_disk.assign(score_.pair_of_hand_over.size(), kNoDisk);
    for (bool found = true; found;) {
      found = false;
      for (EntityId thread = 0; thread < score_.threads(); ++thread) {
        if (timeline_.entities()[thread].kernel_thread) found |= FindRelaysOf(thread);
      }
    }
  }

  bool FindRelaysOf(EntityId thread) {
    bool found = false;
    uint32_t disk = kNoDisk;
    for (const Step& step : score_.StepsOf(thread)) {
      if (step.kind == StepKind::kAwaitDisk) disk = score_.requests[step.number].disk;
      if (step.kind == StepKind::kPause) disk = kNoDisk;
      if (step.kind == StepKind::kAwait) {
        const EntityId waker = score_.PairOf(step.number).waker;
        const bool by_kernel = timeline_.entities()[waker].kernel_thread;
        disk = by_kernel ? score_.relayed_disk[step.number] : kNoDisk;
      }
      if (step.kind != StepKind::kHandOver || disk == kNoDisk) continue;
      found |= std::exchange(score_.relayed_disk[step.number], disk) == kNoDisk;
    }
    return found;
  }

  const Timeline& timeline_;
  const CpuSchedule schedule_;
  HandOvers hand_overs_;
  ScoreRequests requests_;
  std::vector<Deed> deeds_;
  std::vector<uint8_t> is_message_;  // by hand-over; the last ones may be missing
  Score score_;
  uint32_t next_hand_over_ = 0;  // both walks number them alike
};

}  // namespace

std::vector<uint32_t> ConnectionsByThread(const Timeline& timeline) {
  std::vector<uint32_t> connections(timeline.thread_count());
  absl::flat_hash_set<std::pair<EntityId, uint32_t>> known;
  for (const auto& row : timeline.packet_rows()) {
    for (const PacketRecord& packet : row) {
      if (packet.sent && packet.flow_id != 0 && packet.thread < connections.size() &&
          known.emplace(packet.thread, packet.flow_id).second)
        ++connections[packet.thread];
    }
  }
  return connections;
}

Score BuildScore(const Timeline& timeline, std::span<const uint32_t> vertex_of_entity,
                 std::span<const ProgressMark> marks, std::span<const uint32_t> pollers,
                 std::span<const uint8_t> is_other) {
  return ScoreWriter(timeline, vertex_of_entity, marks, pollers, is_other).Write();
}

}  // namespace gordian
