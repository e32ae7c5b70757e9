// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/collector.h"

#include <pthread.h>
#include <time.h>

#include <cstdint>

namespace bsp {
namespace {

void Work(std::chrono::nanoseconds cpu_time) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const std::chrono::nanoseconds end = used() + cpu_time;
  while (used() < end) {
  }
}

}  // namespace

Collector::Collector(Safepoint& safepoint, std::chrono::milliseconds every,
                     std::chrono::milliseconds pause)
    : safepoint_(safepoint), thread_([this, every, pause] { Run(every, pause); }) {}

Collector::~Collector() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ending_changed_.notify_one();
  thread_.join();
}

void Collector::Run(std::chrono::milliseconds every, std::chrono::milliseconds pause) {
  pthread_setname_np(pthread_self(), "bsp-gc");
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (ending_changed_.wait_for(lock, every, [this] { return ending_; })) return;
    }
    safepoint_.Close();
    Work(pause);
    safepoint_.Open();
  }
}

}  // namespace bsp
