// SPDX-License-Identifier: Apache-2.0
// A parser and a pool of threads. usage: ingest THREADS SPIN_US SECONDS
// Prints records a second.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static uint64_t Compute(uint64_t value, int rounds) {
  for (int round = 0; round < rounds; round++)
    value = value * 6364136223846793005ULL + 1442695040888963407ULL;
  return value;
}

class Pool {
 public:
  Pool(int threads, std::chrono::microseconds spin) : spin_(spin) {
    for (int n = 0; n < threads; n++) {
      threads_.emplace_back([this] { Work(); });
      pthread_setname_np(threads_.back().native_handle(), "pool");
    }
  }

  ~Pool() {
    {
      const std::lock_guard<std::mutex> held(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Add(uint64_t record) {
    {
      std::unique_lock<std::mutex> held(mutex_);
      room_.wait(held, [this] { return records_.size() < 64; });
      records_.push_back(record);
      queued_.store(records_.size(), std::memory_order_relaxed);
    }
    wake_.notify_one();
  }

  uint64_t done() const { return done_.load(std::memory_order_relaxed); }

 private:
  __attribute__((noinline)) bool LookForWork() const {
    const Clock::time_point end = Clock::now() + spin_;
    do {
      for (int n = 0; n < 200; n++) {
        if (queued_.load(std::memory_order_relaxed) > 0) return true;
        __builtin_ia32_pause();
      }
    } while (Clock::now() < end);
    return false;
  }

  void Work() {
    for (;;) {
      const bool has_seen_work = LookForWork();
      uint64_t record;
      {
        std::unique_lock<std::mutex> held(mutex_);
        if (has_seen_work && records_.empty() && !ended_) continue;  // another one was faster
        wake_.wait(held, [this] { return ended_ || !records_.empty(); });
        if (ended_) return;
        record = records_.front();
        records_.pop_front();
        queued_.store(records_.size(), std::memory_order_relaxed);
      }
      room_.notify_one();
      sum_.fetch_xor(Compute(record, 30000), std::memory_order_relaxed);
      done_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  const std::chrono::microseconds spin_;
  std::mutex mutex_;
  std::condition_variable wake_, room_;
  std::deque<uint64_t> records_;
  bool ended_ = false;
  std::atomic<size_t> queued_{0};
  std::atomic<uint64_t> done_{0}, sum_{0};
  std::vector<std::thread> threads_;
};

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const double seconds = std::atof(argv[3]);
  Pool pool(std::atoi(argv[1]), std::chrono::microseconds(std::atoi(argv[2])));
  const Clock::time_point begin = Clock::now();
  for (uint64_t record = 0; std::chrono::duration<double>(Clock::now() - begin).count() < seconds;
       record++) {
    pool.Add(Compute(record, 120000));
  }
  std::printf("%.1f\n", static_cast<double>(pool.done()) / seconds);
  return 0;
}
