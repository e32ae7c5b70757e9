// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/peer.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <numeric>
#include <string>
#include <vector>

#include "recorder/control/test_peer.h"
#include "recorder/control/unix_listener.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class PeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!CanBeSomebodyElse()) GTEST_SKIP() << "needs root";
    chmod(directory_.path().c_str(), 0755);
    ASSERT_TRUE(listener_.ok()) << listener_.status();
  }

  absl::StatusOr<Peer> PeerConnectingAs(const TestIdentity& identity) {
    const auto connection = ConnectAs(identity, path_);
    EXPECT_TRUE(connection.ok()) << connection.status();
    return PeerOf(listener_->Accept().number());
  }

  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/socket";
  absl::StatusOr<UnixListener> listener_ = UnixListener::Open(path_);
};

TEST_F(PeerTest, TheKernelTellsWhoConnected) {
  const auto peer = PeerConnectingAs({.uid = kNobody, .gid = 12, .supplementary_gids = {3, 5}});
  ASSERT_TRUE(peer.ok()) << peer.status();
  EXPECT_EQ(peer->uid, kNobody);
  EXPECT_EQ(peer->gid, 12u);
  EXPECT_THAT(peer->supplementary_gids, ElementsAre(3, 5));
  EXPECT_EQ(peer->pid, getpid());
}

TEST_F(PeerTest, MembershipInVeryManyGroupsIsSeenWhole) {
  std::vector<gid_t> groups(1000);
  std::iota(groups.begin(), groups.end(), 100'000);
  const auto peer = PeerConnectingAs({.uid = kNobody, .gid = 12, .supplementary_gids = groups});
  ASSERT_TRUE(peer.ok()) << peer.status();
  EXPECT_EQ(peer->supplementary_gids, groups);
  const auto alone = PeerConnectingAs({.uid = kNobody, .gid = 12});
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_THAT(alone->supplementary_gids, SizeIs(0));
}

TEST(Peer, WhatIsNoSocketHasNoPeer) { EXPECT_FALSE(PeerOf(-1).ok()); }

TEST(Role, RootAndTheGroupOperateEverybodyElseViews) {
  const group* entry = getgrnam("daemon");  // Debian's base system has it
  ASSERT_NE(entry, nullptr);
  const gid_t daemon = entry->gr_gid;
  EXPECT_EQ(RoleOf({.uid = 0, .gid = 7}, "daemon"), Role::kOperator);
  EXPECT_EQ(RoleOf({.uid = 1000, .gid = daemon}, "daemon"), Role::kOperator);
  EXPECT_EQ(RoleOf({.uid = 1000, .gid = 7, .supplementary_gids = {9, daemon}}, "daemon"),
            Role::kOperator);
  EXPECT_EQ(RoleOf({.uid = 1000, .gid = 7, .supplementary_gids = {9}}, "daemon"), Role::kViewer);
  EXPECT_EQ(RoleOf({.uid = daemon, .gid = 7}, "daemon"), Role::kViewer);
}

TEST(Role, AGroupThatDoesNotExistHasNoMembers) {
  EXPECT_EQ(RoleOf({.uid = 1000, .gid = 0}, "no-such-group"), Role::kViewer);
  EXPECT_EQ(RoleOf({.uid = 0, .gid = 0}, "no-such-group"), Role::kOperator);
}

}  // namespace
}  // namespace gordian
