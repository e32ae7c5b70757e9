// SPDX-License-Identifier: Apache-2.0
// A small program with a known bottleneck: Figure 1 of the wPerf paper.
//
// Thread A takes a request (2 ms of work) and puts it into a queue that holds eight; thread B takes
// it out, works 5 ms on it, logs it and syncs the log to disk, about 5 ms. B and the disk never
// work at the same time: together they take 10 ms a request, although neither is busy more than
// half the time, and A waits for most of its life without being to blame.
//
// With --async the cure: B hands the log to a thread of its own, which syncs while B works on the
// next request.
//
// usage: figure1 [--async] [SECONDS [LOGFILE]]
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr uint64_t kNsPerMs = 1'000'000;
constexpr size_t kQueueLimit = 8;
constexpr size_t kLogChunkBytes = 64 * 1024;
constexpr off_t kLogBytes = 16 << 20;

uint64_t NowNs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000ull + now.tv_nsec;
}

// Works for this much CPU time, regardless of other users of the CPU.
void Work(uint64_t work_ns) {
  const uint64_t end_ns = NowNs(CLOCK_THREAD_CPUTIME_ID) + work_ns;
  while (NowNs(CLOCK_THREAD_CPUTIME_ID) < end_ns) {
  }
}

class BoundedQueue {
 public:
  void Put(int request) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return requests_.size() < kQueueLimit; });
    requests_.push_back(request);
    not_empty_.notify_one();
  }
  int Take() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return !requests_.empty(); });
    const int request = requests_.front();
    requests_.pop_front();
    not_full_.notify_one();
    return request;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<int> requests_;
};

class Log {
 public:
  explicit Log(const char* path)
      : chunk_(kLogChunkBytes, 'x'), fd_(open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {
    if (fd_ < 0) {
      std::fprintf(stderr, "figure1: cannot write %s: %s\n", path, strerror(errno));
      std::exit(1);
    }
    unlink(path);
  }
  ~Log() { close(fd_); }

  // The syncs of one request last about this long, even on a fast disk.
  void SyncFor(uint64_t span_ns) {
    const uint64_t end_ns = NowNs(CLOCK_MONOTONIC) + span_ns;
    do {
      if (pwrite(fd_, chunk_.data(), chunk_.size(), at_) < 0 || fdatasync(fd_) < 0) {
        std::fprintf(stderr, "figure1: cannot write the log: %s\n", strerror(errno));
        std::exit(1);
      }
      at_ = (at_ + static_cast<off_t>(chunk_.size())) % kLogBytes;
    } while (NowNs(CLOCK_MONOTONIC) < end_ns);
  }

 private:
  std::vector<char> chunk_;
  int fd_;
  off_t at_ = 0;
};

constexpr int kEnd = -1;

void RunA(BoundedQueue& queue, uint64_t end_ns) {
  pthread_setname_np(pthread_self(), "A");
  for (int request = 0; NowNs(CLOCK_MONOTONIC) < end_ns; ++request) {
    Work(2 * kNsPerMs);
    queue.Put(request);
  }
  queue.Put(kEnd);
}

// Logs every request that comes through the queue.
void RunLogger(BoundedQueue& queue, Log& log) {
  pthread_setname_np(pthread_self(), "logger");
  while (queue.Take() != kEnd) log.SyncFor(5 * kNsPerMs);
}

int RunB(BoundedQueue& queue, Log& log, bool async) {
  pthread_setname_np(pthread_self(), "B");
  BoundedQueue to_log;
  std::thread logger;
  if (async) logger = std::thread([&] { RunLogger(to_log, log); });
  int served = 0;
  while (queue.Take() != kEnd) {
    Work(5 * kNsPerMs);
    if (async) {
      to_log.Put(served);
    } else {
      log.SyncFor(5 * kNsPerMs);
    }
    ++served;
  }
  if (async) {
    to_log.Put(kEnd);
    logger.join();
  }
  return served;
}

}  // namespace

int main(int argc, char** argv) {
  const bool async = argc > 1 && strcmp(argv[1], "--async") == 0;
  if (async) {
    --argc;
    ++argv;
  }
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5;
  if (argc > 3 || seconds <= 0) {
    std::fprintf(stderr, "usage: figure1 [--async] [SECONDS [LOGFILE]]\n");
    return 2;
  }
  const char* path = argc > 2 ? argv[2] : "figure1.log";
  Log log(path);
  BoundedQueue queue;
  const uint64_t start_ns = NowNs(CLOCK_MONOTONIC);
  const uint64_t end_ns = start_ns + static_cast<uint64_t>(seconds * 1e9);
  int served = 0;
  std::thread a([&] { RunA(queue, end_ns); });
  std::thread b([&] { served = RunB(queue, log, async); });
  a.join();
  b.join();
  const double took = (NowNs(CLOCK_MONOTONIC) - start_ns) / 1e9;
  std::printf("figure1: %d requests in %.1f s, %.0f per second\n", served, took, served / took);
  return 0;
}
