// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/puppets/puppets.h"

namespace gordian::puppets {
namespace {

// One thing to wait for: how the waiter does it, and how the helper ends it once the waiter sleeps.
struct Station {
  std::function<void()> wait;
  std::function<void()> end;
};

using Numbers = std::map<std::string, uint64_t>;

uint64_t InodeOf(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) Fail("fstat");
  return status.st_ino;
}

void WriteOne(int fd) {
  const uint64_t one = 1;  // as an eventfd wants it
  if (write(fd, &one, sizeof(one)) != sizeof(one)) Fail("write");
}

void ReadOne(int fd) {
  uint64_t one = 0;
  if (read(fd, &one, sizeof(one)) != sizeof(one)) Fail("read");
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) Fail("pipe2");
    read_end = ends[0];
    write_end = ends[1];
  }
  int read_end = -1;
  int write_end = -1;
};

void WaitOnFutex(std::atomic<uint32_t>& word, int flags) {
  while (word.load() == 0) syscall(SYS_futex, &word, FUTEX_WAIT | flags, 0, nullptr, nullptr, 0);
}

void WakeOfFutex(std::atomic<uint32_t>& word, int flags) {
  word.store(1);
  syscall(SYS_futex, &word, FUTEX_WAKE | flags, 1, nullptr, nullptr, 0);
}

void AddFutexes(std::vector<Station>& stations, Numbers& numbers) {
  static std::atomic<uint32_t> own{0};
  static std::atomic<uint32_t> shared{0};
  numbers["futex_address"] = reinterpret_cast<uintptr_t>(&own);
  numbers["shared_futex_address"] = reinterpret_cast<uintptr_t>(&shared);
  stations.push_back(
      {[] { WaitOnFutex(own, FUTEX_PRIVATE_FLAG); }, [] { WakeOfFutex(own, FUTEX_PRIVATE_FLAG); }});
  stations.push_back({[] { WaitOnFutex(shared, 0); }, [] { WakeOfFutex(shared, 0); }});
}

void AddPipesAndUnixSockets(std::vector<Station>& stations, Numbers& numbers) {
  const Pipe pipe;
  numbers["pipe_inode"] = InodeOf(pipe.read_end);
  stations.push_back({[pipe] { ReadOne(pipe.read_end); }, [pipe] { WriteOne(pipe.write_end); }});
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) Fail("socketpair");
  numbers["unix_socket_inode"] = InodeOf(pair[0]);
  stations.push_back({[pair] { ReadOne(pair[0]); }, [pair] { WriteOne(pair[1]); }});
}

// A listener on a port of the loopback interface, and a connection to it that the helper makes.
void AddTcp(std::vector<Station>& stations, Numbers& numbers) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  static sockaddr_in server_address{};
  static sockaddr_in client_address{};
  for (sockaddr_in* address : {&server_address, &client_address}) {
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(*address);
    auto* any_address = reinterpret_cast<sockaddr*>(address);
    const int fd = address == &server_address ? listener : client;
    if (bind(fd, any_address, length) != 0 || getsockname(fd, any_address, &length) != 0)
      Fail("binding to loopback");
  }
  if (listen(listener, 1) != 0) Fail("listen");
  numbers["server_port"] = ntohs(server_address.sin_port);
  numbers["client_port"] = ntohs(client_address.sin_port);
  static int connection = -1;
  stations.push_back({[listener] { connection = accept(listener, nullptr, nullptr); },
                      [client] {
                        if (connect(client, reinterpret_cast<sockaddr*>(&server_address),
                                    sizeof(server_address)) != 0)
                          Fail("connect");
                      }});
  stations.push_back({[] { ReadOne(connection); }, [client] { WriteOne(client); }});
}

void AddEpollAndEventFd(std::vector<Station>& stations, Numbers& numbers) {
  const int event_fd = eventfd(0, EFD_CLOEXEC);
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN, .data = {}};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event_fd, &event) != 0) Fail("epoll_ctl");
  numbers["eventfd"] = event_fd;
  numbers["epoll"] = epoll_fd;
  stations.push_back({[epoll_fd, event_fd] {
                        epoll_event ready{};
                        if (epoll_wait(epoll_fd, &ready, 1, -1) != 1) Fail("epoll_wait");
                        ReadOne(event_fd);
                      },
                      [event_fd] { WriteOne(event_fd); }});
  stations.push_back({[event_fd] { ReadOne(event_fd); }, [event_fd] { WriteOne(event_fd); }});
}

void AddPolls(std::vector<Station>& stations, Numbers& numbers) {
  const Pipe first;
  const Pipe second;
  numbers["polled_pipe_inode"] = InodeOf(first.read_end);
  const auto end = [first] { WriteOne(first.write_end); };
  for (const nfds_t count : {nfds_t{1}, nfds_t{2}}) {
    stations.push_back({[first, second, count] {
                          std::array<pollfd, 2> polled = {pollfd{first.read_end, POLLIN, 0},
                                                          pollfd{second.read_end, POLLIN, 0}};
                          if (poll(polled.data(), count, -1) != 1) Fail("poll");
                          ReadOne(first.read_end);
                        },
                        end});
  }
  stations.push_back({[first, second] {
                        fd_set readers, writers;
                        FD_ZERO(&readers);
                        FD_ZERO(&writers);
                        FD_SET(first.read_end, &readers);
                        FD_SET(second.read_end, &readers);
                        const int highest = std::max(first.read_end, second.read_end);
                        if (select(highest + 1, &readers, &writers, nullptr, nullptr) != 1)
                          Fail("select");
                        ReadOne(first.read_end);
                      },
                      end});
}

// The child ends when the helper tells it to.
void AddChild(std::vector<Station>& stations, Numbers& numbers) {
  const Pipe pipe;
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) {
    ReadOne(pipe.read_end);
    _exit(0);
  }
  numbers["child"] = child;
  stations.push_back({[child] {
                        if (waitpid(child, nullptr, 0) != child) Fail("waitpid");
                      },
                      [pipe] { WriteOne(pipe.write_end); }});
}

void Sleep(const Options& options) {
  const timespec period{0, static_cast<long>(options.period_us) * 1000};
  nanosleep(&period, nullptr);
  const timespec twice{0, static_cast<long>(options.period_us) * 2000};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &twice, nullptr);
  timespec later{};
  clock_gettime(CLOCK_MONOTONIC, &later);
  later.tv_sec += 1;
  later.tv_nsec = 0;
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &later, nullptr);
}

// Waits for a disk cannot be controlled: some of these syncs and faults will sleep.
void UseFile(const std::string& path, uint64_t rounds) {
  constexpr size_t kBytes = 1 << 20;
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) Fail("making " + path);
  const std::vector<char> content(kBytes, 'g');
  for (uint64_t round = 0; round < rounds; ++round) {
    if (pwrite(fd, content.data(), kBytes, 0) != ssize_t{kBytes}) Fail("pwrite");
    if (fdatasync(fd) != 0) Fail("fdatasync");
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    void* mapped = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) Fail("mmap");
    const auto* bytes = static_cast<const volatile char*>(mapped);
    for (size_t at = 0; at < kBytes; at += kBytes / 4) static_cast<void>(bytes[at]);
    munmap(mapped, kBytes);
  }
  close(fd);
}

}  // namespace

// One thread waits once for each kind of thing, until another ends that wait; then it sleeps, syncs
// a file and touches pages of it that are not in memory. The report tells each thing. The file
// stays: its name is wait-objects-PID.
Report WaitObjects(const Options& options) {
  std::vector<Station> stations;
  Report report;
  AddFutexes(stations, report.numbers);
  AddPipesAndUnixSockets(stations, report.numbers);
  AddTcp(stations, report.numbers);
  AddEpollAndEventFd(stations, report.numbers);
  AddPolls(stations, report.numbers);
  AddChild(stations, report.numbers);
  struct stat folder {};
  if (stat(options.directory.c_str(), &folder) != 0) Fail("stat of " + options.directory);
  report.numbers["device_major"] = major(folder.st_dev);
  const std::string path = options.directory + "/wait-objects-" + std::to_string(getpid());
  const auto waiter = [&](ActorRecord& self, const std::vector<ActorRecord*>&) {
    const Window window(self);
    for (const Station& station : stations) station.wait();
    Sleep(options);
    UseFile(path, options.rounds);
  };
  const auto helper = [&](ActorRecord&, const std::vector<ActorRecord*>& all) {
    SleepWatch watch(*all[0]);
    for (const Station& station : stations) {
      watch.AwaitAsleep();
      station.end();
    }
  };
  report.actors =
      RunActors({{"waiter", options.cpus.at(0), waiter}, {"helper", options.cpus.at(1), helper}},
                ActorsAre::kThreads);
  report.wakes_are_exact = false;
  return report;
}

}  // namespace gordian::puppets
