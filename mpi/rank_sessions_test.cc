// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_sessions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mpi/build_identity.h"

namespace gordian {
namespace {

pb::RankHello HelloWith(const std::string& node, const std::string& identity) {
  pb::RankHello hello;
  hello.set_host("host");
  pb::RankSession& session = *hello.add_sessions();
  session.set_node(node);
  session.set_directory("/recordings/" + node);
  session.set_identity(identity);
  return hello;
}

TEST(RankSessions, AreThoseThatAllSee) {
  const auto sessions = SessionsOf({HelloWith("a", "1"), HelloWith("a", "1")});
  ASSERT_TRUE(sessions.ok()) << sessions.status();
  ASSERT_EQ(sessions->size(), 1u);
  EXPECT_EQ(sessions->front().ranks, (std::vector<int>{0, 1}));
}

TEST(RankSessions, OfOneNameAreRefusedIfTheyDiffer) {
  const auto sessions = SessionsOf({HelloWith("a", "1"), HelloWith("a", "2")});
  EXPECT_TRUE(absl::IsInvalidArgument(sessions.status())) << sessions.status();
}

TEST(RankSessions, MayBeSeenByOtherRanksAlone) {
  const auto sessions = SessionsOf({HelloWith("b", "1"), HelloWith("a", "1")});
  ASSERT_TRUE(sessions.ok()) << sessions.status();
  ASSERT_EQ(sessions->size(), 2u);
  EXPECT_EQ(sessions->front().node, "a");
  EXPECT_TRUE(sessions->front().is_carried);
  EXPECT_EQ(sessions->front().ranks, std::vector<int>{1});
  EXPECT_FALSE(sessions->back().is_carried);
}

TEST(RankSessions, OfOneMachineEachHaveItsName) {
  pb::RankHello first = HelloWith("", "1");
  pb::RankHello second = HelloWith("", "2");
  second.set_host("another");
  auto sessions = SessionsOf({first, second});
  ASSERT_TRUE(sessions.ok()) << sessions.status();
  ASSERT_EQ(sessions->size(), 2u);
  EXPECT_EQ(sessions->front().node, "another");
  EXPECT_EQ(sessions->back().node, "host");
  second.mutable_sessions(0)->set_identity("1");
  sessions = SessionsOf({first, second});
  ASSERT_EQ(sessions->size(), 1u);
  EXPECT_EQ(sessions->front().node, "");
}

TEST(RankSessions, AreMissingWhereARankHasNone) {
  pb::RankHello without;
  without.set_host("other");
  without.set_failure("no session in x");
  const auto sessions = SessionsOf({HelloWith("a", "1"), without});
  EXPECT_TRUE(absl::IsNotFound(sessions.status()));
  EXPECT_NE(sessions.status().message().find("rank 1 (other)"), std::string::npos);
}

TEST(BuildIdentity, IsKnown) { EXPECT_GE(BuildIdentity().size(), 16u); }

}  // namespace
}  // namespace gordian
