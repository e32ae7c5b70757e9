// SPDX-License-Identifier: Apache-2.0
// Connects to a unix socket as another user, for tests that run as root.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "recorder/control/unix_listener.h"

namespace gordian {

inline constexpr uid_t kNobody = 65534;

struct TestIdentity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> supplementary_gids;
};

inline bool CanBeSomebodyElse() { return geteuid() == 0; }

// The kernel keeps credentials per thread, and a socket's peer is the thread that connected it. So
// one thread becomes another user, by the bare system calls (the C library's change all threads),
// connects, and ends.
inline absl::StatusOr<FileDescriptor> ConnectAs(const TestIdentity& identity,
                                                const std::string& path) {
  absl::StatusOr<FileDescriptor> connection = absl::UnknownError("not tried");
  std::thread([&] {
    const std::vector<gid_t>& groups = identity.supplementary_gids;
    if (syscall(SYS_setgroups, groups.size(), groups.data()) != 0 ||
        syscall(SYS_setresgid, identity.gid, identity.gid, identity.gid) != 0 ||
        syscall(SYS_setresuid, identity.uid, identity.uid, identity.uid) != 0) {
      connection = absl::PermissionDeniedError("cannot become somebody else");
      return;
    }
    connection = ConnectUnix(path);
  }).join();
  return connection;
}

}  // namespace gordian
