// SPDX-License-Identifier: Apache-2.0
// A garbage collector, as far as its threads' victims can tell: every so often it stops all threads
// at their safepoints, works, and lets them go on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "examples/bsp/safepoint.h"

namespace bsp {

class Collector {
 public:
  // Works `pause` of CPU time in each collection. `safepoint` must outlive it.
  Collector(Safepoint& safepoint, std::chrono::milliseconds every, std::chrono::milliseconds pause);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

 private:
  void Run(std::chrono::milliseconds every, std::chrono::milliseconds pause);

  Safepoint& safepoint_;
  std::mutex mutex_;
  std::condition_variable ending_changed_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace bsp
