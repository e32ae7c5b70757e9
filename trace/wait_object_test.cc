// SPDX-License-Identifier: Apache-2.0
#include "trace/wait_object.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "trace/block_decoder.h"
#include "trace/block_encoder.h"

namespace gordian {
namespace {

WaitCall Call(std::string_view name) {
  for (size_t call = 0; call < kWaitCalls; ++call)
    if (WaitCallName(static_cast<WaitCall>(call)) == name) return static_cast<WaitCall>(call);
  ADD_FAILURE() << name << " is no call";
  return WaitCall::kNone;
}

WaitObjectRecord TcpSocket() {
  return {.kind = WaitObjectKind::kSocket,
          .call = Call("recvfrom"),
          .value = 99,
          .family = AF_INET,
          .protocol = 6,
          .local_port = 40000,
          .peer_port = 5432,
          .local = {127, 0, 0, 1},
          .peer = {10, 0, 0, 7}};
}

TEST(WaitObject, ReadsLikeWhatItIs) {
  WaitObjectRecord listener = TcpSocket();
  listener.listening = true;
  WaitObjectRecord ipv6 = TcpSocket();
  ipv6.family = AF_INET6;
  ipv6.protocol = 17;
  ipv6.peer = {};
  ipv6.peer[15] = 1;
  WaitObjectRecord unbound = TcpSocket();
  unbound.peer_port = 0;
  const WaitObjectRecord unix_socket{.kind = WaitObjectKind::kSocket,
                                     .value = 7,
                                     .peer_tgid = 812,
                                     .family = AF_UNIX,
                                     .path = "/run/pg.sock"};
  WaitObjectRecord abstract = unix_socket;
  abstract.path = std::string("\0bus", 4);
  abstract.peer_tgid = 0;
  const std::vector<std::pair<WaitObjectRecord, std::string>> cases = {
      {{.kind = WaitObjectKind::kFutex, .value = 0x7f12a0}, "futex 0x7f12a0"},
      {{.kind = WaitObjectKind::kPipe, .value = 4711}, "pipe 4711"},
      {{.kind = WaitObjectKind::kPipe, .value = 4711, .path = "/run/fifo"},
       "pipe 4711 (/run/fifo)"},
      {TcpSocket(), "socket to 10.0.0.7:5432 (tcp)"},
      {listener, "socket on 127.0.0.1:40000 (tcp)"},
      {unbound, "socket on 127.0.0.1:40000 (tcp)"},
      {ipv6, "socket to [::1]:5432 (udp)"},
      {unix_socket, "unix socket 7 (/run/pg.sock) with process 812"},
      {abstract, "unix socket 7 (@bus)"},
      {{.kind = WaitObjectKind::kSocket, .value = 8, .family = AF_NETLINK},
       "socket 8 of family 16"},
      {{.kind = WaitObjectKind::kEpoll, .tgid = 40, .descriptor = 5},
       "epoll (descriptor 5 of process 40)"},
      {{.kind = WaitObjectKind::kEventFd, .tgid = 40, .descriptor = 6},
       "eventfd (descriptor 6 of process 40)"},
      {{.kind = WaitObjectKind::kFile, .call = Call("fsync"), .path = "/var/lib/app/wal.log"},
       "fsync of /var/lib/app/wal.log"},
      {{.kind = WaitObjectKind::kFile, .call = Call("read"), .value = 12}, "read of inode 12"},
      {{.kind = WaitObjectKind::kDevice, .path = "/dev/tty"}, "/dev/tty"},
      {{.kind = WaitObjectKind::kOtherFile,
        .call = Call("read"),
        .tgid = 40,
        .descriptor = 3,
        .path = "[timerfd]"},
       "read of [timerfd] (descriptor 3 of process 40)"},
      {{.kind = WaitObjectKind::kDescriptors, .call = Call("poll"), .value = 37},
       "poll of 37 descriptors"},
      {{.kind = WaitObjectKind::kChild, .value = 812}, "child 812"},
      {{.kind = WaitObjectKind::kChild, .value = static_cast<uint64_t>(-1)}, "any child"},
      {{.kind = WaitObjectKind::kChild, .value = static_cast<uint64_t>(-30)},
       "any child of process group 30"},
      {{.kind = WaitObjectKind::kTimer, .value = 10'000'000}, "sleep of 10 ms"},
      {{.kind = WaitObjectKind::kTimer}, "sleep until a given time"},
      {{.kind = WaitObjectKind::kFault}, "page fault"},
      {{.kind = WaitObjectKind::kUnknown, .call = Call("ioctl")}, "ioctl of something unknown"}};
  for (const auto& [object, text] : cases) EXPECT_EQ(WaitObjectText(object), text);
}

TEST(WaitObject, TheLowestChildOfAllIsStillAGroup) {
  // A hostile file may hold any number.
  EXPECT_EQ(WaitObjectText({.kind = WaitObjectKind::kChild, .value = uint64_t{1} << 63}),
            "any child of process group 9223372036854775808");
}

TEST(WaitObject, IsOneThingInEveryCallAndAnotherInAnotherProcess) {
  const WaitObjectRecord lock{.kind = WaitObjectKind::kFutex, .tgid = 1, .value = 64};
  WaitObjectRecord same = lock;
  same.call = Call("futex_waitv");
  same.object_id = 9;
  WaitObjectRecord other = lock;
  other.tgid = 2;
  EXPECT_EQ(IdentityOf(lock), IdentityOf(same));
  EXPECT_NE(IdentityOf(lock), IdentityOf(other));
}

TEST(WaitObject, SleepsAndChildrenAreNobodyElsesBusiness) {
  for (const WaitObjectKind kind :
       {WaitObjectKind::kUnknown, WaitObjectKind::kTimer, WaitObjectKind::kChild,
        WaitObjectKind::kDescriptors, WaitObjectKind::kFault})
    EXPECT_FALSE(CanBeShared(kind)) << WaitObjectKindName(kind);
  for (const WaitObjectKind kind : {WaitObjectKind::kFutex, WaitObjectKind::kPipe,
                                    WaitObjectKind::kFile, WaitObjectKind::kSocket})
    EXPECT_TRUE(CanBeShared(kind)) << WaitObjectKindName(kind);
}

// Files of later versions may hold kinds and calls that this one does not know.
TEST(WaitObject, OfAKindFromTheFutureIsUnknownAndNoDamage) {
  EventBlock block;
  block.AddWaitObject(1, {.object_id = 1,
                          .kind = static_cast<WaitObjectKind>(200),
                          .call = static_cast<WaitCall>(250),
                          .value = 5});
  BlockEncoder encoder;
  const auto encoded = encoder.EncodeEvents(block, 0, 1, BlockKind::kEvents, 0);
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  const auto header = ParseBlockHeader(encoded->bytes);
  ASSERT_TRUE(header.has_value());
  BlockDecoder decoder;
  EventBlock decoded;
  const auto status =
      decoder.DecodeEvents(*header, encoded->bytes.subspan(header->header_bytes), decoded);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(decoded.wait_objects.size(), 1u);
  EXPECT_EQ(decoded.wait_objects[0], (WaitObjectRecord{.object_id = 1, .value = 5}));
}

}  // namespace
}  // namespace gordian
