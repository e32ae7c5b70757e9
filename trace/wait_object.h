// SPDX-License-Identifier: Apache-2.0
// The object of a wait: the thing behind the thread's system call, as the recorder saw it when the
// wait began.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gordian {

// Values are written to files: only append. Readers take unknown values for kUnknown.
enum class WaitObjectKind : uint8_t {
  kUnknown = 0,
  kFutex = 1,
  kPipe = 2,  // FIFOs as well, which have a path
  kSocket = 3,
  kEpoll = 4,
  kEventFd = 5,
  kFile = 6,
  kDirectory = 7,
  kDevice = 8,
  kOtherFile = 9,     // its path is its name, like [timerfd]
  kDescriptors = 10,  // several at once
  kChild = 11,
  kTimer = 12,
  kFault = 13,  // no system call: the code touched memory that was not there
};
inline constexpr uint8_t kMaxWaitObjectKind = static_cast<uint8_t>(WaitObjectKind::kFault);
const char* WaitObjectKindName(WaitObjectKind kind);

// The system call in which the thread waits. Numbers of our own, in the order of WaitCallName, as
// the kernel's depend on the architecture. Values are written to files: only append.
enum class WaitCall : uint8_t { kNone = 0 };
// "fdatasync"; empty where there is none, or this version does not know it.
std::string_view WaitCallName(WaitCall call);
// How many this version knows, kNone included.
inline constexpr size_t kWaitCalls = 49;

struct WaitObjectRecord {
  uint32_t object_id = 0;  // one for each object and call in a session
  WaitObjectKind kind = WaitObjectKind::kUnknown;
  WaitCall call = WaitCall::kNone;
  bool shared = false;     // futex: it may be one of several processes
  bool listening = false;  // socket
  int32_t tgid = 0;        // the process of the address (futex) or descriptor (epoll, eventfd,
                           // other)
  int32_t descriptor = 0;  // epoll, eventfd, other file: the open file's number there
  // Futex: address. Pipe, socket, file, directory: inode. Descriptors: how many. Child: as wait4 is
  // asked (a pid, -1 any, -g of process group g, 0 of the own group). Timer: nanoseconds, to three
  // digits; 0: until a given time.
  uint64_t value = 0;
  uint32_t device = 0;    // file, directory, pipe: its file system's; device: its own. As DiskId
  int32_t peer_tgid = 0;  // unix socket: the process that connected, or listened, or made the pair
  uint16_t family = 0;    // socket: AF_UNIX, AF_INET, …
  uint16_t protocol = 0;  // socket: IPPROTO_TCP, …
  uint16_t local_port = 0;
  uint16_t peer_port = 0;
  std::array<uint8_t, 16> local{};  // IPv4 in the first four bytes
  std::array<uint8_t, 16> peer{};
  // Any bytes. As the waiter sees it; "…/" stands for the part that was too long. For things
  // without a path: a name, or a unix socket's bound address (beginning with NUL if that is
  // abstract).
  std::string path;
  bool operator==(const WaitObjectRecord&) const = default;
};

// Whether two records tell of one thing, in any calls. Sleeps, children and groups of descriptors
// concern the thread alone.
bool CanBeShared(WaitObjectKind kind);
// Equal for one thing, in any call that waits for it.
std::string IdentityOf(const WaitObjectRecord& object);

// "futex 0x7f12a0", "pipe 4711", "fdatasync of /var/lib/app/wal.log", "socket to 10.0.0.7:5432
// (tcp)", "sleep of 10 ms". The path's bytes are as they are.
std::string WaitObjectText(const WaitObjectRecord& object);
// "10.0.0.7:5432", "[::1]:80".
std::string SocketAddressText(uint16_t family, const std::array<uint8_t, 16>& address,
                              uint16_t port);

}  // namespace gordian
