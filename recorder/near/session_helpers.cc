// SPDX-License-Identifier: Apache-2.0
#include "recorder/near/session_helpers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;

// What tells one session from another of its name, and a growing one from one that has ended.
std::string KeyOf(const pb::SessionStatus& session) {
  return absl::StrCat(session.directory(), " ", session.started_realtime_ns(), " ",
                      session.state() == "recording");
}

absl::Status Ended() {
  return absl::ResourceExhaustedError(
      "the helper that reads the recording has ended: it needs more memory than it may take, or "
      "the recording is damaged; gordian collect brings it to another machine");
}

absl::Status WaitUntilReady(int socket, short events, Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  pollfd ready = {.fd = socket, .events = events, .revents = 0};
  const int count = poll(&ready, 1, static_cast<int>(std::max<int64_t>(0, left.count())));
  if (count > 0) return absl::OkStatus();
  if (count < 0 && errno == EINTR) return absl::OkStatus();
  return absl::DeadlineExceededError(
      "the answer takes too long on that node; gordian collect brings the recording to another "
      "machine");
}

absl::Status Send(int socket, std::string_view text, Clock::time_point until) {
  while (!text.empty()) {
    if (absl::Status status = WaitUntilReady(socket, POLLOUT, until); !status.ok()) return status;
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent <= 0) return Ended();
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

absl::Status Receive(int socket, char* to, size_t bytes, Clock::time_point until) {
  while (bytes > 0) {
    if (absl::Status status = WaitUntilReady(socket, POLLIN, until); !status.ok()) return status;
    const ssize_t got = recv(socket, to, bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return Ended();
    to += got;
    bytes -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace

struct SessionHelpers::Helper {
  std::string key;
  std::mutex asked;  // one question at a time
  FileDescriptor socket;
  pid_t pid = -1;
  Clock::time_point last_asked;

  ~Helper() { End(); }
  void End() {
    socket = FileDescriptor();
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
  }
  absl::Status Start(const std::string& program, const std::string& directory) {
    std::array<int, 2> ends = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      return absl::ErrnoToStatus(errno, "cannot talk to a helper");
    socket = FileDescriptor(ends[0]);
    const FileDescriptor its(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, its.number(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, its.number(), STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::string words[] = {program, directory};
    char* argv[] = {words[0].data(), words[1].data(), nullptr};
    char* environment[] = {nullptr};
    const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error == 0) return absl::OkStatus();
    pid = -1;
    return absl::UnimplementedError(absl::StrCat("this node cannot answer questions: ", program,
                                                 " cannot be run (", strerror(error), ")"));
  }
};

SessionHelpers::SessionHelpers(SessionHelperOptions options) : options_(std::move(options)) {}
SessionHelpers::~SessionHelpers() = default;

std::shared_ptr<SessionHelpers::Helper> SessionHelpers::Find(const pb::SessionStatus& session) {
  const std::string key = KeyOf(session);
  const std::lock_guard lock(mutex_);
  auto found = std::find_if(helpers_.begin(), helpers_.end(),
                            [&](const auto& helper) { return helper->key == key; });
  if (found == helpers_.end()) {
    while (helpers_.size() >= options_.most_helpers) helpers_.pop_back();
    helpers_.push_front(std::make_shared<Helper>());
    helpers_.front()->key = key;
  } else {
    helpers_.splice(helpers_.begin(), helpers_, found);
  }
  helpers_.front()->last_asked = Clock::now();
  return helpers_.front();
}

void SessionHelpers::Drop(const std::shared_ptr<Helper>& helper) {
  const std::lock_guard lock(mutex_);
  helpers_.remove(helper);
}

absl::StatusOr<std::string> SessionHelpers::Ask(const pb::SessionStatus& session,
                                                std::string_view question) {
  const auto until = Clock::now() + options_.longest_answer;
  const std::shared_ptr<Helper> helper = Find(session);
  const std::lock_guard lock(helper->asked);
  absl::Status status;
  if (helper->pid < 0) status = helper->Start(options_.program, session.directory());
  std::string answer;
  auto length = static_cast<uint32_t>(question.size());
  const auto length_text = [&] {
    return std::string(reinterpret_cast<const char*>(&length), sizeof(length));
  };
  if (status.ok())
    status = Send(helper->socket.number(), length_text() + std::string(question), until);
  if (status.ok())
    status =
        Receive(helper->socket.number(), reinterpret_cast<char*>(&length), sizeof(length), until);
  if (status.ok() && length > options_.most_answer_bytes)
    status = absl::ResourceExhaustedError("the answer is longer than an answer may be");
  if (status.ok()) {
    answer.resize(length);
    status = Receive(helper->socket.number(), answer.data(), length, until);
  }
  if (status.ok()) return answer;
  helper->End();
  Drop(helper);
  return status;
}

void SessionHelpers::EndIdle() {
  std::list<std::shared_ptr<Helper>> idle;  // ended outside of the lock
  const std::lock_guard lock(mutex_);
  const auto since = Clock::now() - options_.idle_end;
  for (auto helper = helpers_.begin(); helper != helpers_.end();) {
    const auto next = std::next(helper);
    if ((*helper)->last_asked < since) idle.splice(idle.end(), helpers_, helper);
    helper = next;
  }
}

std::string HelperBesideThisProgram() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  return (error ? std::filesystem::path("/usr/sbin") : own.parent_path()) / "gordian-near";
}

}  // namespace gordian
