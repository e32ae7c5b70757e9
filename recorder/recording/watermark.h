// SPDX-License-Identifier: Apache-2.0
// A time before which everything has come out of the kernel's rings, though records are written
// late and out of order (docs/design-watermark.md).
//
// A program reads the clock and writes its record at two moments; an interrupt, or a machine below
// this one, may part them by any time. So no look at a ring can tell what is still to come. Only
// the kernel knows when all programs have ended that ran at a time: a thread of this object's own
// asks it. A drain that begins after the answer, and comes to the end of every ring, has taken all
// records from before that time.
//
// One owner calls all but the constructor's function.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace gordian {

class Watermark {
 public:
  // `await_running` returns when each program that was running at the call has ended; false if that
  // is not known. It is called on another thread, and may take its time.
  explicit Watermark(std::function<bool()> await_running);
  ~Watermark();
  Watermark(const Watermark&) = delete;
  Watermark& operator=(const Watermark&) = delete;

  // Begins to wait for what is written before `now_ns`, the time now. Nothing happens as long as an
  // earlier time is waited for.
  void Ask(uint64_t now_ns);

  // To be called before each drain of all rings, and after it.
  void DrainBegins();
  void DrainEnds(bool reached_ends);

  // All records of earlier times have been drained. 0 at first; never goes back.
  uint64_t drained_until_ns() const { return drained_until_ns_; }

 private:
  enum class Stage { kIdle, kWaiting, kAllEnded };
  void Run();

  const std::function<bool()> await_running_;
  uint64_t asked_ns_ = 0;
  bool drain_is_late_enough_ = false;
  uint64_t drained_until_ns_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  Stage stage_ = Stage::kIdle;  // guarded by mutex_, like `ends_`
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gordian
