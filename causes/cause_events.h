// SPDX-License-Identifier: Apache-2.0
// The moments of a stretch of time at which threads begin and end to wait, are born and end, and
// crossings begin and end, in order of time. Inner to the library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/waits/stays.h"
#include "analyzer/waits/time_order.h"
#include "causes/causes.h"
#include "causes/part_slice.h"

namespace gordian {

inline constexpr uint32_t kNoMessage = 0xffffffff;

struct CauseEvent {
  enum class Kind : uint8_t { kWaitBegins, kWaitEnds, kBorn, kGone, kLeaves, kArrives, kEnters };
  EntityId thread = kNobody;  // of a crossing: its beginning's, or its end's
  uint32_t value = kNobody;   // a wait's waker, the creator, or the crossing's index
  uint64_t other_ns = 0;      // kWaitBegins: its end; kWaitEnds: its beginning
  Kind kind = Kind::kWaitBegins;
  Stay stay = Stay::kRun;  // of the wait; kGone: what the thread did last
  bool is_wait = false;    // kGone: it waited last
  bool is_spin = false;
  bool goes_on = false;  // the next edge over the wait is causal
  WaitSense sense = WaitSense::kWork;
  // Of a slice's part on one node (part_slice.h): the message of another node that it is about.
  uint32_t message = kNoMessage;
  bool is_asked = false;  // whose sender is not known yet
};

struct CauseEvents {
  std::vector<CauseEvent> events;
  // Those at one time: by thread, a wait's end before the next one's beginning.
  std::vector<TimedIndex> order;
  std::vector<TimedIndex> scratch;

  // All with from_ns <= time < to_ns; replaces what there was.
  void Gather(const ExecutionGraph& graph, CausalScope scope, uint64_t from_ns, uint64_t to_ns);
  // The waits for these messages are told as between nodes that are joined. By receiver and time.
  std::span<const OutsideMessage> messages;

  void Add(uint64_t time_ns, const CauseEvent& event) {
    order.push_back({time_ns, static_cast<uint32_t>(events.size())});
    events.push_back(event);
  }

 private:
  // A wait, or a part of one.
  struct Stretch {
    EntityId thread = kNobody;
    ThreadSegment segment;
    uint64_t end_ns = 0;
    bool has_end = true;  // within its thread's life
    StayOfThread is;
  };
  struct Range {
    uint64_t from_ns = 0;
    uint64_t to_ns = 0;
  };
  uint32_t MessageFor(EntityId thread, uint64_t woken_ns) const;
  void AddWait(const ExecutionGraph& graph, CausalScope scope, const Range& range,
               const Stretch& wait, uint32_t message);
  void AddWaitForMessage(const ExecutionGraph& graph, CausalScope scope, const Range& range,
                         const Stretch& wait, uint32_t index);
  void GatherThread(const ExecutionGraph& graph, CausalScope scope, EntityId thread,
                    uint64_t from_ns, uint64_t to_ns);
};

}  // namespace gordian
