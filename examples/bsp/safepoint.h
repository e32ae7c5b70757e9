// SPDX-License-Identifier: Apache-2.0
// Where threads can be stopped all at once, as a garbage collector does.
//
// A thread is either inside (it touches what the collector needs for itself) or outside (it waits
// for something, or has nothing to do). The collector closes the door and waits until all are
// outside. One number holds both: how many are inside, and whether the door is closed.
#pragma once

#include <atomic>
#include <cstdint>

namespace bsp {

class Safepoint {
 public:
  // Comes in, unless the door is closed.
  bool TryEnter() {
    uint32_t state = state_.load(std::memory_order_relaxed);
    while ((state & kClosed) == 0) {
      if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }
  // Comes in when the door is open.
  void Enter() {
    while (!TryEnter()) {
      const uint32_t state = state_.load(std::memory_order_relaxed);
      if ((state & kClosed) != 0) state_.wait(state, std::memory_order_relaxed);
    }
  }
  void Leave() {
    if (state_.fetch_sub(1, std::memory_order_release) == (kClosed | 1)) state_.notify_all();
  }
  // Whether threads inside must leave. Costs a load.
  bool IsClosed() const { return (state_.load(std::memory_order_relaxed) & kClosed) != 0; }

  // The collector: returns when no thread is inside; none comes in until Open.
  void Close() {
    uint32_t state = state_.fetch_or(kClosed, std::memory_order_acquire) | kClosed;
    while (state != kClosed) {
      state_.wait(state, std::memory_order_acquire);
      state = state_.load(std::memory_order_acquire);
    }
  }
  void Open() {
    state_.fetch_and(~kClosed, std::memory_order_release);
    state_.notify_all();
  }

 private:
  static constexpr uint32_t kClosed = uint32_t{1} << 31;
  std::atomic<uint32_t> state_ = 0;
};

}  // namespace bsp
