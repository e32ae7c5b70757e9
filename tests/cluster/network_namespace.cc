// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/network_namespace.h"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

FileDescriptor Current() {
  return FileDescriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
}

// Going on in another network than meant would tell lies, or harm this machine's own.
void EnterOrAbort(const FileDescriptor& network) {
  if (setns(network.number(), CLONE_NEWNET) == 0) return;
  std::perror("setns");
  std::abort();
}

}  // namespace

absl::StatusOr<NetworkNamespace> NetworkNamespace::Make() {
  const FileDescriptor before = Current();
  if (!before.valid() || unshare(CLONE_NEWNET) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("no network namespace: ", std::strerror(errno)));
  }
  FileDescriptor made = Current();
  EnterOrAbort(before);
  if (!made.valid()) return absl::UnavailableError("no descriptor of a network namespace");
  return NetworkNamespace(std::move(made));
}

NetworkNamespace::Inside::Inside(const NetworkNamespace& network) : before_(Current()) {
  EnterOrAbort(network.descriptor_);
}

NetworkNamespace::Inside::~Inside() { EnterOrAbort(before_); }

}  // namespace gordian
