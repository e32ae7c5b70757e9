// SPDX-License-Identifier: Apache-2.0
// usage: prices SECONDS plain|fixed|vain
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

static std::shared_mutex lock;
static std::map<int, int> prices;
static std::atomic<bool> over{false};
static std::atomic<long> answered{0};

static int Dial(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<unsigned short>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) exit(1);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

static void Ask(int fd) {
  char answer[100];
  if (write(fd, "get\n", 4) != 4 || read(fd, answer, sizeof answer) <= 0) exit(1);
}

static std::map<int, int> Parse(int entries, int version) {
  std::map<int, int> parsed;
  for (int i = 0; i < entries; i++) parsed[(i * 7919) % 100003] = i + version;
  return parsed;
}

static void Lookup(unsigned seed) {
  prctl(PR_SET_NAME, "lookup");
  const int stock = Dial(21452);
  while (!over) {
    {
      const std::shared_lock held(lock);
      long sum = 0;
      for (int i = 0; i < 50; i++) {
        seed = seed * 1664525 + 1013904223;
        const auto found = prices.lower_bound(static_cast<int>(seed % 100003));
        if (found != prices.end()) sum += found->second;
      }
      answered += sum >= 0 ? 1 : 0;
    }
    Ask(stock);  // is there any left?
  }
}

static void Reload(int entries, bool fetch_first) {
  prctl(PR_SET_NAME, "reloader");
  const int lists = Dial(21451);
  for (int version = 0; !over; version++) {
    if (fetch_first) {
      Ask(lists);
      auto parsed = Parse(entries, version);
      const std::unique_lock held(lock);
      prices.swap(parsed);
    } else {
      const std::unique_lock held(lock);
      Ask(lists);
      prices = Parse(entries, version);
    }
    usleep(4000);
  }
}

int main(int, char** argv) {
  const std::string variant = argv[2];
  prices = Parse(1000, 0);
  std::vector<std::thread> threads;
  threads.emplace_back(Reload, variant == "vain" ? 500 : 1000, variant == "fixed");
  for (unsigned i = 0; i < 8; i++) threads.emplace_back(Lookup, i);
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(atof(argv[1])));
  const long done = answered;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  printf("%.1f\n", static_cast<double>(done) / took.count());
  fflush(stdout);
  over = true;
  for (auto& thread : threads) thread.join();
}
