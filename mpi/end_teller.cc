// SPDX-License-Identifier: Apache-2.0
#include "mpi/end_teller.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr char kLine[] =
    "gordian-mpi: stopped, or a rank died; start it again: what is done is not done again\n";

// As Open MPI calls its program that starts processes.
constexpr std::array<std::string_view, 4> kStarters = {"mpirun", "mpiexec", "orterun", "prterun"};

// What mpirun itself writes to. A rank's own standard error is a pipe that mpirun reads: it may be
// gone before it has read the line, or be what was killed. Not valid: this process was started by
// something else, or may not look there.
FileDescriptor ErrorsOfStarter() {
  const pid_t starter = ::getppid();
  std::string name;
  std::getline(std::ifstream(absl::StrCat("/proc/", starter, "/comm")), name);
  if (std::find(kStarters.begin(), kStarters.end(), name) == kStarters.end()) return {};
  // The same open file, so that neither writes over the other's lines.
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, starter, 0)));
  if (process.valid()) {
    FileDescriptor same(
        static_cast<int>(::syscall(SYS_pidfd_getfd, process.number(), STDERR_FILENO, 0)));
    if (same.valid()) return same;
  }
  // Where that is not allowed: opened once more. In a file each would write at its own place.
  const std::string path = absl::StrCat("/proc/", starter, "/fd/", STDERR_FILENO);
  struct stat is {};
  if (::stat(path.c_str(), &is) != 0 || S_ISREG(is.st_mode)) return {};
  return FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

// The child's whole life. Only calls that are allowed behind fork.
[[noreturn]] void TellOfTheEnd(int pipe, int errors) {
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
    const auto written = ::write(errors, kLine, sizeof(kLine) - 1);
  ::_exit(0);
}

}  // namespace

void EndTeller::Begin() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const FileDescriptor its(ends[0]);
  FileDescriptor own(ends[1]);
  const FileDescriptor errors = ErrorsOfStarter();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    TellOfTheEnd(ends[0], errors.valid() ? errors.number() : STDERR_FILENO);
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
