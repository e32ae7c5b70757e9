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
  int gate[2], failure[2];
  if (pipe2(gate, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  if (pipe2(failure, O_CLOEXEC) != 0) {
    close(gate[0]);
    close(gate[1]);
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  const pid_t pid = fork();
  if (pid == 0) {
    close(gate[1]);
    close(failure[0]);
    RunChild(gate[0], failure[1], mask_of_child, words);
  }
  const int fork_error = errno;
  close(gate[0]);
  close(failure[1]);
  if (pid < 0) {
    close(gate[1]);
    close(failure[0]);
    return absl::ErrnoToStatus(fork_error, "cannot start a process");
  }
  return ChildCommand(pid, gate[1], failure[0], words[0]);
}

ChildCommand::ChildCommand(pid_t pid, int gate_fd, int failure_fd, std::string program)
    : pid_(pid), gate_fd_(gate_fd), failure_fd_(failure_fd), program_(std::move(program)) {}

ChildCommand::ChildCommand(ChildCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      gate_fd_(std::exchange(other.gate_fd_, -1)),
      failure_fd_(std::exchange(other.failure_fd_, -1)),
      program_(std::move(other.program_)),
      ended_(other.ended_) {}

ChildCommand::~ChildCommand() {
  if (pid_ < 0) return;
  End();
  close(failure_fd_);
}

absl::Status ChildCommand::Go() {
  const char go = 1;
  const ssize_t written = write(gate_fd_, &go, 1);
  close(std::exchange(gate_fd_, -1));
  if (written != 1)
    return absl::AbortedError(
        absl::StrCat("the process for ", program_, " was killed before it began"));
  int error = 0;
  ssize_t got;
  do got = read(failure_fd_, &error, sizeof(error));
  while (got < 0 && errno == EINTR);
  if (got == sizeof(error))
    return absl::NotFoundError(absl::StrCat("cannot run ", program_, ": ", strerror(error)));
  return absl::OkStatus();
}

std::optional<int> ChildCommand::Poll() {
  if (ended_) return ended_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) ended_ = status;
  return ended_;
}

void ChildCommand::End() {
  if (gate_fd_ >= 0) close(std::exchange(gate_fd_, -1));
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

std::string DescribeFailure(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return absl::StrCat("was killed by SIG", sigabbrev_np(WTERMSIG(wait_status)));
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != 0)
    return absl::StrCat("exited with ", WEXITSTATUS(wait_status));
  return "";
}

}  // namespace gordian
