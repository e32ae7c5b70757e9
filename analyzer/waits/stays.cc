// SPDX-License-Identifier: Apache-2.0
#include "analyzer/waits/stays.h"

#include <algorithm>
#include <tuple>

namespace gordian {
namespace {

Stay StayOfWait(const Timeline& timeline, const ThreadSegment& segment) {
  if (segment.open_end != 0 || segment.waker == kNobody) return Stay::kUnknown;
  switch (segment.cause) {
    case WaitCause::kThread:
    case WaitCause::kSpin:
    case WaitCause::kCreator:
      return segment.waker < timeline.thread_count() ? Stay::kForThread : Stay::kUnknown;
    case WaitCause::kDisk:
      return Stay::kDisk;
    case WaitCause::kNic:
      return Stay::kNetwork;
    case WaitCause::kTimer:
      return Stay::kTimer;
    case WaitCause::kIrq:
      return Stay::kInterrupt;
    case WaitCause::kLink:
      return Stay::kLink;
    case WaitCause::kIdleDevice:
    case WaitCause::kUnknown:
      break;
  }
  return Stay::kUnknown;
}

bool IsForKernelThread(const Timeline& timeline, const StayOfThread& is) {
  return is.stay == Stay::kForThread && timeline.entities()[is.waker].kernel_thread;
}

}  // namespace

StayOfThread StayOf(const Timeline& timeline, EntityId thread, const SegmentCursor& at) {
  const ThreadSegment& segment = at.segment();
  StayOfThread is{.start_ns = at.start_ns(), .until_ns = at.end_ns()};
  switch (segment.kind) {
    case SegmentKind::kRun:
      is.stay = Stay::kRun;
      break;
    case SegmentKind::kRunnable:
      is.stay = Stay::kRunnable;
      break;
    case SegmentKind::kUnknown:
      is.stay = Stay::kUnknown;
      break;
    case SegmentKind::kWait:
    case SegmentKind::kSpin:
      is.is_wait = true;
      is.is_open = segment.open_end != 0;
      is.stay = StayOfWait(timeline, segment);
      if (is.stay == Stay::kForThread) is.waker = segment.waker;
      is.is_idle = segment.state != kStateUninterruptible &&
                   timeline.entities()[thread].kernel_thread &&
                   (is.stay == Stay::kDisk || IsForKernelThread(timeline, is));
      break;
  }
  return is;
}

StayOfThread StayBefore(const Timeline& timeline, EntityId thread, uint64_t time_ns) {
  const Entity& entity = timeline.entities()[thread];
  if (entity.begin_ns >= entity.end_ns) return {};  // a life without length is no cause
  if (time_ns <= entity.begin_ns)
    return {.stay = Stay::kUnborn, .waker = timeline.creator(thread), .until_ns = entity.begin_ns};
  if (time_ns > entity.end_ns) return {};
  const SegmentCursor at = timeline.SegmentsFrom(thread, time_ns - 1);
  if (at.done() || at.start_ns() >= time_ns || at.end_ns() < time_ns) return {};
  return StayOf(timeline, thread, at);
}

EntityId FindTurn(const Timeline& timeline, EntityId thread, EntityId waker, uint64_t time_ns) {
  return HasTurn(thread, waker, time_ns, timeline.thread_count(),
                 [&](EntityId other) { return StayBefore(timeline, other, time_ns); });
}

// Each step looks at what one worker did earlier, or at the worker that woke it, at that time. So
// time goes back, to the beginning of the wait at the latest.
std::optional<uint64_t> PassedOnSince(const Timeline& timeline, const StayOfThread& wait) {
  if (!IsForKernelThread(timeline, wait)) return std::nullopt;
  EntityId worker = wait.waker;
  uint64_t woke_ns = wait.until_ns;  // when the worker woke the next one, or the waiter
  uint64_t all_wait_since_ns = wait.start_ns;
  for (uint64_t before_ns = woke_ns; before_ns > all_wait_since_ns;) {
    const StayOfThread did = StayBefore(timeline, worker, before_ns);
    if (did.is_idle) {
      const bool woken_before = before_ns < woke_ns && did.until_ns == before_ns;
      if (!woken_before) return std::nullopt;
      if (did.stay == Stay::kDisk) return before_ns;
      worker = did.waker;
      woke_ns = before_ns;
      all_wait_since_ns = std::max(all_wait_since_ns, did.start_ns);
      continue;
    }
    if (!IsAtWork(did.stay)) return std::nullopt;
    before_ns = did.start_ns;
  }
  return std::nullopt;
}

const MessageFlight* FlightTo(const Timeline& timeline, EntityId receiver, uint64_t received_ns) {
  const auto flights = timeline.flights();
  const auto found = std::lower_bound(
      flights.begin(), flights.end(), std::tuple(receiver, received_ns),
      [](const MessageFlight& flight, const std::tuple<EntityId, uint64_t>& wanted) {
        return std::tuple(flight.receiver, flight.received_ns) < wanted;
      });
  const bool is_it = found != flights.end() && found->receiver == receiver &&
                     found->received_ns == received_ns && found->sent_ns < received_ns;
  return is_it ? &*found : nullptr;
}

}  // namespace gordian
