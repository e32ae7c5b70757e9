// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/live_connections.h"

#include <sys/stat.h>

namespace gordian {
namespace {

// 0 if it is no open socket.
ino_t SocketInode(int number) {
  struct stat status = {};
  return fstat(number, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

bool LiveConnections::Add(int number) {
  std::erase_if(connections_, [](const Connection& connection) {
    return SocketInode(connection.number) != connection.inode;
  });
  const ino_t inode = SocketInode(number);
  if (inode == 0 || connections_.size() >= max_) return false;
  connections_.push_back({number, inode});
  return true;
}

}  // namespace gordian
