// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace gordian {

int ThreadCount(int threads) {
  if (threads > 0) return threads;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void ParallelFor(int threads, size_t count,
                 const std::function<void(size_t index, int worker)>& work) {
  std::atomic<size_t> next{0};
  const auto run = [&](int worker) noexcept {
    for (size_t index = next++; index < count; index = next++) work(index, worker);
  };
  const int workers = static_cast<int>(std::min(static_cast<size_t>(std::max(threads, 1)), count));
  std::vector<std::jthread> others;
  for (int worker = 1; worker < workers; ++worker) others.emplace_back(run, worker);
  run(0);
}

}  // namespace gordian
