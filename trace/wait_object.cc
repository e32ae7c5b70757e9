// SPDX-License-Identifier: Apache-2.0
#include "trace/wait_object.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <iterator>

#include "absl/strings/str_cat.h"
#include "trace/event_words.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr std::string_view kCallNames[] = {"",
                                           "read",
                                           "write",
                                           "pread64",
                                           "pwrite64",
                                           "readv",
                                           "writev",
                                           "preadv",
                                           "pwritev",
                                           "preadv2",
                                           "pwritev2",
                                           "fsync",
                                           "fdatasync",
                                           "sync_file_range",
                                           "fallocate",
                                           "ftruncate",
                                           "getdents64",
                                           "lseek",
                                           "flock",
                                           "fcntl",
                                           "ioctl",
                                           "connect",
                                           "accept",
                                           "accept4",
                                           "sendto",
                                           "recvfrom",
                                           "sendmsg",
                                           "recvmsg",
                                           "sendmmsg",
                                           "recvmmsg",
                                           "shutdown",
                                           "sendfile",
                                           "splice",
                                           "copy_file_range",
                                           "epoll_wait",
                                           "epoll_pwait",
                                           "epoll_pwait2",
                                           "io_uring_enter",
                                           "poll",
                                           "ppoll",
                                           "select",
                                           "pselect6",
                                           "futex",
                                           "futex_waitv",
                                           "futex_wait",
                                           "wait4",
                                           "waitid",
                                           "nanosleep",
                                           "clock_nanosleep"};
static_assert(std::size(kCallNames) == kWaitCalls);

bool HasAddresses(const WaitObjectRecord& object) {
  return object.family == AF_INET || object.family == AF_INET6;
}

std::string UnixSocketText(const WaitObjectRecord& object) {
  std::string text = absl::StrCat("unix socket ", object.value);
  if (!object.path.empty()) {
    const bool abstract = object.path.front() == '\0';
    absl::StrAppend(&text, " (", abstract ? "@" : "", std::string(object.path, abstract ? 1 : 0),
                    ")");
  }
  if (object.peer_tgid != 0 && !object.listening)
    absl::StrAppend(&text, " with process ", object.peer_tgid);
  return text;
}

std::string SocketText(const WaitObjectRecord& object) {
  if (object.family == AF_UNIX) return UnixSocketText(object);
  if (!HasAddresses(object))
    return absl::StrCat("socket ", object.value, " of family ", object.family);
  const bool connected = object.peer_port != 0 && !object.listening;
  return absl::StrCat("socket ", connected ? "to " : "on ",
                      connected ? SocketAddressText(object.family, object.peer, object.peer_port)
                                : SocketAddressText(object.family, object.local, object.local_port),
                      " (", ProtocolName(object.protocol), ")");
}

std::string ChildText(int64_t child) {
  if (child > 0) return absl::StrCat("child ", child);
  if (child < -1)
    return absl::StrCat("any child of process group ", 0 - static_cast<uint64_t>(child));
  return "any child";
}

// Things read or written like a file: the call, then the thing.
std::string FileText(const WaitObjectRecord& object, const std::string& what) {
  const std::string_view call = WaitCallName(object.call);
  if (call.empty()) return what;
  return absl::StrCat(std::string(call), " of ", what);
}

std::string PipeText(const WaitObjectRecord& object) {
  std::string text = absl::StrCat("pipe ", object.value);
  if (!object.path.empty()) absl::StrAppend(&text, " (", object.path, ")");
  return text;
}

std::string PathText(const WaitObjectRecord& object) {
  return object.path.empty() ? absl::StrCat("inode ", object.value) : object.path;
}

std::string DescriptorText(const std::string& what, const WaitObjectRecord& object) {
  return absl::StrCat(what, " (descriptor ", object.descriptor, " of process ", object.tgid, ")");
}

}  // namespace

const char* WaitObjectKindName(WaitObjectKind kind) {
  switch (kind) {
    case WaitObjectKind::kUnknown:
      return "unknown";
    case WaitObjectKind::kFutex:
      return "futex";
    case WaitObjectKind::kPipe:
      return "pipe";
    case WaitObjectKind::kSocket:
      return "socket";
    case WaitObjectKind::kEpoll:
      return "epoll";
    case WaitObjectKind::kEventFd:
      return "eventfd";
    case WaitObjectKind::kFile:
      return "file";
    case WaitObjectKind::kDirectory:
      return "directory";
    case WaitObjectKind::kDevice:
      return "device";
    case WaitObjectKind::kOtherFile:
      return "other file";
    case WaitObjectKind::kDescriptors:
      return "descriptors";
    case WaitObjectKind::kChild:
      return "child";
    case WaitObjectKind::kTimer:
      return "timer";
    case WaitObjectKind::kFault:
      return "page fault";
  }
  return "unknown";
}

std::string_view WaitCallName(WaitCall call) {
  const auto number = static_cast<size_t>(call);
  return number < kWaitCalls ? kCallNames[number] : std::string_view();
}

bool CanBeShared(WaitObjectKind kind) {
  switch (kind) {
    case WaitObjectKind::kUnknown:
    case WaitObjectKind::kDescriptors:
    case WaitObjectKind::kChild:
    case WaitObjectKind::kTimer:
    case WaitObjectKind::kFault:
      return false;
    default:
      return true;
  }
}

// A path can change while the thing stays; so can the known facts of a socket's peer.
std::string IdentityOf(const WaitObjectRecord& object) {
  return absl::StrCat(static_cast<int>(object.kind), " ", object.tgid, " ", object.descriptor, " ",
                      object.value, " ", object.device);
}

std::string SocketAddressText(uint16_t family, const std::array<uint8_t, 16>& address,
                              uint16_t port) {
  char text[INET6_ADDRSTRLEN] = "?";
  if (family == AF_INET) {
    ::inet_ntop(AF_INET, address.data(), text, sizeof(text));
    return absl::StrCat(text, ":", port);
  }
  if (family == AF_INET6) ::inet_ntop(AF_INET6, address.data(), text, sizeof(text));
  return absl::StrCat("[", text, "]:", port);
}

std::string WaitObjectText(const WaitObjectRecord& object) {
  switch (object.kind) {
    case WaitObjectKind::kFutex:
      return absl::StrCat("futex 0x", absl::Hex(object.value));
    case WaitObjectKind::kPipe:
      return PipeText(object);
    case WaitObjectKind::kSocket:
      return SocketText(object);
    case WaitObjectKind::kEpoll:
      return DescriptorText("epoll", object);
    case WaitObjectKind::kEventFd:
      return DescriptorText("eventfd", object);
    case WaitObjectKind::kFile:
    case WaitObjectKind::kDirectory:
    case WaitObjectKind::kDevice:
      return FileText(object, PathText(object));
    case WaitObjectKind::kOtherFile:
      return FileText(object, DescriptorText(object.path.empty() ? "file" : object.path, object));
    case WaitObjectKind::kDescriptors:
      return FileText(object, absl::StrCat(object.value, " descriptors"));
    case WaitObjectKind::kChild:
      return ChildText(static_cast<int64_t>(object.value));
    case WaitObjectKind::kTimer:
      return object.value == 0 ? "sleep until a given time"
                               : absl::StrCat("sleep of ", FormatDuration(object.value));
    case WaitObjectKind::kFault:
      return "page fault";
    case WaitObjectKind::kUnknown:
      break;
  }
  return FileText(object, "something unknown");
}

}  // namespace gordian
