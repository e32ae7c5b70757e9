// SPDX-License-Identifier: Apache-2.0
// Threads parse texts and add what they found to one table. usage: counter SECONDS spin|mutex
// THREADS
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int kParseRounds = 6000;
constexpr int kAddRounds = 4000;

class Table {
 public:
  explicit Table(bool spins) : spins_(spins) { pthread_spin_init(&spin_, PTHREAD_PROCESS_PRIVATE); }

  [[gnu::noinline]] void Lock() {
    spins_ ? pthread_spin_lock(&spin_) : pthread_mutex_lock(&mutex_);
  }
  [[gnu::noinline]] void Unlock() {
    spins_ ? pthread_spin_unlock(&spin_) : pthread_mutex_unlock(&mutex_);
  }

  [[gnu::noinline]] void Add(uint64_t word) {
    for (int i = 0; i < kAddRounds; ++i) {
      word = word * 6364136223846793005U + 1442695040888963407U;
      ++counts_[word >> 52];
    }
  }

 private:
  const bool spins_;
  pthread_spinlock_t spin_;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::array<uint64_t, 4096> counts_ = {};
};

[[gnu::noinline]] uint64_t Parse(uint64_t seed) {
  for (int i = 0; i < kParseRounds; ++i) seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9U + 1;
  return seed;
}

std::atomic<bool> stop = false;
std::atomic<uint64_t> done = 0;

void Work(Table& table, uint64_t seed) {
  while (!stop) {
    seed = Parse(seed);
    table.Lock();
    table.Add(seed);
    table.Unlock();
    ++done;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  Table table(std::string_view(arguments[2]) == "spin");
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(arguments[3]); ++i)
    threads.emplace_back(Work, std::ref(table), i * 977);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::strtod(arguments[1], nullptr)));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%f\n", static_cast<double>(done) / passed.count());
}
