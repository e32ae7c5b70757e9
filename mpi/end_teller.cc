// SPDX-License-Identifier: Apache-2.0
#include "mpi/end_teller.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace gordian {
namespace {

constexpr char kLine[] =
    "gordian-mpi: stopped, or a rank died; start it again: what is done is not done again\n";

// The child's whole life. Only calls that are allowed behind fork.
[[noreturn]] void TellOfTheEnd(int pipe) {
  // Who ends the rank's group of processes does not end this one; it is gone when the rank is.
  ::setsid();
  for (const int ending : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) ::signal(ending, SIG_IGN);
  ::close(STDIN_FILENO);
  ::close(STDOUT_FILENO);
  char word = 0;
  ssize_t got = 0;
  do {
    got = ::read(pipe, &word, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 0) [[maybe_unused]]
    const auto written = ::write(STDERR_FILENO, kLine, sizeof(kLine) - 1);
  ::_exit(0);
}

}  // namespace

void EndTeller::Begin() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const FileDescriptor its(ends[0]);
  FileDescriptor own(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    TellOfTheEnd(ends[0]);
  }
  if (child > 0) alive_ = std::move(own);
}

void EndTeller::EverythingIsTold() {
  if (!alive_.valid()) return;
  // If the child was killed, nobody reads: that must not end this process.
  ::signal(SIGPIPE, SIG_IGN);
  constexpr char kWord = '.';
  [[maybe_unused]] const auto written = ::write(alive_.number(), &kWord, 1);
  alive_ = FileDescriptor();
}

}  // namespace gordian
