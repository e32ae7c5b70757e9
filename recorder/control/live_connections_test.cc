// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/live_connections.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "base/file_descriptor.h"

namespace gordian {
namespace {

FileDescriptor Socket() { return FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

TEST(LiveConnections, ClosedOnesMakeRoom) {
  LiveConnections connections(2);
  FileDescriptor first = Socket();
  const FileDescriptor second = Socket();
  const FileDescriptor third = Socket();
  EXPECT_TRUE(connections.Add(first.number()));
  EXPECT_TRUE(connections.Add(second.number()));
  EXPECT_FALSE(connections.Add(third.number()));
  first = FileDescriptor();
  EXPECT_TRUE(connections.Add(third.number()));
}

TEST(LiveConnections, AReusedDescriptorIsAnotherConnection) {
  LiveConnections connections(1);
  FileDescriptor first = Socket();
  const int number = first.number();
  EXPECT_TRUE(connections.Add(number));
  first = FileDescriptor();
  const FileDescriptor second = Socket();
  ASSERT_EQ(second.number(), number) << "the kernel gives out the lowest free descriptor";
  EXPECT_TRUE(connections.Add(second.number()));
}

TEST(LiveConnections, WhatIsNoOpenSocketIsNotCounted) {
  LiveConnections connections(1);
  EXPECT_FALSE(connections.Add(-1));
}

}  // namespace
}  // namespace gordian
