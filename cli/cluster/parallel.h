// Does something for many nodes at once, on a bounded number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace gordian {

// Calls `act` with 0 to count - 1, each once, at most `max_threads` at the same time; returns when
// all have returned.
inline void ForEachInParallel(size_t count, size_t max_threads,
                              const std::function<void(size_t)>& act) {
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) act(i);
  };
  std::vector<std::thread> threads;
  const size_t wanted = std::min(count, std::max<size_t>(max_threads, 1));
  for (size_t i = 1; i < wanted; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gordian
