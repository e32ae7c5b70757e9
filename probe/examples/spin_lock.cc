// A spin lock that tells who spins and who has it. Without the two lines marked with (*), a
// recording shows threads that are busy; with them, threads that wait for each other.
#include <gordian_probe.hpp>

#include <atomic>
#include <thread>
#include <vector>

class SpinLock {
 public:
  void Lock() {
    // Got at once, nothing was waited for, and nothing needs to be said.
    if (!taken_.exchange(true, std::memory_order_acquire)) return;
    const gordian::SpinWait waiting(this);  // (*) from here to the end of the scope
    while (taken_.exchange(true, std::memory_order_acquire)) {
    }
  }
  void Unlock() {
    gordian::spin_release(this);  // (*) before it is free: after, it may be another's
    taken_.store(false, std::memory_order_release);
  }

 private:
  std::atomic<bool> taken_{false};
};

int main() {
  SpinLock lock;
  long sum = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        lock.Lock();
        for (int step = 0; step < 20'000; ++step) sum = sum * 31 + step;
        lock.Unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return sum == 42 ? 1 : 0;
}
