// SPDX-License-Identifier: Apache-2.0
// Sixteen threads encode records and append them in order of their numbers. A thread that is done
// too early waits for its turn. usage: journal SECONDS CONDITION-VARIABLES CHECKSUM-ROUNDS
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 16;

std::mutex order;
std::array<std::condition_variable, kThreads> turn_came;
uint64_t next_record = 0;
std::atomic<uint64_t> handed_out = 0;
std::atomic<bool> stop = false;

[[gnu::noinline]] uint64_t checksum(const std::string& record, int rounds) {
  uint64_t sum = 14695981039346656037U;
  for (int round = 0; round < rounds; ++round) {
    for (const char c : record) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return sum;
}

void work(std::FILE* out, size_t variables, int rounds) {
  while (!stop) {
    const uint64_t record = handed_out++;
    const std::string text = "record " + std::to_string(record) + " with something to say";
    const uint64_t sum = checksum(text, rounds);
    std::unique_lock lock(order);
    turn_came[record % variables].wait(lock, [&] { return next_record == record; });
    std::fprintf(out, "%s %016llx\n", text.c_str(), static_cast<unsigned long long>(sum));
    ++next_record;
    turn_came[next_record % variables].notify_all();
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  std::FILE* out = std::fopen("/dev/null", "w");
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(work, out, std::strtoul(arguments[2], nullptr, 10),
                         std::atoi(arguments[3]));
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(std::strtod(arguments[1], nullptr)));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%f\n", static_cast<double>(next_record) / passed.count());
}
