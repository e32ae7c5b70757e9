// SPDX-License-Identifier: Apache-2.0
#include "tests/puppets/actor.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <thread>

namespace gordian::puppets {
namespace {

struct SwitchCounts {
  uint64_t voluntary = 0;
  uint64_t involuntary = 0;
  bool operator==(const SwitchCounts&) const = default;
};

SwitchCounts ReadSwitchCounts() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) Fail("getrusage");
  return {static_cast<uint64_t>(usage.ru_nvcsw), static_cast<uint64_t>(usage.ru_nivcsw)};
}

struct Stamp {
  uint64_t time_ns = 0;
  SwitchCounts counts;
};

// Repeated until no switch happened around it; each try takes a microsecond, a time slice
// milliseconds.
Stamp TakeStamp() {
  for (;;) {
    Stamp stamp;
    stamp.counts = ReadSwitchCounts();
    stamp.time_ns = NowNs();
    if (ReadSwitchCounts() == stamp.counts) return stamp;
  }
}

// A thread born from here on is real-time from birth. A thread that became real-time later would be
// kept from its CPU by those that already are and wait for it.
void BecomeRealTime() {
  const sched_param lowest{.sched_priority = 1};
  sched_setscheduler(0, SCHED_FIFO,
                     &lowest);  // without the right to it all goes as well, only slower
}

void Play(const Actor& actor, ActorRecord& self, const std::vector<ActorRecord*>& all) {
  prctl(PR_SET_NAME, actor.role.c_str());
  if (actor.cpu >= 0) Pin(actor.cpu);
  self.tid = ThreadId();
  self.tgid = getpid();
  self.ready.store(true);
  for (const ActorRecord* other : all) SpinUntil([other] { return other->ready.load(); });
  actor.body(self, all);
}

void RunThreads(const std::vector<Actor>& actors, const std::vector<ActorRecord*>& records) {
  std::vector<std::thread> threads;
  for (size_t at = 0; at < actors.size(); ++at) {
    threads.emplace_back([&, at] { Play(actors[at], *records[at], records); });
  }
  for (std::thread& thread : threads) thread.join();
}

void RunProcesses(const std::vector<Actor>& actors, const std::vector<ActorRecord*>& records) {
  std::vector<pid_t> children;
  const pid_t puppet = getpid();
  for (size_t at = 0; at < actors.size(); ++at) {
    const pid_t child = fork();
    if (child < 0) Fail("fork");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // alone, an actor would wait for its partner for ever
      if (getppid() != puppet) _exit(1);
      Play(actors[at], *records[at], records);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) Fail("an actor ended badly");
  }
}

int OpenStatus(const ActorRecord& record) {
  const std::string path =
      "/proc/" + std::to_string(record.tgid) + "/task/" + std::to_string(record.tid) + "/status";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) Fail("opening " + path);
  return fd;
}

// The text behind "title:\t" in a status file.
std::string_view StatusField(std::string_view status, std::string_view title) {
  const size_t at = status.find(title);
  if (at == status.npos) Fail("an actor is gone");
  const std::string_view value = status.substr(at + title.size());
  return value.substr(0, value.find('\n'));
}

}  // namespace

uint64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

int32_t ThreadId() { return static_cast<int32_t>(syscall(SYS_gettid)); }

void Pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof(set), &set) != 0) Fail("pinning to CPU " + std::to_string(cpu));
}

void Fail(const std::string& what) {
  fprintf(stderr, "puppet: %s: %s\n", what.c_str(), strerror(errno));
  _exit(1);
}

void* SharedMemory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) Fail("mmap");
  return memory;
}

void YieldCpu() { sched_yield(); }

Window::Window(ActorRecord& record) : record_(record) {
  const Stamp stamp = TakeStamp();
  record_.voluntary_switches = stamp.counts.voluntary;
  record_.involuntary_switches = stamp.counts.involuntary;
  record_.begin_ns = stamp.time_ns;
  record_.begun.store(true);
}

Window::~Window() {
  const Stamp stamp = TakeStamp();
  record_.end_ns = stamp.time_ns;
  record_.voluntary_switches = stamp.counts.voluntary - record_.voluntary_switches;
  record_.involuntary_switches = stamp.counts.involuntary - record_.involuntary_switches;
}

std::vector<ActorRecord*> RunActors(const std::vector<Actor>& actors, ActorsAre kind) {
  std::vector<ActorRecord*> records;
  for (const Actor& actor : actors) {
    records.push_back(&Shared<ActorRecord>());
    snprintf(records.back()->role, sizeof(ActorRecord::role), "%s", actor.role.c_str());
  }
  if (kind != ActorsAre::kThreads) BecomeRealTime();
  if (kind == ActorsAre::kUrgentProcesses) {
    RunProcesses(actors, records);
  } else {
    RunThreads(actors, records);
  }
  return records;
}

SleepWatch::SleepWatch(const ActorRecord& watched)
    : watched_(watched), status_fd_(OpenStatus(watched)) {}

SleepWatch::~SleepWatch() { close(status_fd_); }

// The state alone is not enough: a thread that is about to sleep sets it before its last look, and
// would then see our change and not sleep at all. Its switch-out is counted when it can no longer
// look.
bool SleepWatch::SleptAgain() {
  char text[4096];
  const ssize_t bytes = pread(status_fd_, text, sizeof(text), 0);
  const std::string_view status(text, bytes > 0 ? bytes : 0);
  if (!StatusField(status, "\nState:\t").starts_with('S')) return false;
  const std::string count(StatusField(status, "\nvoluntary_ctxt_switches:\t"));
  const uint64_t sleeps = strtoull(count.c_str(), nullptr, 10);
  if (sleeps <= sleeps_) return false;
  sleeps_ = sleeps;
  return true;
}

void SleepWatch::AwaitAsleep() {
  if (!counting_) {
    SpinUntil([this] { return watched_.begun.load(); });
    sleeps_ = watched_.voluntary_switches;
    counting_ = true;
  }
  SpinUntil([this] { return SleptAgain(); });
}

}  // namespace gordian::puppets
