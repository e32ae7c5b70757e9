// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/unix_listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

class UnixListenerTest : public ::testing::Test {
 protected:
  // A socket bound to path_ without a gordiand behind it.
  FileDescriptor ForeignSocket() {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return socket;
  }

  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/run/socket";
};

TEST_F(UnixListenerTest, EverybodyMayConnect) {
  const auto listener = UnixListener::Open(path_);
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0666));
  EXPECT_EQ(fs::status(directory_.path() + "/run").permissions(), fs::perms(0755));
  EXPECT_FALSE(listener->Accept().valid());
  const auto connection = ConnectUnix(path_);
  ASSERT_TRUE(connection.ok()) << connection.status();
  EXPECT_TRUE(listener->Accept().valid());
}

TEST_F(UnixListenerTest, TheSocketGoesWithTheListener) {
  ASSERT_TRUE(UnixListener::Open(path_).ok());
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(absl::IsNotFound(ConnectUnix(path_).status()));
}

TEST_F(UnixListenerTest, TheSocketOfALivingDaemonIsRefused) {
  const auto first = UnixListener::Open(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = UnixListener::Open(path_);
  EXPECT_THAT(Message(second.status()), HasSubstr("another gordiand serves " + path_));
  EXPECT_TRUE(ConnectUnix(path_).ok());
}

TEST_F(UnixListenerTest, TheSocketOfADeadDaemonIsReplaced) {
  fs::create_directory(directory_.path() + "/run");
  ForeignSocket();  // closed at once: no process listens
  ASSERT_TRUE(fs::exists(path_));
  EXPECT_TRUE(absl::IsUnavailable(ConnectUnix(path_).status()));
  const auto listener = UnixListener::Open(path_);
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_TRUE(ConnectUnix(path_).ok());
}

TEST_F(UnixListenerTest, WhatIsNotOursIsLeftAlone) {
  fs::create_directory(directory_.path() + "/run");
  {
    const FileDescriptor foreign = ForeignSocket();
    ASSERT_EQ(listen(foreign.number(), 1), 0);
    EXPECT_THAT(Message(UnixListener::Open(path_).status()), HasSubstr("something else serves"));
  }
  fs::remove(path_);
  std::ofstream(path_) << "precious";
  EXPECT_THAT(Message(UnixListener::Open(path_).status()), HasSubstr("is no socket"));
  EXPECT_EQ(fs::file_size(path_), 8u);
}

TEST_F(UnixListenerTest, APathTooLongForASocketIsAnError) {
  const std::string path = directory_.path() + "/" + std::string(200, 'x');
  EXPECT_THAT(Message(UnixListener::Open(path).status()), HasSubstr("shorter --socket"));
  EXPECT_THAT(Message(ConnectUnix(path).status()), HasSubstr("shorter --socket"));
}

}  // namespace
}  // namespace gordian
