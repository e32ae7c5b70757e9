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

// A look at whom a thread had woken is a look at all threads. A thread that sleeps a million times
// gets no more of them.
constexpr int kMostLooksAtWoken = 100;

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

UsualWakers::Places UsualWakers::PlacesOf(EntityId thread) const {
  Places places{.looks_left = kMostLooksAtWoken};
  absl::flat_hash_map<std::pair<EntityId, EntityId>, uint64_t> ended;
  EntityId place = kNobody;
  for (SegmentCursor at = timeline_.SegmentsFrom(thread); !at.done(); at.Next()) {
    // A wait for a message has two segments: until it was sent, and until it came.
    if (at.segment().kind != SegmentKind::kWait || IsLinkBehind(at)) continue;
    if (at.segment().cause == WaitCause::kTimer) {
      ++places.enders[place].timed_out;
      places.timeouts.emplace_back(at.start_ns(), place);
      continue;
    }
    if (at.segment().open_end != 0) continue;
    EntityId waker = WakerOfWait(timeline_, thread, at.segment(), at.end_ns());
    // A packet from outside of the recording: its interface stands for who sent it.
    if (at.segment().cause == WaitCause::kNic) waker = at.segment().waker;
    if (waker == kNobody) continue;
    ++ended[{place, waker}];
    place = waker;
  }
  for (const auto& [of, count] : ended)
    places.enders[of.first].by_count.emplace_back(count, of.second);
  for (auto& [of, enders] : places.enders) {
    std::sort(enders.by_count.begin(), enders.by_count.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
  }
  return places;
}

bool UsualWakers::IsWaitingFor(EntityId waiter, EntityId thread, uint64_t at_ns) const {
  if (waiter >= timeline_.thread_count() || at_ns == 0) return false;
  const SegmentCursor at = timeline_.SegmentsFrom(waiter, at_ns - 1);
  return !at.done() && at.start_ns() < at_ns && at.segment().kind == SegmentKind::kWait &&
         at.segment().waker == thread;
}

// The last thread that it woke, or sent a message to, before that wait; not the one that had woken
// it.
EntityId UsualWakers::LastWoken(EntityId thread, uint64_t wait_start_ns, uint64_t at_ns,
                                EntityId but_not) {
  if (by_sender_.empty()) {
    by_sender_.assign(timeline_.flights().begin(), timeline_.flights().end());
    std::sort(by_sender_.begin(), by_sender_.end(),
              [](const MessageFlight& a, const MessageFlight& b) {
                return a.sender != b.sender ? a.sender < b.sender : a.sent_ns < b.sent_ns;
              });
  }
  const uint64_t since_ns = AwakeSince(timeline_, thread, wait_start_ns);
  EntityId last = kNobody;
  uint64_t last_ns = 0;
  const auto take = [&](EntityId woken, uint64_t woken_ns) {
    const bool counts = woken != but_not && woken != thread && woken_ns >= since_ns &&
                        woken_ns <= wait_start_ns && !timeline_.entities()[woken].kernel_thread;
    if (!counts || (last != kNobody && woken_ns < last_ns) || IsWaitingFor(woken, thread, at_ns))
      return;
    last = woken;
    last_ns = woken_ns;
  };
  auto flight =
      std::lower_bound(by_sender_.begin(), by_sender_.end(), since_ns,
                       [thread](const MessageFlight& one, uint64_t at_ns) {
                         return one.sender != thread ? one.sender < thread : one.sent_ns < at_ns;
                       });
  for (; flight != by_sender_.end() && flight->sender == thread && flight->sent_ns <= wait_start_ns;
       ++flight)
    take(flight->receiver, flight->sent_ns);
  for (EntityId other = 0; other < timeline_.thread_count(); ++other) {
    if (timeline_.entities()[other].end_ns < since_ns) continue;
    for (SegmentCursor at = timeline_.SegmentsFrom(other, since_ns);
         !at.done() && at.start_ns() <= wait_start_ns; at.Next()) {
      if (at.segment().kind == SegmentKind::kWait && at.segment().waker == thread &&
          !IsLinkBehind(at))
        take(other, at.end_ns());
    }
  }
  return last;
}

EntityId UsualWakers::AwaitedInVain(EntityId thread, uint64_t wait_start_ns, uint64_t at_ns) {
  auto known = places_.find(thread);
  if (known == places_.end()) known = places_.emplace(thread, PlacesOf(thread)).first;
  Places& places = known->second;
  const auto wait = std::lower_bound(places.timeouts.begin(), places.timeouts.end(),
                                     std::pair(wait_start_ns, EntityId{0}));
  const EntityId place =
      wait != places.timeouts.end() && wait->first == wait_start_ns ? wait->second : kNobody;
  const Enders& enders = places.enders[place];
  for (const auto& [count, ender] : enders.by_count) {
    // Where time ends more waits than anything else, they are sleeps.
    if (count < enders.timed_out) return kNobody;
    if (!IsWaitingFor(ender, thread, at_ns)) return ender;
  }
  if (places.looks_left == 0) return kNobody;
  --places.looks_left;
  return LastWoken(thread, wait_start_ns, at_ns, place);
}

}  // namespace gordian
