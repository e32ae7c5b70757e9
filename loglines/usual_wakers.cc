// SPDX-License-Identifier: Apache-2.0
#include "loglines/usual_wakers.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace gordian {
namespace {

bool IsLinkBehind(SegmentCursor at) {
  at.Next();
  return !at.done() && at.segment().kind == SegmentKind::kWait &&
         at.segment().cause == WaitCause::kLink;
}

// Who ended the waits of a thread, by who ended the one before.
class WakersByPlace {
 public:
  WakersByPlace(const Timeline& timeline, EntityId thread, uint64_t wait_start_ns) {
    for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kWait) continue;
      if (at.start_ns() == wait_start_ns) place_of_wait_ = place_;
      // A wait for a message has two segments: until it was sent, and until it came.
      if (at.segment().open_end != 0 || IsLinkBehind(at)) continue;
      EntityId waker = WakerOfWait(timeline, thread, at.segment(), at.end_ns());
      // A packet from outside of the recording: its interface stands for who sent it.
      if (at.segment().cause == WaitCause::kNic) waker = at.segment().waker;
      if (waker != kNobody) {
        ++ended_[{place_, waker}];
        place_ = waker;
      } else if (at.segment().cause == WaitCause::kTimer) {
        ++timed_out_[place_];
      }
    }
  }

  // The most frequent one in that wait's place, thread or interface, if it ended at least as many
  // as time did.
  EntityId Usual() const {
    EntityId usual = kNobody;
    uint64_t most = 0;
    for (const auto& [places, count] : ended_) {
      if (places.first != place_of_wait_ || count < most) continue;
      if (count == most && places.second > usual) continue;
      most = count;
      usual = places.second;
    }
    const auto timed_out = timed_out_.find(place_of_wait_);
    return timed_out != timed_out_.end() && timed_out->second > most ? kNobody : usual;
  }
  EntityId place_of_wait() const { return place_of_wait_; }
  // Whether only time ever ended a wait in that place.
  bool IsNewPlace() const {
    return std::none_of(ended_.begin(), ended_.end(),
                        [this](const auto& ended) { return ended.first.first == place_of_wait_; });
  }

 private:
  EntityId place_ = kNobody;
  EntityId place_of_wait_ = kNobody;
  absl::flat_hash_map<std::pair<EntityId, EntityId>, uint64_t> ended_;
  absl::flat_hash_map<EntityId, uint64_t> timed_out_;
};

// When the thread began the run, or row of runs, that led to that wait.
uint64_t AwakeSince(const Timeline& timeline, EntityId thread, uint64_t wait_start_ns) {
  uint64_t since_ns = wait_start_ns;
  while (since_ns > timeline.entities()[thread].begin_ns) {
    const SegmentCursor before = timeline.SegmentsFrom(thread, since_ns - 1);
    if (before.done() || before.segment().kind == SegmentKind::kWait ||
        before.start_ns() >= since_ns)
      break;
    since_ns = before.start_ns();
  }
  return since_ns;
}

// The last thread that it woke, or sent a message to, before that wait; not the one that had woken
// it.
EntityId LastWoken(const Timeline& timeline, EntityId thread, uint64_t wait_start_ns,
                   EntityId but_not) {
  const uint64_t since_ns = AwakeSince(timeline, thread, wait_start_ns);
  EntityId last = kNobody;
  uint64_t last_ns = 0;
  const auto take = [&](EntityId woken, uint64_t at_ns) {
    const bool counts = woken != but_not && woken != thread && at_ns >= since_ns &&
                        at_ns <= wait_start_ns && !timeline.entities()[woken].kernel_thread;
    if (!counts || (last != kNobody && at_ns < last_ns)) return;
    last = woken;
    last_ns = at_ns;
  };
  for (const MessageFlight& flight : timeline.flights()) {
    if (flight.sender == thread) take(flight.receiver, flight.sent_ns);
  }
  for (EntityId other = 0; other < timeline.thread_count(); ++other) {
    if (timeline.entities()[other].end_ns < since_ns) continue;
    for (SegmentCursor at = timeline.SegmentsFrom(other, since_ns);
         !at.done() && at.start_ns() <= wait_start_ns; at.Next()) {
      if (at.segment().kind == SegmentKind::kWait && at.segment().waker == thread &&
          !IsLinkBehind(at))
        take(other, at.end_ns());
    }
  }
  return last;
}

}  // namespace

EntityId WakerOfWait(const Timeline& timeline, EntityId thread, const ThreadSegment& wait,
                     uint64_t end_ns) {
  if (wait.cause != WaitCause::kLink)
    return wait.waker < timeline.thread_count() ? wait.waker : kNobody;
  const auto flights = timeline.flights();
  const auto found = std::lower_bound(
      flights.begin(), flights.end(), end_ns,
      [thread](const MessageFlight& flight, uint64_t at_ns) {
        return flight.receiver != thread ? flight.receiver < thread : flight.received_ns < at_ns;
      });
  const bool is_it =
      found != flights.end() && found->receiver == thread && found->received_ns == end_ns;
  return is_it && found->sender < timeline.thread_count() ? found->sender : kNobody;
}

EntityId AwaitedInVain(const Timeline& timeline, EntityId thread, uint64_t wait_start_ns) {
  const WakersByPlace wakers(timeline, thread, wait_start_ns);
  const EntityId usual = wakers.Usual();
  if (usual != kNobody || !wakers.IsNewPlace()) return usual;
  return LastWoken(timeline, thread, wait_start_ns, wakers.place_of_wait());
}

}  // namespace gordian
