// SPDX-License-Identifier: Apache-2.0
// Hand-overs that happened and were not taken yet, and the threads that wait for them.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "whatif/play/play.h"

namespace gordian {

class Tokens {
 public:
  struct Release {
    EntityId thread = kNobody;
    bool step_done = false;  // else it must try its step again
  };

  Tokens(const Score& score, const Variation& variation);

  // False if the thread must wait; it will be released with its step done. To be called once for
  // each wait. It may release a waker that was too far ahead.
  bool Await(EntityId thread, uint32_t hand_over);
  // Whether the hand-over may get under way, to arrive with Arrive. False if the thread is too far
  // ahead; it will be released to try again. Besides its lead, as many as its waiter takes while
  // one is under way may be ahead: else the waiter would have to wait as long after each stop.
  bool Send(EntityId thread, uint32_t hand_over, uint64_t flight_ns, uint64_t now_ns);
  void Arrive(uint32_t hand_over);
  // As if it had waited for it, and the wait were over.
  void SkipAwait(uint32_t hand_over);
  // Whether the wait for that hand-over has begun; else the thread will be released, to try again,
  // once it has.
  bool IsAskedFor(EntityId thread, uint32_t hand_over);
  // Whether a thread waits that this hand-over will release.
  bool IsWaitedFor(uint32_t hand_over) const;
  bool HasReleased() const { return !released_.empty(); }
  // How far ahead one may get is a guess, and no fact of the recording. If all stand still, it was
  // too short for one of these threads: of those that it stops the one with the shortest limit may
  // go twice as far. (Parks' rule for process networks whose buffers have ends.) False if it stops
  // no thread.
  bool LetOneFurther();
  // A thread that went on by force waits for nothing more. Otherwise it would be released once more
  // when its wait ends after all, in the middle of something else.
  void Forget(EntityId thread);
  void ForceHandOver(uint32_t hand_over) { Arrive(hand_over); }

  // Those since the last call; valid until the next one.
  const std::vector<Release>& TakeReleased() {
    taken_.clear();
    std::swap(taken_, released_);
    return taken_;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  // Threads that share a kind's work do it for the recorded thread: several can be blocked.
  struct Stopped {
    EntityId thread = kNobody;
    uint32_t hand_over = 0;
  };
  struct Pair {
    uint32_t begun = 0;      // waits
    uint32_t arrived = 0;    // hand-overs
    uint32_t ahead = 0;      // of those: nobody has asked for them yet
    uint32_t further = 0;    // ahead than its lead or queue, as nothing could go on otherwise
    uint64_t under_way = 0;  // at the rate of the last one that was to be sent
    std::vector<Stopped> wakers;
    std::vector<Stopped> waiters;  // kAhead only
  };
  struct Waiter {
    EntityId thread;
    uint32_t hand_over;
  };
  struct Channel {
    int64_t surplus = 0;  // below 0: some were taken by others, and their owners went on regardless
    std::deque<Waiter> queue;  // some wait no more
  };

  // Where a thread is blocked.
  struct Blocked {
    uint32_t awaited = kNone;      // hand-over
    uint32_t pair = kNone;         // as its blocked waker or waiter
    uint32_t to_be_asked = kNone;  // hand-over
  };

  DropKind DropOf(uint32_t hand_over) const;
  void Begin(uint32_t hand_over);
  // The limit of that stopped thread.
  uint64_t LimitOf(EntityId thread) const;
  bool MayBeSent(uint32_t hand_over) const;
  void ReleaseWakers(Pair& pair);
  void ReleaseWaiters(uint32_t number);
  void LetGo(EntityId thread, bool step_done);
  void ReleaseBlocked(EntityId& blocked, bool step_done);
  void ServeQueue(Channel& channel);

  const Score& score_;
  const Variation& variation_;
  std::vector<Pair> pairs_;
  std::vector<Channel> channels_;
  std::vector<uint8_t> happened_;      // by hand-over
  std::vector<uint8_t> asked_for_;     // by hand-over
  std::vector<EntityId> waiting_;      // by hand-over: for it to happen
  std::vector<EntityId> to_be_asked_;  // by hand-over: for it to be waited for
  std::vector<Blocked> blocked_;       // by thread
  std::vector<Release> released_;
  std::vector<Release> taken_;
};

}  // namespace gordian
