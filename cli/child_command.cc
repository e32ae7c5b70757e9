// SPDX-License-Identifier: Apache-2.0
#include "cli/child_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr int kPatienceMs = 5000;
constexpr int kPollMs = 20;

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

[[noreturn]] void RunChild(int gate_fd, int failure_fd, const sigset_t& mask,
                           const std::vector<std::string>& words) {
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  char go = 0;
  ssize_t got;
  do got = read(gate_fd, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(1);  // the recording never began
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(failure_fd, &error, sizeof(error)) < 0) _exit(126);
  _exit(127);
}

}  // namespace

absl::StatusOr<ChildCommand> ChildCommand::Prepare(std::vector<std::string> words,
                                                   const sigset_t& mask_of_child) {
  absl::StatusOr<Pipe> gate = MakePipe();
  if (!gate.ok()) return gate.status();
  absl::StatusOr<Pipe> failure = MakePipe();
  if (!failure.ok()) return failure.status();
  const pid_t pid = fork();
  if (pid == 0) {
    gate->write_end = {};
    failure->read_end = {};
    RunChild(gate->read_end.number(), failure->write_end.number(), mask_of_child, words);
  }
  if (pid < 0) return absl::ErrnoToStatus(errno, "cannot start a process");
  return ChildCommand(pid, std::move(gate->write_end), std::move(failure->read_end), words[0]);
}

ChildCommand::ChildCommand(pid_t pid, FileDescriptor gate, FileDescriptor failure,
                           std::string program)
    : pid_(pid),
      gate_(std::move(gate)),
      failure_(std::move(failure)),
      program_(std::move(program)) {}

ChildCommand::ChildCommand(ChildCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      gate_(std::move(other.gate_)),
      failure_(std::move(other.failure_)),
      program_(std::move(other.program_)),
      ended_(other.ended_) {}

ChildCommand::~ChildCommand() {
  if (pid_ >= 0) End();
}

absl::Status ChildCommand::Go() {
  const char go = 1;
  const ssize_t written = write(gate_.number(), &go, 1);
  gate_ = {};
  if (written != 1)
    return absl::AbortedError(
        absl::StrCat("the process for ", program_, " was killed before it began"));
  int error = 0;
  ssize_t got;
  do got = read(failure_.number(), &error, sizeof(error));
  while (got < 0 && errno == EINTR);
  if (got == sizeof(error)) {
    const std::string message = absl::StrCat("cannot run ", program_, ": ", strerror(error));
    return error == ENOENT ? absl::NotFoundError(message) : absl::PermissionDeniedError(message);
  }
  return absl::OkStatus();
}

std::optional<int> ChildCommand::Poll() {
  if (ended_) return ended_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) ended_ = status;
  return ended_;
}

void ChildCommand::AskToEnd(bool at_once) {
  gate_ = {};
  if (!Poll()) kill(pid_, at_once ? SIGKILL : SIGTERM);
}

void ChildCommand::End() {
  gate_ = {};
  if (Poll()) return;
  kill(pid_, SIGTERM);
  for (int waited_ms = 0; waited_ms < kPatienceMs; waited_ms += kPollMs) {
    if (Poll()) return;
    usleep(kPollMs * 1000);
  }
  kill(pid_, SIGKILL);
  int status = 0;
  if (waitpid(pid_, &status, 0) == pid_) ended_ = status;
}

int ExitCodeOf(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string DescribeFailure(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return absl::StrCat("was killed by SIG", sigabbrev_np(WTERMSIG(wait_status)));
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 0)
    return absl::StrCat("exited with ", WEXITSTATUS(wait_status));
  return "";
}

}  // namespace gordian
