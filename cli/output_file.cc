// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr mode_t kMode = 0666;  // the umask removes bits of it
constexpr mode_t kPermissions = 0777;

absl::Status CannotWrite(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write ", path));
}

// While it lives, Ctrl-C and similar signals wait.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

// Where a symbolic link leads: renaming over the link would replace the link.
std::string Resolved(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  return realpath(path.c_str(), resolved.data()) ? resolved.data() : path;
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A file without a name in `folder`; -1 and errno if there can be none.
int OpenNameless(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  // This file system cannot: a named one whose name goes at once.
  const SignalsHeld held;
  std::string pattern = folder + "/.gordian-XXXXXX";
  const int named_fd = mkostemp(pattern.data(), O_CLOEXEC);
  if (named_fd >= 0) unlink(pattern.c_str());
  return named_fd;
}

absl::Status CopyTo(int from_fd, int to_fd, const std::string& path) {
  struct stat info {};
  if (fstat(from_fd, &info) != 0) return CannotWrite(path, errno);
  off_t at = 0;
  // Ends: each turn copies at least a byte.
  while (at < info.st_size) {
    const ssize_t copied = sendfile(to_fd, from_fd, &at, static_cast<size_t>(info.st_size - at));
    if (copied <= 0 && errno != EINTR) return CannotWrite(path, copied == 0 ? EIO : errno);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Open(const std::string& path) {
  if (path == "-") return OutputFile("standard output", dup(STDOUT_FILENO), true);
  const std::string resolved = Resolved(path);
  struct stat info {};
  if (stat(resolved.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode)) return CannotWrite(path, EISDIR);
    const int fd = open(resolved.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return CannotWrite(path, errno);
    return OutputFile(resolved, fd, true);
  }
  const int fd = OpenNameless(FolderOf(resolved));
  if (fd < 0) return CannotWrite(path, errno);
  return OutputFile(resolved, fd, false);
}

OutputFile::OutputFile(std::string path, int fd, bool direct)
    : path_(std::move(path)), fd_(fd), direct_(direct), output_(fd, path_) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      direct_(other.direct_),
      output_(std::move(other.output_)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status OutputFile::Finish() { return output_.Finish(); }

// Gives the file an unused name: as it is, or, if it cannot get a name any more, as a copy.
absl::Status OutputFile::LinkAs(const std::string& name) const {
  const std::string self = absl::StrCat("/proc/self/fd/", fd_);
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return absl::OkStatus();
  const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd < 0) return CannotWrite(path_, errno);
  absl::Status copied = CopyTo(fd_, fd, path_);
  if (close(fd) != 0 && copied.ok()) copied = CannotWrite(path_, errno);
  if (!copied.ok()) unlink(name.c_str());
  return copied;
}

absl::Status OutputFile::Place() {
  if (direct_) return absl::OkStatus();
  const SignalsHeld held;
  // linkat cannot replace a file, rename can: the name between the two is ours alone.
  const std::string between = absl::StrCat(FolderOf(path_), "/.gordian-", getpid(), "-", fd_);
  if (absl::Status linked = LinkAs(between); !linked.ok()) return linked;
  struct stat old {};
  if (stat(path_.c_str(), &old) == 0) chmod(between.c_str(), old.st_mode & kPermissions);
  if (rename(between.c_str(), path_.c_str()) == 0) return absl::OkStatus();
  const int error = errno;
  unlink(between.c_str());
  return CannotWrite(path_, error);
}

absl::Status PlaceTogether(std::span<OutputFile> files) {
  for (OutputFile& file : files) {
    if (absl::Status finished = file.Finish(); !finished.ok()) return finished;
  }
  for (OutputFile& file : files) {
    if (absl::Status placed = file.Place(); !placed.ok()) return placed;
  }
  return absl::OkStatus();
}

}  // namespace gordian
