// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/dense_load.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian::testing {
namespace {

[[noreturn]] void GiveUp(const char* what) {
  std::fprintf(stderr, "dense load: %s: %s\n", what, std::strerror(errno));
  std::abort();
}

int Must(int result, const char* what) {
  if (result < 0) GiveUp(what);
  return result;
}

void StayOn(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  Must(sched_setaffinity(0, sizeof cpus, &cpus), "sched_setaffinity");
}

void PassByte(int fd) {
  const char byte = 'x';
  if (write(fd, &byte, 1) != 1) GiveUp("write");
}

void TakeByte(int fd) {
  char byte;
  if (read(fd, &byte, 1) != 1) GiveUp("read");
}

// 'S' asleep, 'R' running, …
char StateOf(int32_t tid) {
  std::ifstream file(absl::StrCat("/proc/self/task/", tid, "/stat"));
  std::string text;
  std::getline(file, text);
  const size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '?' : text[name_end + 2];
}

// Of its own will and against it.
uint64_t SwitchesOf(int32_t tid) {
  std::ifstream file(absl::StrCat("/proc/self/task/", tid, "/status"));
  uint64_t sum = 0;
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find("_ctxt_switches:");
    if (colon != std::string::npos)
      sum += std::strtoull(line.c_str() + line.find('\t'), nullptr, 10);
  }
  return sum;
}

}  // namespace

BusyCpus::BusyCpus() {
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); ++cpu) {
    threads_.emplace_back([this, cpu] {
      StayOn(cpu);
      while (!enough_) {
      }
    });
  }
}

BusyCpus::~BusyCpus() {
  enough_ = true;
  for (std::thread& thread : threads_) thread.join();
}

// Threads sleep in a read until the other end is closed.
struct DenseLoad::Gate {
  int fds[2];
  Gate() { Must(pipe(fds), "pipe"); }
  ~Gate() {
    Open();
    close(fds[0]);
  }
  void Open() {
    if (fds[1] >= 0) close(std::exchange(fds[1], -1));
  }
  void Wait() const {
    char byte;
    while (read(fds[0], &byte, 1) < 0) {
    }
  }
};

struct DenseLoad::Worker {
  std::atomic<int32_t> tid{0};
  std::atomic<int> gate{0};  // the one it has come to
  std::thread thread;
};

DenseLoad::DenseLoad(const DenseLoadOptions& options)
    : rounds_(options.rounds), begin_(std::make_unique<Gate>()), end_(std::make_unique<Gate>()) {
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  const int cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::mt19937_64 random(options.seed);
  for (int cpu = 0; cpu < cpus; ++cpu) {
    AddPingPong(cpu);
    AddTimer(cpu, random());
    AddTimer(cpu, random());
    AddSender(cpu);
    AddInterrupter(cpu);
  }
  AddForker(cpus - 1);
  AddWriter(0, options.directory);
  AwaitAll(1);
}

DenseLoad::~DenseLoad() {
  begin_->Open();
  end_->Open();
  for (const auto& worker : workers_) worker->thread.join();
}

void DenseLoad::Add(int cpu, std::function<void()> work) {
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.thread = std::thread([this, cpu, &worker, work = std::move(work)] {
    StayOn(cpu);
    prctl(PR_SET_TIMERSLACK, 1);
    worker.tid = gettid();
    worker.gate = 1;
    begin_->Wait();
    work();
    worker.gate = 2;
    end_->Wait();
  });
}

void DenseLoad::AwaitAll(int gate) const {
  for (const auto& worker : workers_) {
    while (worker->gate < gate || StateOf(worker->tid) != 'S') usleep(1000);
  }
}

void DenseLoad::Run() {
  switches_before_ = SwitchesSoFar();
  begin_->Open();
  AwaitAll(2);
  switches_after_ = SwitchesSoFar();
}

std::map<int32_t, uint64_t> DenseLoad::SwitchesSoFar() const {
  std::map<int32_t, uint64_t> switches;
  for (const int32_t tid : tids()) switches[tid] = SwitchesOf(tid);
  return switches;
}

std::map<int32_t, uint64_t> DenseLoad::switches() const {
  std::map<int32_t, uint64_t> switches = switches_after_;
  for (auto& [tid, count] : switches) count -= switches_before_.at(tid);
  return switches;
}

std::vector<int32_t> DenseLoad::tids() const {
  std::vector<int32_t> tids;
  for (const auto& worker : workers_) tids.push_back(worker->tid);
  return tids;
}

// Both on one CPU: whoever waits is asleep before it is woken.
void DenseLoad::AddPingPong(int cpu) {
  const auto there = std::make_shared<Gate>();
  const auto back = std::make_shared<Gate>();
  ++busy_pairs_;
  Add(cpu, [this, there, back] {
    for (uint64_t i = 0; i < rounds_; ++i) {
      PassByte(there->fds[1]);
      TakeByte(back->fds[0]);
    }
    --busy_pairs_;
  });
  Add(cpu, [this, there, back] {
    for (uint64_t i = 0; i < rounds_; ++i) {
      TakeByte(there->fds[0]);
      PassByte(back->fds[1]);
    }
  });
}

void DenseLoad::AddTimer(int cpu, uint64_t seed) {
  Add(cpu, [this, seed] {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<long> pause_ns(10'000, 120'000);
    while (busy_pairs_ > 0) {
      const timespec pause{.tv_sec = 0, .tv_nsec = pause_ns(random)};
      clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
    }
  });
}

// Sends to itself, and makes a call between.
void DenseLoad::AddSender(int cpu) {
  const int fd = Must(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  Must(bind(fd, reinterpret_cast<sockaddr*>(&address), length), "bind");
  Must(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
  Must(connect(fd, reinterpret_cast<sockaddr*>(&address), length), "connect");
  Add(cpu, [this, fd] {
    char payload[kPayloadBytes] = {};
    while (busy_pairs_ > 0) {
      if (send(fd, payload, sizeof payload, 0) != sizeof payload) GiveUp("send");
      ++packets_;
      if (recv(fd, payload, sizeof payload, 0) != sizeof payload) GiveUp("recv");
      for (int i = 0; i < 4; ++i) {
        syscall(SYS_getppid);
        ++calls_;
      }
      sched_yield();
    }
    close(fd);
  });
}

void DenseLoad::AddForker(int cpu) {
  Add(cpu, [this] {
    forker_tid_ = gettid();
    while (busy_pairs_ > 0) {
      const pid_t child = Must(fork(), "fork");
      if (child == 0) _exit(0);
      ++forks_;
      if (waitpid(child, nullptr, 0) != child) GiveUp("waitpid");
    }
  });
}

// Interrupts the other CPUs that run threads of this process.
void DenseLoad::AddInterrupter(int cpu) {
  Add(cpu, [this] {
    while (busy_pairs_ > 0) {
      syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
      sched_yield();
    }
  });
}

void DenseLoad::AddWriter(int cpu, const std::string& directory) {
  const std::string path = directory + "/dense-load";
  const int fd = Must(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), path.c_str());
  unlink(path.c_str());
  Add(cpu, [this, fd] {
    static const char page[4096] = {};
    while (busy_pairs_ > 0) {
      if (pwrite(fd, page, sizeof page, 0) != sizeof page) GiveUp("pwrite");
      Must(fdatasync(fd), "fdatasync");
    }
    close(fd);
  });
}

}  // namespace gordian::testing
