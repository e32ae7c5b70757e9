// SPDX-License-Identifier: Apache-2.0
// What a thread does at a moment, as paths and slices see it, and who had the turn when its wait
// ended.
//
// "Just before t" is the nanosecond that ends at t: segments without a length are no part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace gordian {

enum class Stay : uint8_t {
  kRun,
  kRunnable,
  kUnknown,  // also waits whose end has no known cause
  kDisk,
  kNetwork,
  kTimer,
  kInterrupt,
  kLink,       // a message is under way
  kForThread,  // not on the path: a thread ended it
  kUnborn,     // not on the path: before its birth
  kGone        // behind its end
};

// A path that leads here backwards goes on over its time.
constexpr bool IsOnPath(Stay stay) { return stay < Stay::kForThread; }
constexpr bool IsAtWork(Stay stay) { return stay == Stay::kRun || stay == Stay::kRunnable; }
// A thread that does this can wake others.
constexpr bool IsAwake(Stay stay) { return stay <= Stay::kUnknown; }

struct StayOfThread {
  Stay stay = Stay::kGone;
  bool is_wait = false;  // it waits or spins, and so wakes nobody
  bool is_idle = false;  // a thread of the kernel without work, which a disk or another one woke
  bool is_open = false;  // a wait whose end was not recorded
  EntityId waker = kNobody;  // kForThread; kUnborn: the creator
  uint64_t start_ns = 0;
  uint64_t until_ns = 0;
};

// That segment.
StayOfThread StayOf(const Timeline& timeline, EntityId thread, const SegmentCursor& at);
// What the thread does just before that time.
StayOfThread StayBefore(const Timeline& timeline, EntityId thread, uint64_t time_ns);

// Who has the turn just before a wait, or the time before a birth, ended at time_ns by `waker`:
// mostly the waker. One whose own wait ended at that very time had the turn from its waker, and so
// on. A waker that waits for longer, or does not live, is no cause; neither are wakers in a circle,
// nor more than kMostWakesAtOnce of them. Then the last in the row whose waker is no cause has the
// turn, or there is nobody: kNobody. `before(thread)` is what a thread does just before that time.
inline constexpr size_t kMostWakesAtOnce = 64;
template <typename Before>
EntityId HasTurn(EntityId thread, EntityId waker, uint64_t time_ns, EntityId thread_count,
                 const Before& before) {
  EntityId row[kMostWakesAtOnce];
  size_t length = 0;
  row[length++] = thread;
  for (EntityId next = waker; length < kMostWakesAtOnce;) {
    const EntityId last_in_row = length == 1 ? kNobody : row[length - 1];
    if (next >= thread_count) return last_in_row;
    for (size_t i = 0; i < length; ++i) {
      if (row[i] == next) return i == 0 ? kNobody : next;
    }
    const StayOfThread& is = before(next);
    if (is.stay == Stay::kGone) return last_in_row;
    const bool ends_now = is.until_ns == time_ns;
    if (is.stay == Stay::kUnborn || is.stay == Stay::kForThread) {
      if (!ends_now) return last_in_row;
      row[length++] = next;
      next = is.waker;
      continue;
    }
    return is.is_wait && !ends_now ? last_in_row : next;
  }
  return kNobody;
}
EntityId FindTurn(const Timeline& timeline, EntityId thread, EntityId waker, uint64_t time_ns);

// Of a wait that a thread of the kernel ended, at wait.until_ns: until when the waiter waited for
// a disk, which then woke that thread out of its idleness. It only ran, or was ready to, since. Or
// another such thread woke it, for which the same holds, and so on; each was idle when the disk was
// done.
std::optional<uint64_t> PassedOnSince(const Timeline& timeline, const StayOfThread& wait);

// The message that ended the receiver's wait at that time; null if it is not known.
const MessageFlight* FlightTo(const Timeline& timeline, EntityId receiver, uint64_t received_ns);

}  // namespace gordian
