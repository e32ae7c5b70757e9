// SPDX-License-Identifier: Apache-2.0
// The daemon's unix socket: every user may connect; peer.h decides the rights after that.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"

namespace gordian {

class UnixListener {
 public:
  // Listens at `path`, whose folder is made (0755) if it is missing. The socket of a dead daemon is
  // replaced; that of a living one, or anything that is no socket, is refused.
  static absl::StatusOr<UnixListener> Open(const std::string& path);
  ~UnixListener();  // removes the socket
  UnixListener(UnixListener&&) noexcept = default;
  UnixListener& operator=(UnixListener&&) = delete;

  int number() const { return socket_.number(); }
  // The next connection, close-on-exec and non-blocking; an invalid descriptor if there is none
  // just now.
  FileDescriptor Accept() const;

 private:
  UnixListener(std::string path, FileDescriptor lock, FileDescriptor socket);

  std::string path_;
  FileDescriptor lock_;  // on path.lock: held as long as we serve; the kernel releases it even if
                         // we are killed
  FileDescriptor socket_;
};

// A connection to the socket at `path`, blocking. The error is the system's, as errno tells it
// (absl::ErrnoToStatus).
absl::StatusOr<FileDescriptor> ConnectUnix(const std::string& path);

}  // namespace gordian
