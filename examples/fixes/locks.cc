// SPDX-License-Identifier: Apache-2.0
// Locks.
#include <array>
#include <mutex>

#include "examples/fixes/fixes.h"

namespace gordian::fixes {
namespace {

constexpr size_t kMostThreads = 8;

// Threads that hold a lock for a while, then work outside of it. Fixed: each its own lock.
double UnderLock(const Options& options, size_t threads, const std::function<void()>& inside,
                 uint64_t outside_us) {
  Run run(options);
  std::array<std::mutex, kMostThreads> locks;
  for (size_t i = 0; i < threads; ++i) {
    run.Start("worker", [&, i] {
      while (run.Goes()) {
        {
          const std::unique_lock lock(locks.at(options.fixed ? i : 0));
          inside();
        }
        Work(outside_us);
        run.CountOne();
      }
    });
  }
  return run.Finish();
}

}  // namespace

// A remote call while a lock is held that all need.
double SleepUnderLock(const Options& options) {
  const auto call = [] {
    Work(30);
    Away(500);
  };
  return UnderLock(options, 4, call, 50);
}

// A lock around most of the work.
double WorkUnderLock(const Options& options) {
  return UnderLock(
      options, 2, [] { Work(300); }, 100);
}

}  // namespace gordian::fixes
