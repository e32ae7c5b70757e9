// SPDX-License-Identifier: Apache-2.0
// A barrier with a leader: the leader starts a round, the followers work on it, and the leader goes
// on when the last of them has arrived. So the leader can tell which step begins and which has
// ended.
//
// Made of two numbers that threads wait for in the kernel (std::atomic::wait is a futex).
#pragma once

#include <atomic>
#include <cstdint>

namespace bsp {

class Rendezvous {
 public:
  explicit Rendezvous(uint32_t followers) : followers_(followers) {}

  // The leader: starts the next round with the followers' task (never 0) …
  void Start(uint32_t task) {
    missing_.store(followers_, std::memory_order_relaxed);
    task_ = task;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }
  // … and waits until all have arrived.
  void WaitForAll() {
    for (uint32_t missing = missing_.load(std::memory_order_acquire); missing != 0;
         missing = missing_.load(std::memory_order_acquire)) {
      missing_.wait(missing, std::memory_order_acquire);
    }
  }

  // A follower: waits for the round after `round`, the number of rounds it has taken part in, and
  // returns the task.
  uint32_t WaitForStart(uint32_t round) {
    while (round_.load(std::memory_order_acquire) == round) {
      round_.wait(round, std::memory_order_acquire);
    }
    return task_;
  }
  // Only the last one wakes the leader.
  void Arrive() {
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) missing_.notify_one();
  }

 private:
  const uint32_t followers_;
  std::atomic<uint32_t> round_ = 0;
  std::atomic<uint32_t> missing_ = 0;
  uint32_t task_ = 0;  // written before, and read after, a change of round_
};

}  // namespace bsp
