// SPDX-License-Identifier: Apache-2.0
#include "tests/program.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace gordian {
namespace {

constexpr gid_t kNogroup = 65534;

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int ExitCode(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Leaves the process with these alone, also after an exec.
bool KeepOnly(const std::vector<int>& capabilities) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  for (const int capability : capabilities) {
    const uint32_t bit = 1u << (capability % 32);
    __user_cap_data_struct& set = sets[static_cast<size_t>(capability) / 32];
    set = {set.effective | bit, set.permitted | bit, set.inheritable | bit};
  }
  if (syscall(SYS_capset, &header, sets.data()) != 0) return false;
  return std::all_of(capabilities.begin(), capabilities.end(), [](int capability) {
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0;
  });
}

bool BecomeUser(uid_t uid, const std::vector<int>& capabilities) {
  prctl(PR_SET_KEEPCAPS, 1);
  return setgroups(0, nullptr) == 0 && setgid(kNogroup) == 0 && setuid(uid) == 0 &&
         KeepOnly(capabilities);
}

// In the child: becomes the program, which is opened before its rights are given up.
[[noreturn]] void Become(const std::vector<char*>& words, std::optional<uid_t> uid,
                         const std::vector<int>& capabilities) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing outlives a test that crashed
  const int program = open(words[0], O_RDONLY | O_CLOEXEC);
  if (uid && !BecomeUser(*uid, capabilities)) _exit(126);
  fexecve(program, words.data(), environ);
  _exit(127);
}

// Reads both pipes until they have no writer any more.
void ReadAll(int output, int errors, ProgramResult& result) {
  std::array<pollfd, 2> pipes = {{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  std::array<char, 4096> buffer;
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    if (poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR) return;
    for (pollfd& pipe : pipes) {
      if (pipe.fd < 0 || pipe.revents == 0) continue;
      const ssize_t size = read(pipe.fd, buffer.data(), buffer.size());
      std::string& text = pipe.fd == output ? result.output : result.errors;
      if (size > 0) {
        text.append(buffer.data(), static_cast<size_t>(size));
      } else {
        pipe.fd = -1;  // poll passes it over
      }
    }
  }
}

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& words, std::optional<uid_t> uid,
                         const std::vector<int>& capabilities) {
  const std::vector<char*> pointers = Pointers(words);
  std::array<int, 2> output;
  std::array<int, 2> errors;
  if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(output[1], STDOUT_FILENO);
    dup2(errors[1], STDERR_FILENO);
    Become(pointers, uid, capabilities);
  }
  close(output[1]);
  close(errors[1]);
  ProgramResult result;
  ReadAll(output[0], errors[0], result);
  close(output[0]);
  close(errors[0]);
  int status = 0;
  if (waitpid(pid, &status, 0) == pid) result.exit_code = ExitCode(status);
  return result;
}

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& words,
                                     const std::vector<std::string>& environment,
                                     const std::string& errors_path) {
  const std::vector<char*> pointers = Pointers(words);
  pid_ = fork();
  if (pid_ != 0) return;
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  const int errors = open(errors_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  dup2(errors, STDERR_FILENO);
  Become(pointers, std::nullopt, {});
}

BackgroundProgram::~BackgroundProgram() {
  if (pid_ > 0) End(SIGKILL);
}

std::optional<int> BackgroundProgram::Ended() {
  int status = 0;
  if (pid_ > 0) {
    if (waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = -1;
    exit_code_ = ExitCode(status);
  }
  return exit_code_;
}

int BackgroundProgram::End(int signal) {
  if (pid_ > 0) {
    kill(pid_, signal);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    exit_code_ = ExitCode(status);
  }
  return exit_code_;
}

}  // namespace gordian
