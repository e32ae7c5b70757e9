// SPDX-License-Identifier: Apache-2.0
// A table of rates: readers use it while they ask a service, an updater writes what a feed tells.
// Prints updates a second. usage: table FEED_PORT RATES_PORT held|copied ROUNDS SECONDS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

constexpr int kReaders = 3;

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
std::array<uint64_t, 1024> rates = {};
std::atomic<uint64_t> updates = 0;

int Dial(uint16_t port) {
  const int connection = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(1);
  return connection;
}

void Ask(int connection, uint64_t about) {
  char line[32];
  const int length =
      std::snprintf(line, sizeof line, "%llu\n", static_cast<unsigned long long>(about));
  if (write(connection, line, static_cast<size_t>(length)) < 0) std::exit(1);
  if (read(connection, line, sizeof line) <= 0) std::exit(1);
}

void Read(uint16_t port, bool holds) {
  pthread_setname_np(pthread_self(), "reader");
  const int service = Dial(port);
  uint64_t random = static_cast<uint64_t>(service);
  for (size_t at = 0;; at = (at + 7) % rates.size()) {
    pthread_rwlock_rdlock(&lock);
    const uint64_t rate = rates[at];
    if (!holds) pthread_rwlock_unlock(&lock);
    Ask(service, rate);
    if (holds) pthread_rwlock_unlock(&lock);
    // Not the same time always: else the readers' turns might stay in step and never overlap.
    random = random * 6364136223846793005U + 1442695040888963407U;
    std::this_thread::sleep_for(std::chrono::microseconds(500 + (random >> 33) % 1000));
  }
}

void Update(uint16_t port, int rounds) {
  pthread_setname_np(pthread_self(), "updater");
  const int feed = Dial(port);
  for (uint64_t number = 0;; ++number) {
    Ask(feed, number);
    pthread_rwlock_wrlock(&lock);
    for (int i = 0; i < rounds; ++i) {
      uint64_t& rate = rates[static_cast<size_t>(i) % rates.size()];
      rate = rate * 6364136223846793005U + number;
    }
    pthread_rwlock_unlock(&lock);
    ++updates;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) return 2;
  const bool holds = std::string_view(arguments[3]) == "held";
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kReaders; ++i)
    std::thread(Read, static_cast<uint16_t>(std::atoi(arguments[2])), holds).detach();
  std::thread(Update, static_cast<uint16_t>(std::atoi(arguments[1])), std::atoi(arguments[4]))
      .detach();
  std::this_thread::sleep_for(std::chrono::duration<double>(std::strtod(arguments[5], nullptr)));
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%f\n", static_cast<double>(updates) / passed.count());
  std::fflush(stdout);
  _exit(0);
}
