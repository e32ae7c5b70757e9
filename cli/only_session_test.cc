// SPDX-License-Identifier: Apache-2.0
#include "cli/only_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

using ::testing::HasSubstr;

NodeSessions NodeWith(const std::string& node,
                      const std::vector<std::pair<std::string, std::string>>& sessions) {
  NodeSessions with{.node = node};
  for (const auto& [name, state] : sessions) {
    pb::SessionStatus& session = with.sessions.emplace_back();
    session.set_name(name);
    session.set_state(state);
  }
  return with;
}

TEST(OnlyRunningSession, IsTheOneThatRunsOnWhicheverNodes) {
  const auto only = OnlyRunningSession({NodeWith("a", {{"web", "recording"}, {"old", "ended"}}),
                                        NodeWith("b", {{"web", "armed"}}), NodeWith("c", {})});
  ASSERT_TRUE(only.ok()) << only.status();
  EXPECT_EQ(*only, "web");
}

TEST(OnlyRunningSession, PassesOverNodesThatDoNotAnswer) {
  const NodeSessions silent{.node = "a", .status = absl::UnavailableError("no answer")};
  const auto only = OnlyRunningSession({silent, NodeWith("b", {{"web", "recording"}})});
  ASSERT_TRUE(only.ok()) << only.status();
  EXPECT_EQ(*only, "web");
  EXPECT_EQ(OnlyRunningSession({silent}).status(), silent.status);
}

TEST(OnlyRunningSession, ListsSeveralByName) {
  const auto only =
      OnlyRunningSession({NodeWith("a", {{"web", "recording"}, {"batch", "starting"}})});
  EXPECT_TRUE(absl::IsInvalidArgument(only.status()));
  EXPECT_THAT(only.status().message(), HasSubstr("batch, web"));
}

TEST(OnlyRunningSession, SaysHowToBeginOneIfNoneRuns) {
  const auto only = OnlyRunningSession({NodeWith("a", {{"old", "ended"}})});
  EXPECT_TRUE(absl::IsNotFound(only.status()));
  EXPECT_THAT(only.status().message(), HasSubstr("gordian start"));
}

}  // namespace
}  // namespace gordian
