// SPDX-License-Identifier: Apache-2.0
// usage: feed SECONDS LINGER_US BATCHERS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

constexpr size_t kBatch = 100;
struct Record {
  bool stored = false;
};
static std::mutex mutex;
static std::condition_variable arrived;
static std::condition_variable stored;
static std::deque<Record*> queue;
static std::atomic<bool> over{false};
static std::atomic<long> done{0};

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

static void Produce() {
  prctl(PR_SET_NAME, "producer");
  volatile unsigned made = 1;
  while (!over) {
    for (int i = 0; i < 20000; i++) made = made * 1664525 + 1013904223;
    Record record;
    std::unique_lock held(mutex);
    queue.push_back(&record);
    arrived.notify_one();
    stored.wait(held, [&record] { return record.stored || over; });
    done++;
  }
}

static void Batch(int linger_us) {
  prctl(PR_SET_NAME, "batcher");
  const int broker = Dial(21541);
  std::unique_lock held(mutex);
  while (!over) {
    arrived.wait(held, [] { return !queue.empty() || over; });
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(linger_us);
    while (queue.size() < kBatch && arrived.wait_until(held, until) == std::cv_status::no_timeout) {
    }
    std::deque<Record*> batch;
    batch.swap(queue);
    if (batch.empty()) continue;
    held.unlock();
    char answer[100];
    if (write(broker, "store\n", 6) != 6 || read(broker, answer, sizeof answer) <= 0) exit(1);
    held.lock();
    for (Record* record : batch) record->stored = true;
    stored.notify_all();
  }
}

int main(int, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 0; i < atoi(argv[3]); i++) threads.emplace_back(Batch, atoi(argv[2]));
  for (int i = 0; i < 8; i++) threads.emplace_back(Produce);
  std::this_thread::sleep_for(std::chrono::duration<double>(atof(argv[1])));
  printf("%.1f\n", static_cast<double>(done) / atof(argv[1]));
  fflush(stdout);
  _exit(0);
}
