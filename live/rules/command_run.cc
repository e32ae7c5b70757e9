// SPDX-License-Identifier: Apache-2.0
#include "live/rules/command_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatienceAfterTerm = std::chrono::seconds(2);

// Memory that reads as a file: the program may read it as slowly as it likes, or not at all.
absl::StatusOr<FileDescriptor> AsFile(std::string_view text) {
  FileDescriptor file(memfd_create("frame", MFD_CLOEXEC));
  if (!file.valid()) return absl::ErrnoToStatus(errno, "cannot make a file in memory");
  while (!text.empty()) {
    const ssize_t written = write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return absl::ErrnoToStatus(errno, "cannot write a file in memory");
    text.remove_prefix(static_cast<size_t>(written));
  }
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name = NameOf(*variable);
    if (std::none_of(more.begin(), more.end(),
                     [name](const std::string& own) { return NameOf(own) == name; }))
      all.emplace_back(*variable);
  }
  return all;
}

std::vector<char*> PointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// What posix_spawn is told, freed with it.
class SpawnSettings {
 public:
  SpawnSettings(int input_fd, bool is_silent) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input_fd, STDIN_FILENO);
    if (is_silent)
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

enum class WaitEnd { kEnded, kStopped, kTime };

WaitEnd WaitFor(const FileDescriptor& process, int stop_fd, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    std::array<pollfd, 2> waiting = {{{process.number(), POLLIN, 0}, {stop_fd, POLLIN, 0}}};
    const int64_t left_ms = std::clamp<int64_t>(left.count(), 0, 60'000);
    poll(waiting.data(), waiting.size(), static_cast<int>(left_ms));
    if (waiting[0].revents != 0) return WaitEnd::kEnded;
    if (waiting[1].revents != 0) return WaitEnd::kStopped;
    if (Clock::now() >= until) return WaitEnd::kTime;
  }
}

// Ends: a process that was killed ends.
int Reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

absl::Status EndOf(const std::string& program, int status) {
  if (WIFSIGNALED(status))
    return absl::AbortedError(
        absl::StrCat(program, " was killed by SIG", sigabbrev_np(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0)
    return absl::AbortedError(absl::StrCat(program, " exited with ", WEXITSTATUS(status)));
  return absl::OkStatus();
}

}  // namespace

absl::Status RunToItsEnd(const CommandRun& run, int stop_fd) {
  const auto until = Clock::now() + run.limit;
  const auto input = AsFile(run.input);
  if (!input.ok()) return input.status();
  const SpawnSettings settings(input->number(), run.is_silent);
  const std::vector<std::string> environment = EnvironmentWith(run.environment);
  pid_t pid = -1;
  const int error =
      posix_spawnp(&pid, run.words[0].c_str(), settings.actions(), settings.attributes(),
                   PointersTo(run.words).data(), PointersTo(environment).data());
  if (error != 0) return absl::ErrnoToStatus(error, absl::StrCat("cannot run ", run.words[0]));
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.valid()) {  // no descriptor is left: it cannot be watched
    const int reason = errno;
    kill(-pid, SIGKILL);
    Reap(pid);
    return absl::ErrnoToStatus(reason, absl::StrCat("cannot watch ", run.words[0]));
  }
  const WaitEnd end = WaitFor(process, stop_fd, until);
  if (end == WaitEnd::kEnded) return EndOf(run.words[0], Reap(pid));
  kill(-pid, SIGTERM);
  WaitFor(process, -1, Clock::now() + kPatienceAfterTerm);
  kill(-pid, SIGKILL);  // what is left of its group, too
  Reap(pid);
  if (end == WaitEnd::kStopped)
    return absl::CancelledError(absl::StrCat(run.words[0], " was ended"));
  return absl::DeadlineExceededError(
      absl::StrCat(run.words[0], " took longer than its limit and was ended"));
}

}  // namespace gordian
