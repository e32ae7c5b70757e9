// SPDX-License-Identifier: Apache-2.0
// A program whose every wait is known beforehand: the thread that ends it, the context, and the
// count.
//
// Six threads wait in turn: ping and pong for each other through pipes, sleeper for a timer, syncer
// for a disk, client and server for each other over TCP on loopback; two more, far_ping and
// far_pong, do it from two CPUs at once.
//
// Why the counts are exact: all threads except the far pair share one CPU under SCHED_FIFO with one
// priority. A woken thread then runs when the running one blocks and never before, so every read
// finds nothing and blocks. The kernel's own count of a thread's blocks (voluntary switches) is
// printed with it. Without the right to SCHED_FIFO only that count holds; "fifo" says which. The
// threads take over CPU and policy from main, and memory is locked: starting costs no wait.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Counts {
  int pings = 200;
  int sleeps = 20;
  int syncs = 20;
  int echoes = 100;
  std::string file = "/data/workload";
};

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "workload: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int Check(int result, const char* what) {
  if (result < 0) Fail(what);
  return result;
}

// One thread's work, and the causes that must end its waits: `woken_by` is another role, or a
// context if no thread does it.
struct Role {
  const char* name;
  const char* woken_by;
  const char* context;
  int operations = 0;
  bool in_turns = false;
  int tid = 0;
  long blocks = 0;
  long long counted_until_ns = 0;  // of CLOCK_MONOTONIC

  // Runs `work` on a thread of that name.
  std::thread Start(std::function<void()> work) {
    return std::thread([this, work = std::move(work)] {
      pthread_setname_np(pthread_self(), name);
      tid = gettid();
      work();
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      blocks = usage.ru_nvcsw;
      // Two threads that end on two CPUs at once may yet wait for each other.
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      counted_until_ns = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
    });
  }
};

void SendByte(int fd) {
  const char byte = 'x';
  if (write(fd, &byte, 1) != 1) Fail("write");
}

void ReceiveByte(int fd) {
  char byte;
  if (read(fd, &byte, 1) != 1) Fail("read");
}

void PinTo(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  Check(sched_setaffinity(0, sizeof cpus, &cpus), "sched_setaffinity");
}

std::vector<int> AllowedCpus() {
  cpu_set_t allowed;
  Check(sched_getaffinity(0, sizeof allowed, &allowed), "sched_getaffinity");
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

struct Pipe {
  int read_fd;
  int write_fd;
  Pipe() {
    int fds[2];
    Check(pipe(fds), "pipe");
    read_fd = fds[0];
    write_fd = fds[1];
  }
  ~Pipe() {
    close(read_fd);
    close(write_fd);
  }
};

// `answer` first waits for a byte and answers it, `ask` asks and waits: each waits `rounds` times.
// `answer` is started first, from its CPU, so that on one CPU it is asleep before it is asked.
void ExchangeBytes(Role& ask, int ask_in, int ask_out, int ask_cpu, Role& answer, int answer_in,
                   int answer_out, int answer_cpu, int rounds) {
  ask.operations = answer.operations = rounds;
  ask.in_turns = answer.in_turns = ask_cpu == answer_cpu && sched_getscheduler(0) == SCHED_FIFO;
  PinTo(answer_cpu);
  std::thread answering = answer.Start([=] {
    for (int i = 0; i < rounds; ++i) {
      ReceiveByte(answer_in);
      SendByte(answer_out);
    }
  });
  PinTo(ask_cpu);
  std::thread asking = ask.Start([=] {
    for (int i = 0; i < rounds; ++i) {
      SendByte(ask_out);
      ReceiveByte(ask_in);
    }
  });
  asking.join();
  answering.join();
}

void PingPong(Role& ping, int ping_cpu, Role& pong, int pong_cpu, int rounds) {
  const Pipe to_pong;
  const Pipe to_ping;
  ExchangeBytes(ping, to_ping.read_fd, to_pong.write_fd, ping_cpu, pong, to_pong.read_fd,
                to_ping.write_fd, pong_cpu, rounds);
}

// A connection over loopback, made without waiting: the handshake is done when connect returns.
std::pair<int, int> ConnectToSelf() {
  const int listening = Check(socket(AF_INET, SOCK_STREAM, 0), "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  Check(bind(listening, reinterpret_cast<sockaddr*>(&address), length), "bind");
  Check(listen(listening, 1), "listen");
  Check(getsockname(listening, reinterpret_cast<sockaddr*>(&address), &length), "getsockname");
  const int client = Check(socket(AF_INET, SOCK_STREAM, 0), "socket");
  Check(connect(client, reinterpret_cast<sockaddr*>(&address), length), "connect to loopback");
  const int server = Check(accept(listening, nullptr, nullptr), "accept");
  close(listening);
  const int on = 1;
  for (const int fd : {client, server}) {
    Check(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
  }
  return {client, server};
}

void Echo(Role& client, Role& server, int cpu, int rounds) {
  const auto [client_fd, server_fd] = ConnectToSelf();
  ExchangeBytes(client, client_fd, client_fd, cpu, server, server_fd, server_fd, cpu, rounds);
  close(client_fd);
  close(server_fd);
}

void Sleep(Role& sleeper, int sleeps) {
  sleeper.operations = sleeps;
  sleeper
      .Start([sleeps] {
        const timespec pause{.tv_sec = 0, .tv_nsec = 5'000'000};
        for (int i = 0; i < sleeps; ++i) clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
      })
      .join();
}

void WriteAndSync(int fd) {
  static const char page[4096] = {};
  if (pwrite(fd, page, sizeof page, 0) != sizeof page) Fail("write to the file");
  Check(fsync(fd), "fsync");
}

// Returns the disk the file is on. The file has its block on the disk before the counted part
// begins.
dev_t Sync(Role& syncer, const std::string& file, int syncs) {
  syncer.operations = syncs;
  const int fd = Check(open(file.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600), file.c_str());
  WriteAndSync(fd);
  struct stat status {};
  Check(fstat(fd, &status), "fstat");
  syncer
      .Start([fd, syncs] {
        for (int i = 0; i < syncs; ++i) WriteAndSync(fd);
      })
      .join();
  close(fd);
  unlink(file.c_str());
  return status.st_dev;
}

void Print(const std::vector<const Role*>& roles, dev_t disk) {
  std::printf("{\"disk\": {\"major\": %u, \"minor\": %u}, \"threads\": [\n", major(disk),
              minor(disk));
  const char* separator = "";
  for (const Role* role : roles) {
    std::printf("%s  {\"role\": \"%s\", \"tid\": %d, \"woken_by\": \"%s\", \"context\": \"%s\",",
                separator, role->name, role->tid, role->woken_by, role->context);
    std::printf(" \"operations\": %d, \"in_turns\": %s, \"blocks\": %ld,", role->operations,
                role->in_turns ? "true" : "false", role->blocks);
    std::printf(" \"counted_until_ns\": %lld}", role->counted_until_ns);
    separator = ",\n";
  }
  std::printf("\n]}\n");
}

bool ParseCount(std::string_view text, int& count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count >= 0 &&
         count <= 1'000'000;
}

bool ParseOptions(int argc, char** argv, Counts& counts) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc) return false;
    if (option == "--file") {
      counts.file = argv[i + 1];
      continue;
    }
    int* const count = option == "--pings"    ? &counts.pings
                       : option == "--sleeps" ? &counts.sleeps
                       : option == "--syncs"  ? &counts.syncs
                       : option == "--echoes" ? &counts.echoes
                                              : nullptr;
    if (count == nullptr || !ParseCount(argv[i + 1], *count)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  if (!ParseOptions(argc, argv, counts)) {
    std::fprintf(
        stderr,
        "usage: workload [--pings N] [--sleeps N] [--syncs N] [--echoes N] [--file PATH]\n");
    return 2;
  }
  const std::vector<int> cpus = AllowedCpus();
  const int here = cpus.front();
  const int there = cpus.back();
  PinTo(here);
  mlockall(MCL_CURRENT |
           MCL_FUTURE);  // refused without the right to: then a page fault may add a wait
  const sched_param priority{.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO, &priority);  // likewise: in_turns is false then

  Role ping{"ping", "pong", "thread"};
  Role pong{"pong", "ping", "thread"};
  Role far_ping{"far_ping", "far_pong", "thread"};
  Role far_pong{"far_pong", "far_ping", "thread"};
  Role sleeper{"sleeper", "", "timer"};
  Role syncer{"syncer", "", "disk"};
  Role client{"client", "server", "net"};
  Role server{"server", "client", "net"};
  PingPong(ping, here, pong, here, counts.pings);
  PingPong(far_ping, here, far_pong, there, counts.pings);
  PinTo(here);
  Sleep(sleeper, counts.sleeps);
  const dev_t disk = Sync(syncer, counts.file, counts.syncs);
  Echo(client, server, here, counts.echoes);
  Print({&ping, &pong, &far_ping, &far_pong, &sleeper, &syncer, &client, &server}, disk);
  return 0;
}
