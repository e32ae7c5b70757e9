// SPDX-License-Identifier: Apache-2.0
// The listening TCP sockets of the recorder's network namespace, and how full their accept queues
// are, as the kernel tells by netlink (sock_diag). /proc/net/tcp tells no backlog, and lists every
// connection of the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gordian {

struct ListeningSocket {
  std::string address;   // 127.0.0.1:80, [::]:80
  uint64_t waiting = 0;  // connections that no accept has taken
  uint64_t backlog = 0;
  uint64_t inode = 0;
};

// All of one answer of the kernel, checked: what is no such socket is left out. `is_done`: the
// answer was the last.
std::vector<ListeningSocket> ParseSocketAnswer(std::span<const char> answer, bool& is_done);

// A thousand at most; empty if the kernel does not tell. Some 50 µs.
std::vector<ListeningSocket> ListListeningSockets();

}  // namespace gordian
