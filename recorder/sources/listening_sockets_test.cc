// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/listening_sockets.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;

std::string Message(uint16_t type, uint32_t bytes, uint8_t state = TCP_LISTEN) {
  nlmsghdr head{.nlmsg_len = bytes, .nlmsg_type = type};
  inet_diag_msg message{};
  message.idiag_family = AF_INET;
  message.idiag_state = state;
  message.id.idiag_sport = htons(80);
  message.id.idiag_src[0] = htonl(INADDR_LOOPBACK);
  message.idiag_rqueue = 3;
  message.idiag_wqueue = 128;
  message.idiag_inode = 77;
  return std::string(reinterpret_cast<const char*>(&head), sizeof(head)) +
         std::string(reinterpret_cast<const char*>(&message), sizeof(message));
}
constexpr uint32_t kWhole = sizeof(nlmsghdr) + sizeof(inet_diag_msg);

TEST(ListeningSockets, AreToldByTheirMessages) {
  bool is_done = false;
  const std::string answer = Message(SOCK_DIAG_BY_FAMILY, kWhole) + Message(NLMSG_DONE, kWhole);
  const auto sockets = ParseSocketAnswer(answer, is_done);
  ASSERT_EQ(sockets.size(), 1u);
  EXPECT_EQ(sockets[0].address, "127.0.0.1:80");
  EXPECT_EQ(sockets[0].waiting, 3u);
  EXPECT_EQ(sockets[0].backlog, 128u);
  EXPECT_EQ(sockets[0].inode, 77u);
  EXPECT_TRUE(is_done);
}

TEST(ListeningSockets, AreNotTakenFromMessagesThatLie) {
  bool is_done = false;
  EXPECT_THAT(ParseSocketAnswer(Message(SOCK_DIAG_BY_FAMILY, 0), is_done), IsEmpty());
  EXPECT_THAT(ParseSocketAnswer(Message(SOCK_DIAG_BY_FAMILY, 1'000'000), is_done), IsEmpty());
  EXPECT_THAT(ParseSocketAnswer(Message(SOCK_DIAG_BY_FAMILY, sizeof(nlmsghdr)), is_done),
              IsEmpty());
  EXPECT_THAT(ParseSocketAnswer(Message(SOCK_DIAG_BY_FAMILY, kWhole, TCP_ESTABLISHED), is_done),
              IsEmpty());
  EXPECT_THAT(ParseSocketAnswer(std::string("short"), is_done), IsEmpty());
  EXPECT_FALSE(is_done);
}

TEST(ListeningSockets, OfThisMachineAreFound) {
  const FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  ASSERT_EQ(bind(fd.number(), reinterpret_cast<sockaddr*>(&address), bytes), 0);
  ASSERT_EQ(listen(fd.number(), 7), 0);
  ASSERT_EQ(getsockname(fd.number(), reinterpret_cast<sockaddr*>(&address), &bytes), 0);
  const std::string wanted = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  const auto sockets = ListListeningSockets();
  // Asked of the kernel itself: an empty list alone might be a fault of the listing.
  const FileDescriptor diag(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!diag.valid()) GTEST_SKIP() << "this kernel has no sock_diag";
  bool found = false;
  for (const ListeningSocket& socket : sockets) {
    if (socket.address != wanted) continue;
    found = true;
    EXPECT_EQ(socket.backlog, 7u);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace gordian
