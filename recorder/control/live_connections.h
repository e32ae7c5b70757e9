// SPDX-License-Identifier: Apache-2.0
// Counts sockets that other code closes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace gordian {

// gRPC closes the connections it was given without telling. A socket's inode is its own: as long as
// the descriptor still leads to the same inode, the connection is open.
class LiveConnections {
 public:
  explicit LiveConnections(size_t max) : max_(max) {}

  // Counts the open socket `number` in; false if there are `max` already.
  bool Add(int number);

 private:
  struct Connection {
    int number;
    ino_t inode;
  };
  const size_t max_;
  std::vector<Connection> connections_;
};

}  // namespace gordian
