#include "symbols/jail.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "symbols/jail_filter.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;

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
  ::prctl(PR_SET_DUMPABLE, 0);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, limits.max_cpu_seconds);
  Limit(RLIMIT_DATA, max_data_bytes);
  if (!EnterJailFilter()) ::_exit(1);
  inside(
      [pipe](std::string_view message) { return !message.empty() && SendMessage(pipe, message); });
  ::_exit(SendMessage(pipe, {}) ? 0 : 1);
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

// How soon a child is ended that shall stop.
constexpr int64_t kStopLookMs = 50;

// Reads until the child closes its end, time is up, or it shall stop. Each turn reads, or waits at
// most until then.
bool Listen(int pipe, Clock::time_point deadline, const std::atomic<bool>* stop,
            MessageReader& reader) {
  std::string chunk(64 << 10, '\0');
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || (stop != nullptr && *stop)) return false;
    pollfd waiting = {pipe, POLLIN, 0};
    const int64_t longest_ms = stop == nullptr ? 1'000'000 : kStopLookMs;
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left, longest_ms)));
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
  MessageReader reader(limits.max_reply_bytes, take);
  const bool listened =
      Listen(ours.get(), Clock::now() + std::chrono::seconds(limits.max_wall_seconds), limits.stop,
             reader);
  ::kill(child, SIGKILL);  // not reaped yet, so the pid is still its own
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return listened && reader.complete();
}

}  // namespace gordian
