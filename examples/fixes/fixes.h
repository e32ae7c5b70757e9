// SPDX-License-Identifier: Apache-2.0
// Small programs with one known trouble each, and a switch that mends it: predictions are compared
// with them. The comment above each function describes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace gordian::fixes {

struct Options {
  bool fixed = false;
  double seconds = 3;
  std::string directory = ".";  // where files are written
};

// Threads that work until the time is over. Finished work is counted, and told as probe `done`.
class Run {
 public:
  explicit Run(const Options& options);

  // `body` of a thread of that name; it should end soon when Goes() is false.
  void Start(const std::string& name, std::function<void()> body);
  bool Goes() const { return goes_.load(std::memory_order_relaxed); }
  void CountOne();
  // Sleeps until the time is over, lets `wake` wake the waiting threads, and joins all. Gives the
  // work done in a second.
  double Finish(const std::function<void()>& wake = {});

 private:
  double seconds_;
  uint64_t start_ns_;
  std::atomic<bool> goes_{true};
  std::atomic<uint64_t> done_{0};
  std::vector<std::thread> threads_;
};

uint64_t NowNs();
// Works for this much CPU time of the calling thread.
void Work(uint64_t work_us);
// Sleeps, as a thread does in a remote call or for a slow device.
void Away(uint64_t time_us);

// Each gives the work done in a second.
double Sync(const Options& options);
double GroupCommit(const Options& options);
double SleepUnderLock(const Options& options);
double WorkUnderLock(const Options& options);
double Pool(const Options& options);
double Polling(const Options& options);
double SmallQueue(const Options& options);
double Herd(const Options& options);
double CpuSink(const Options& options);
double Hogs(const Options& options);

}  // namespace gordian::fixes
