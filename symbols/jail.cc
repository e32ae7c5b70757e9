// SPDX-License-Identifier: Apache-2.0
#include "symbols/jail.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "symbols/jail_filter.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;

// linux/ioprio.h, which is no C++.
constexpr int kIoprioOfOneProcess = 1;
constexpr int kIoprioClassIdle = 3 << 13;

int64_t Ns(const timeval& time) {
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_usec * int64_t{1'000};
}

bool WriteAll(int file, const char* bytes, size_t size_bytes) {
  while (size_bytes > 0) {
    const ssize_t written = ::write(file, bytes, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size_bytes -= static_cast<size_t>(written);
  }
  return true;
}

// A message is its length and its bytes; the empty one says that all were sent.
bool SendMessage(int pipe, std::string_view message) {
  const auto size_bytes = static_cast<uint32_t>(message.size());
  return message.size() <= kMaxJailMessageBytes &&
         WriteAll(pipe, reinterpret_cast<const char*>(&size_bytes), sizeof(size_bytes)) &&
         WriteAll(pipe, message.data(), message.size());
}

void Limit(__rlimit_resource resource, uint64_t value) {
  const rlimit limit = {value, value};
  ::setrlimit(resource, &limit);
}

// The child's inherited memory counts against its limit: it is added.
uint64_t InheritedDataBytes() {
  unsigned long long pages = 0;
  FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  const bool found = std::fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) == 1;
  std::fclose(file);
  return found ? pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void CloseAllBut(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = 3;
  for (const int file : kept) {
    const auto number = static_cast<unsigned>(file);
    if (number > first) ::close_range(first, number - 1, 0);
    first = std::max(first, number + 1);
  }
  ::close_range(first, ~0U, 0);
}

// The child only takes what nobody else wants, of the CPUs and of the disk. Where this process may
// not take it out of that class again (only root may, see Attendant::Help), it is as nice as can
// be.
void MakeIdle(pid_t child) {
  const sched_param none = {};
  if (::geteuid() != 0 || ::sched_setscheduler(child, SCHED_IDLE, &none) != 0)
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(child), 19);
  ::syscall(SYS_ioprio_set, kIoprioOfOneProcess, child, kIoprioClassIdle);
}

// The child's first byte, before all messages.
constexpr char kReady = 1;

// Here only this thread exists; locks that others held stay locked for ever. So this code calls no
// function that takes a lock: glibc makes malloc work again after a fork, and libelf, libdw,
// liblzma and protobuf's serialization take no locks.
[[noreturn]] void LiveInJail(const JailLimits& limits, uint64_t max_data_bytes, pid_t parent,
                             int null_file, std::vector<int> kept, int pipe,
                             const std::function<void(const JailSend&)>& inside) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int file = 0; file <= 2; ++file) ::dup2(null_file, file);
  kept.push_back(pipe);
  CloseAllBut(std::move(kept));
  if (::write(pipe, &kReady, 1) != 1) ::_exit(1);
  ::prctl(PR_SET_DUMPABLE, 0);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, limits.max_cpu_seconds);
  Limit(RLIMIT_DATA, max_data_bytes);
  if (!EnterJailFilter()) ::_exit(1);
  inside(
      [pipe](std::string_view message) { return !message.empty() && SendMessage(pipe, message); });
  ::_exit(SendMessage(pipe, {}) ? 0 : 1);
}

// Until the child will die with its parent, or has died. A child that was stopped before would
// outlive a parent that is killed, for ever.
void AwaitReady(int pipe) {
  char ready = 0;
  while (::read(pipe, &ready, 1) < 0 && errno == EINTR) {
  }
}

// Puts the child's bytes together to messages.
class MessageReader {
 public:
  MessageReader(uint64_t max_bytes, const std::function<bool(std::string_view)>& take)
      : max_bytes_(max_bytes), take_(take) {}

  // False if the bytes make no sense, are too many, or `take` refuses them.
  bool Add(std::string_view bytes) {
    total_bytes_ += bytes.size();
    if (total_bytes_ > max_bytes_ || complete_) return false;
    buffer_.append(bytes);
    std::string_view rest = buffer_;
    while (!complete_) {
      uint32_t size_bytes = 0;
      if (rest.size() < sizeof(size_bytes)) break;
      std::memcpy(&size_bytes, rest.data(), sizeof(size_bytes));
      if (size_bytes > kMaxJailMessageBytes) return false;
      if (rest.size() - sizeof(size_bytes) < size_bytes) break;
      rest.remove_prefix(sizeof(size_bytes));
      if (size_bytes == 0) {
        complete_ = true;
      } else if (!take_(rest.substr(0, size_bytes))) {
        return false;
      }
      rest.remove_prefix(size_bytes);
    }
    buffer_.erase(0, buffer_.size() - rest.size());
    return !complete_ || buffer_.empty();
  }
  bool complete() const { return complete_; }

 private:
  uint64_t max_bytes_;
  const std::function<bool(std::string_view)>& take_;
  std::string buffer_;
  uint64_t total_bytes_ = 0;
  bool complete_ = false;
};

// The child seen from outside: its CPU time is told to the account, and it is stopped as long as
// the account has nothing left.
class Attendant {
 public:
  Attendant(pid_t child, ReadingAccount& account, uint32_t max_wall_seconds)
      : child_(child),
        account_(account),
        deadline_(Clock::now() + std::chrono::seconds(max_wall_seconds)) {
    has_clock_ = ::clock_getcpuclockid(child, &clock_) == 0;
  }

  // Stops it or lets it go on. How long nothing needs to be done; not positive: its time is up.
  std::chrono::milliseconds Attend() {
    const Clock::time_point now = Clock::now();
    Account(CpuNs());
    // Both are asked anew each time: the account may be in a hurry from now on.
    if (running_ && account_.LeftNs() <= 0) Stop(now);
    const std::chrono::nanoseconds pause(running_ ? 0 : account_.PauseNs());
    if (!running_ && pause.count() <= 0) GoOn(now);
    if (running_) return Left(now, Help(now));
    return std::min(kLongestPause, InMs(pause));
  }

  // After its end, with what the kernel says in the end.
  void Account(int64_t cpu_ns) {
    if (cpu_ns <= told_ns_) return;
    account_.Spend(cpu_ns - told_ns_);
    told_ns_ = cpu_ns;
  }

 private:
  static constexpr std::chrono::milliseconds kLongestPause{50};
  static constexpr std::chrono::seconds kPatience{1};
  static constexpr int kHelpedNice = 10;

  static std::chrono::milliseconds InMs(std::chrono::nanoseconds time) {
    return std::chrono::ceil<std::chrono::milliseconds>(time);
  }

  std::chrono::milliseconds Left(Clock::time_point now, std::chrono::milliseconds most) const {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(deadline_ - now);
    return left.count() <= 0 ? left : std::min(left, most);
  }

  int64_t CpuNs() const {
    timespec time = {};
    if (!has_clock_ || ::clock_gettime(clock_, &time) != 0) return told_ns_;
    return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
  }

  void Stop(Clock::time_point now) {
    ::kill(child_, SIGSTOP);
    running_ = false;
    since_ = now;
  }

  void GoOn(Clock::time_point now) {
    ::kill(child_, SIGCONT);
    running_ = true;
    deadline_ += now - since_;
    asleep_ += now - since_;
  }

  // On a busy machine an idle process may get no CPU for minutes, but somebody waits for what it
  // reads. After a second in vain it has a small share; at once, if its account is in a hurry. How
  // long it may run before a new look.
  std::chrono::milliseconds Help(Clock::time_point now) {
    const std::chrono::nanoseconds in_vain =
        now - begin_ - asleep_ - std::chrono::nanoseconds(told_ns_);
    if (!helped_ && (in_vain > kPatience || account_.is_in_a_hurry())) {
      helped_ = true;
      const sched_param none = {};
      if (::sched_setscheduler(child_, SCHED_OTHER, &none) == 0)
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(child_), kHelpedNice);
    }
    const std::chrono::nanoseconds left(account_.LeftNs());
    return std::clamp(InMs(std::min<std::chrono::nanoseconds>(left, kLongestPause)),
                      std::chrono::milliseconds(1), kLongestPause);
  }

  const pid_t child_;
  ReadingAccount& account_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point deadline_;  // put off by each stop
  Clock::time_point since_;     // stopped
  Clock::duration asleep_{0};   // in all stops
  clockid_t clock_ = 0;
  bool has_clock_ = false;
  bool running_ = true;
  bool helped_ = false;
  int64_t told_ns_ = 0;
};

// Reads until the child closes its end, time is up, or it shall stop. Each turn reads, or waits for
// some milliseconds.
bool Listen(int pipe, Attendant& child, const std::atomic<bool>* stop, MessageReader& reader) {
  std::string chunk(64 << 10, '\0');
  for (;;) {
    const std::chrono::milliseconds wait = child.Attend();
    if (wait.count() <= 0 || (stop != nullptr && *stop)) return false;
    pollfd waiting = {pipe, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(wait.count()));
    if (ready <= 0) {
      if (ready < 0 && errno != EINTR) return false;
      continue;
    }
    const ssize_t got = ::read(pipe, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    if (!reader.Add(std::string_view(chunk).substr(0, static_cast<size_t>(got)))) return false;
  }
}

}  // namespace

bool RunInJail(const JailLimits& limits, std::span<const int> files,
               const std::function<void(const JailSend&)>& inside,
               const std::function<bool(std::string_view message)>& take) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  FileHandle ours(ends[0]);
  FileHandle theirs(ends[1]);
  const FileHandle null_file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const uint64_t max_data_bytes = InheritedDataBytes() + limits.max_memory_bytes;
  const pid_t parent = ::getpid();

  // The parent's signal handlers must not run in the child: signals wait until it has none.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    LiveInJail(limits, max_data_bytes, parent, null_file.get(), {files.begin(), files.end()},
               theirs.get(), inside);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return false;

  theirs.Close();
  AwaitReady(ours.get());
  MakeIdle(child);
  MessageReader reader(limits.max_reply_bytes, take);
  ReadingAccount no_account;
  Attendant outside(child, limits.account == nullptr ? no_account : *limits.account,
                    limits.max_wall_seconds);
  const bool listened = Listen(ours.get(), outside, limits.stop, reader);
  ::kill(child, SIGKILL);  // not reaped yet, so the pid is still its own
  int status = 0;
  rusage used = {};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  outside.Account(Ns(used.ru_utime) + Ns(used.ru_stime));
  return listened && reader.complete();
}

}  // namespace gordian
