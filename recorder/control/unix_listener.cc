// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/unix_listener.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

constexpr int kBacklog = 64;

// Null if the path does not fit into a socket's address.
std::optional<sockaddr_un> Address(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

absl::Status TooLong(const std::string& path) {
  return absl::InvalidArgumentError(
      absl::StrCat("the socket's path must have 1 to ", sizeof(sockaddr_un::sun_path) - 1,
                   " characters, not ", path.size(), "; give a shorter --socket"));
}

absl::Status SystemError(const std::string& what) {
  return absl::UnavailableError(absl::StrCat("cannot ", what, ": ", std::strerror(errno)));
}

// Frees the path if a dead daemon left the socket there. The lock is ours: no other gordiand does
// this now.
absl::Status ClearPath(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return absl::OkStatus();
  if (!S_ISSOCK(status.st_mode)) {
    return absl::AlreadyExistsError(
        absl::StrCat(path, " is no socket; remove it, or give another --socket"));
  }
  if (ConnectUnix(path).ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat("something else serves ", path, "; stop it, or give another --socket"));
  }
  if (unlink(path.c_str()) != 0) return SystemError("remove the stale socket " + path);
  return absl::OkStatus();
}

}  // namespace

UnixListener::UnixListener(std::string path, FileDescriptor lock, FileDescriptor socket)
    : path_(std::move(path)), lock_(std::move(lock)), socket_(std::move(socket)) {}

UnixListener::~UnixListener() {
  if (socket_.valid()) unlink(path_.c_str());
}

absl::StatusOr<UnixListener> UnixListener::Open(const std::string& path) {
  const std::optional<sockaddr_un> address = Address(path);
  if (!address) return TooLong(path);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!folder.empty()) {
    std::error_code error;
    if (std::filesystem::create_directories(folder, error)) chmod(folder.c_str(), 0755);
    if (error) {
      return absl::UnavailableError(absl::StrCat("cannot make ", folder, ": ", error.message()));
    }
  }

  const std::string lock_path = path + ".lock";
  FileDescriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) return SystemError("open " + lock_path);
  if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
    return absl::AlreadyExistsError(
        absl::StrCat("another gordiand serves ", path, "; stop it, or give another --socket"));
  }
  if (absl::Status status = ClearPath(path); !status.ok()) return status;

  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return SystemError("make a socket");
  if (bind(socket.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) != 0) {
    return SystemError("make " + path);
  }
  UnixListener listener(path, std::move(lock), std::move(socket));
  // Every user may ask for the status; Start, Stop and Snapshot look at the caller.
  if (chmod(path.c_str(), 0666) != 0) return SystemError("open " + path + " for everybody");
  if (listen(listener.number(), kBacklog) != 0) return SystemError("listen at " + path);
  return listener;
}

FileDescriptor UnixListener::Accept() const {
  return FileDescriptor(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

absl::StatusOr<FileDescriptor> ConnectUnix(const std::string& path) {
  const std::optional<sockaddr_un> address = Address(path);
  if (!address) return TooLong(path);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return absl::ErrnoToStatus(errno, "no socket");
  if (connect(socket.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) !=
      0) {
    return absl::ErrnoToStatus(errno, std::strerror(errno));
  }
  return socket;
}

}  // namespace gordian
