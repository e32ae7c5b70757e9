// SPDX-License-Identifier: Apache-2.0
#include "recorder/sources/listening_sockets.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"

namespace gordian {
namespace {

constexpr size_t kMostSockets = 1'000;
constexpr size_t kAnswerBytes = 32 << 10;
constexpr int kPatienceMs = 100;

std::string AddressOf(const inet_diag_msg& message) {
  char text[INET6_ADDRSTRLEN] = {};
  const bool is_6 = message.idiag_family == AF_INET6;
  inet_ntop(is_6 ? AF_INET6 : AF_INET, message.id.idiag_src, text, sizeof(text));
  return absl::StrCat(is_6 ? "[" : "", text, is_6 ? "]:" : ":", ntohs(message.id.idiag_sport));
}

bool Ask(int fd, uint8_t family) {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 request;
  } message{};
  message.head.nlmsg_len = sizeof(message);
  message.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  message.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  message.request.sdiag_family = family;
  message.request.sdiag_protocol = IPPROTO_TCP;
  message.request.idiag_states = 1 << TCP_LISTEN;
  return send(fd, &message, sizeof(message), 0) == sizeof(message);
}

}  // namespace

// Ends: each message takes at least the bytes of its head.
std::vector<ListeningSocket> ParseSocketAnswer(std::span<const char> answer, bool& is_done) {
  std::vector<ListeningSocket> sockets;
  while (answer.size() >= sizeof(nlmsghdr)) {
    nlmsghdr head;
    memcpy(&head, answer.data(), sizeof(head));
    if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > answer.size()) break;
    if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) {
      is_done = true;
      return sockets;
    }
    if (head.nlmsg_len >= sizeof(head) + sizeof(inet_diag_msg)) {
      inet_diag_msg message;
      memcpy(&message, answer.data() + sizeof(head), sizeof(message));
      if (message.idiag_state == TCP_LISTEN)
        sockets.push_back(
            {AddressOf(message), message.idiag_rqueue, message.idiag_wqueue, message.idiag_inode});
    }
    const size_t aligned = NLMSG_ALIGN(head.nlmsg_len);
    answer = answer.subspan(std::min(aligned, answer.size()));
  }
  return sockets;
}

// Each family's answer ends with a message that says so; an error, or silence, ends it as well.
std::vector<ListeningSocket> ListListeningSockets() {
  std::vector<ListeningSocket> all;
  const FileDescriptor fd(socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!fd.valid()) return all;
  const timeval patience{.tv_sec = 0, .tv_usec = kPatienceMs * 1'000};
  setsockopt(fd.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  std::vector<char> answer(kAnswerBytes);
  for (const uint8_t family : {AF_INET, AF_INET6}) {
    bool is_done = !Ask(fd.number(), family);
    while (!is_done) {
      const ssize_t bytes = recv(fd.number(), answer.data(), answer.size(), 0);
      if (bytes <= 0) return all;
      for (ListeningSocket& socket :
           ParseSocketAnswer({answer.data(), static_cast<size_t>(bytes)}, is_done)) {
        if (all.size() < kMostSockets) all.push_back(std::move(socket));
      }
    }
  }
  return all;
}

}  // namespace gordian
