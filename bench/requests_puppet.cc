// SPDX-License-Identifier: Apache-2.0
// A server over loopback that knows where the time of its requests went, to compare with what
// gordian requests tells (bench/requests_accuracy).
//
// usage: requests_puppet MODE SECONDS CLIENTS
//   serial   one thread serves all connections
//   locked   a thread for each connection; half of the requests need a lock that all share
//   pool     one thread reads, four workers answer what it puts into a queue
//   nested   a thread for each connection, which asks a second server for each request
// Prints the port of the server, then a line for each request:
//   CLIENT_PORT ASKED_NS ANSWERED_NS WORK_NS LOCK_NS PEER_NS QUEUE_NS
// in CLOCK_MONOTONIC: when the client sent it, when the answer was sent, and of that time what the
// server saw itself: its own work, waiting for the lock, for the second server, and in the queue.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <exception>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace gordian {
namespace {

constexpr int kWorkers = 4;
constexpr uint64_t kServerWorkNs = 100'000;
constexpr uint64_t kHeldNs = 300'000;
constexpr uint64_t kPeerWorkNs = 400'000;

uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  std::_Exit(1);
}

// Its own work, as long as a clock says.
void Compute(uint64_t for_ns) {
  for (const uint64_t end_ns = Now() + for_ns; Now() < end_ns;) {
  }
}

struct Question {
  uint64_t asked_ns = 0;
  uint64_t number = 0;
};

struct Truth {
  uint16_t client_port = 0;
  uint64_t asked_ns = 0;
  uint64_t answered_ns = 0;
  uint64_t work_ns = 0;
  uint64_t lock_ns = 0;
  uint64_t peer_ns = 0;
  uint64_t queue_ns = 0;
};

std::mutex truths_mutex;
std::vector<Truth> truths;

bool ReadQuestion(int fd, Question& question) {
  return recv(fd, &question, sizeof(question), MSG_WAITALL) == ssize_t{sizeof(question)};
}

void SendQuestion(int fd, const Question& question) {
  if (send(fd, &question, sizeof(question), MSG_NOSIGNAL) < 0) Die("send");
}

uint16_t PortOfPeer(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

void AnswerQuestion(int fd, const Question& question, Truth truth) {
  truth.client_port = PortOfPeer(fd);
  truth.asked_ns = question.asked_ns;
  truth.answered_ns = Now();
  SendQuestion(fd, question);
  const std::lock_guard lock(truths_mutex);
  truths.push_back(truth);
}

int Listen(uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (bind(listener, generic, size) != 0 || listen(listener, 128) != 0 ||
      getsockname(listener, generic, &size) != 0)
    Die("listen");
  port = ntohs(address.sin_port);
  return listener;
}

int Connect(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Die("connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

// A process of its own: each of its threads asks, thinks, and asks again.
void RunClients(uint16_t port, int clients, uint64_t for_ns) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(clients));
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([=] {
      std::minstd_rand random(static_cast<uint32_t>(client + 1));
      const int fd = Connect(port);
      const uint64_t end_ns = Now() + for_ns;
      for (Question question; Now() < end_ns; ++question.number) {
        usleep(random() % 4'000);
        question.asked_ns = Now();
        SendQuestion(fd, question);
        Question answer;
        if (!ReadQuestion(fd, answer)) break;
      }
      close(fd);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The second server: a process of its own as well.
void RunPeer(int listener) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "peer");
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    std::thread([fd] {
      for (Question question; ReadQuestion(fd, question);) {
        Compute(kPeerWorkNs);
        SendQuestion(fd, question);
      }
      close(fd);
    }).detach();
  }
}

std::mutex shared_lock;

void ServeOne(int fd, const Question& question, bool needs_lock, int peer) {
  Truth truth;
  Compute(kServerWorkNs);
  truth.work_ns += kServerWorkNs;
  if (needs_lock) {
    const uint64_t before_ns = Now();
    const std::lock_guard lock(shared_lock);
    truth.lock_ns = Now() - before_ns;
    Compute(kHeldNs);
    truth.work_ns += kHeldNs;
  }
  if (peer >= 0) {
    const uint64_t before_ns = Now();
    SendQuestion(peer, question);
    Question answer;
    ReadQuestion(peer, answer);
    truth.peer_ns = Now() - before_ns;
  }
  AnswerQuestion(fd, question, truth);
}

void ServeConnections(int listener, bool locked, uint16_t peer_port) {
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    std::thread([=] {
      prctl(PR_SET_NAME, "connection");
      const int peer = peer_port == 0 ? -1 : Connect(peer_port);
      for (Question question; ReadQuestion(fd, question);)
        ServeOne(fd, question, locked && question.number % 2 == 0, peer);
      close(fd);
      if (peer >= 0) close(peer);
    }).detach();
  }
}

struct Job {
  int fd = -1;
  Question question;
  uint64_t read_ns = 0;
};

std::mutex queue_mutex;
std::condition_variable queue_filled;
std::deque<Job> jobs;

void RunWorker() {
  prctl(PR_SET_NAME, "worker");
  for (;;) {
    Job job;
    {
      std::unique_lock lock(queue_mutex);
      queue_filled.wait(lock, [] { return !jobs.empty(); });
      job = jobs.front();
      jobs.pop_front();
    }
    Truth truth{.work_ns = kServerWorkNs + kHeldNs, .queue_ns = Now() - job.read_ns};
    Compute(kServerWorkNs + kHeldNs);
    AnswerQuestion(job.fd, job.question, truth);
  }
}

// One thread reads all connections; it answers itself, or has workers do that.
void ServeTogether(int listener, bool with_workers) {
  if (with_workers)
    for (int worker = 0; worker < kWorkers; ++worker) std::thread(RunWorker).detach();
  std::vector<pollfd> descriptors = {{.fd = listener, .events = POLLIN, .revents = 0}};
  for (;;) {
    if (poll(descriptors.data(), descriptors.size(), -1) < 0) continue;
    for (size_t i = descriptors.size(); i-- > 0;) {
      if (descriptors[i].revents == 0) continue;
      if (i == 0) {
        const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        descriptors.push_back({.fd = fd, .events = POLLIN, .revents = 0});
        continue;
      }
      Job job{.fd = descriptors[i].fd};
      if (!ReadQuestion(job.fd, job.question)) {
        descriptors.erase(descriptors.begin() + static_cast<ptrdiff_t>(i));
        continue;
      }
      if (!with_workers) {
        ServeOne(job.fd, job.question, false, -1);
        continue;
      }
      job.read_ns = Now();
      const std::lock_guard lock(queue_mutex);
      jobs.push_back(job);
      queue_filled.notify_one();
    }
  }
}

int PlayRequests(const std::string& mode, int seconds, int clients) {
  uint16_t port = 0;
  uint16_t peer_port = 0;
  const int listener = Listen(port);
  if (mode == "nested") {
    const int peer_listener = Listen(peer_port);
    if (fork() == 0) RunPeer(peer_listener);
  }
  std::printf("%d\n", port);
  std::fflush(stdout);
  const pid_t asking = fork();
  if (asking == 0) {
    RunClients(port, clients, static_cast<uint64_t>(seconds) * 1'000'000'000);
    std::_Exit(0);
  }
  std::thread([=] {
    const bool together = mode == "serial" || mode == "pool";
    together ? ServeTogether(listener, mode == "pool")
             : ServeConnections(listener, mode == "locked", peer_port);
  }).detach();
  waitpid(asking, nullptr, 0);
  const std::lock_guard lock(truths_mutex);
  for (const Truth& truth : truths)
    std::printf("%d %llu %llu %llu %llu %llu %llu\n", truth.client_port,
                static_cast<unsigned long long>(truth.asked_ns),
                static_cast<unsigned long long>(truth.answered_ns),
                static_cast<unsigned long long>(truth.work_ns),
                static_cast<unsigned long long>(truth.lock_ns),
                static_cast<unsigned long long>(truth.peer_ns),
                static_cast<unsigned long long>(truth.queue_ns));
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::fprintf(stderr, "usage: requests_puppet serial|locked|pool|nested SECONDS CLIENTS\n");
    return 2;
  }
  return gordian::PlayRequests(argv[1], std::atoi(argv[2]), std::atoi(argv[3]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "requests_puppet: %s\n", error.what());
  return 1;
}
