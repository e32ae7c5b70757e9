// SPDX-License-Identifier: Apache-2.0
// A cache that writes through to a store; its shards have a lock each. Eight threads write. Prints
// writes a second. usage: cache PORT SHARDS held|before SECONDS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kThreads = 8;
constexpr uint64_t kTenants = 1000;
constexpr uint64_t kHotTenant = 42;

class Store {
 public:
  explicit Store(uint16_t port) : connection_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(connection_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      std::exit(1);
  }

  void Write(uint64_t tenant, uint64_t value) {
    const std::string line = std::to_string(tenant) + " " + std::to_string(value) + "\n";
    if (write(connection_, line.data(), line.size()) < 0) std::exit(1);
    char answer[64];
    for (ssize_t got = 0; got == 0 || answer[got - 1] != '\n';) {
      got = read(connection_, answer, sizeof answer);
      if (got <= 0) std::exit(1);
    }
  }

 private:
  int connection_;
};

struct Shard {
  std::mutex mutex;
  std::unordered_map<uint64_t, uint64_t> values;
};

class Cache {
 public:
  Cache(size_t shards, bool holds) : shards_(shards), holds_(holds) {}

  void Put(Store& store, uint64_t tenant, uint64_t value) {
    Shard& shard = shards_[tenant % shards_.size()];
    if (!holds_) store.Write(tenant, value);
    const std::lock_guard lock(shard.mutex);
    if (holds_) store.Write(tenant, value);
    shard.values[tenant] = value;
  }

 private:
  std::vector<Shard> shards_;
  const bool holds_;
};

std::atomic<bool> stop = false;
std::atomic<uint64_t> done = 0;

void Work(Cache& cache, uint16_t port, unsigned seed) {
  Store store(port);
  std::mt19937_64 random(seed);
  for (uint64_t value = 0; !stop; ++value) {
    cache.Put(store, random() % 5 != 0 ? kHotTenant : random() % kTenants, value);
    ++done;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  Cache cache(std::strtoul(arguments[2], nullptr, 10), std::string_view(arguments[3]) == "held");
  const auto port = static_cast<uint16_t>(std::atoi(arguments[1]));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back(Work, std::ref(cache), port, i);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::strtod(arguments[4], nullptr)));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%f\n", static_cast<double>(done) / passed.count());
}
