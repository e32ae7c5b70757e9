// SPDX-License-Identifier: Apache-2.0
// A spin lock that tells which threads spin and which thread has it. Without the two lines marked
// with (*), a recording shows threads that are busy; with them, threads that wait for each other.
#include <gordian_probe.hpp>

#include <atomic>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

class SpinLock {
 public:
  explicit SpinLock(bool silent) : silent_(silent) {}
  void Lock() {
    // Got at once, without a wait: there is nothing to tell.
    if (!taken_.exchange(true, std::memory_order_acquire)) return;
    std::optional<gordian::SpinWait> waiting;
    if (!silent_) waiting.emplace(this);  // (*) from here to the end of the scope
    while (taken_.exchange(true, std::memory_order_acquire)) {
    }
  }
  void Unlock() {
    if (!silent_) gordian::spin_release(this);  // (*) before it is free: after, it may be another's
    taken_.store(false, std::memory_order_release);
  }

 private:
  const bool silent_;
  std::atomic<bool> taken_{false};
};

// spin_lock [ROUNDS [silent]]: `silent` leaves the spinning unsaid, to see the suggestion.
int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  SpinLock lock(argc > 2 && std::string_view(argv[2]) == "silent");
  long sum = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        lock.Lock();
        for (int step = 0; step < 20'000; ++step) sum = sum * 31 + step;
        lock.Unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sum == 42 ? 1 : 0;
}
