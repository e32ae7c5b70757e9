// SPDX-License-Identifier: Apache-2.0
#include "recorder/near/session_helpers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// A program in place of gordian-near.
class SessionHelpersTest : public ::testing::Test {
 protected:
  SessionHelperOptions Helper(const std::string& script) {
    const std::string path = directory_ / "helper";
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
    return {.program = path};
  }
  static pb::SessionStatus Session(const std::string& directory,
                                   const std::string& state = "complete") {
    pb::SessionStatus session;
    session.set_directory(directory);
    session.set_state(state);
    return session;
  }
  static constexpr char kEcho[] = "exec cat";
  testing::TempDir directory_;
};

TEST_F(SessionHelpersTest, TellsWhatTheHelperAnswers) {
  SessionHelpers helpers(Helper(kEcho));
  const auto answer = helpers.Ask(Session("web"), "who?");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, "who?");
}

TEST_F(SessionHelpersTest, AsksOneHelperAboutOneSession) {
  const std::string log = directory_ / "log";
  SessionHelpers helpers(Helper(absl::StrCat("echo $1 >>", log, "\nexec cat")));
  for (const char* session : {"web", "db", "web", "db"})
    EXPECT_TRUE(helpers.Ask(Session(session), "who?").ok());
  std::ifstream file(log);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "web\ndb\n");
}

TEST_F(SessionHelpersTest, ReplacesTheHelperOfASessionThatHasEndedSince) {
  const std::string log = directory_ / "log";
  SessionHelpers helpers(Helper(absl::StrCat("echo $1 >>", log, "\nexec cat")));
  EXPECT_TRUE(helpers.Ask(Session("web", "recording"), "who?").ok());
  EXPECT_TRUE(helpers.Ask(Session("web", "recording"), "who?").ok());
  EXPECT_TRUE(helpers.Ask(Session("web", "complete"), "who?").ok());
  std::ifstream file(log);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "web\nweb\n");
}

TEST_F(SessionHelpersTest, TellsOfAHelperThatEndsAndTriesAnotherNextTime) {
  const std::string tried = directory_ / "tried";
  SessionHelpers helpers(
      Helper(absl::StrCat("[ -e ", tried, " ] && exec cat\n: >", tried, "\nexit 1")));
  EXPECT_THAT(helpers.Ask(Session("web"), "who?").status().message(),
              HasSubstr("the helper that reads the recording has ended"));
  EXPECT_TRUE(helpers.Ask(Session("web"), "who?").ok());
}

TEST_F(SessionHelpersTest, EndsAHelperThatDoesNotAnswerInTime) {
  SessionHelperOptions options = Helper("exec sleep 1000");
  options.longest_answer = std::chrono::milliseconds(50);
  SessionHelpers helpers(options);
  EXPECT_THAT(helpers.Ask(Session("web"), "who?").status().message(), HasSubstr("takes too long"));
}

TEST_F(SessionHelpersTest, TakesNoAnswerThatIsTooLong) {
  SessionHelpers helpers(Helper("printf '\\377\\377\\377\\377'; exec sleep 1000"));
  EXPECT_THAT(helpers.Ask(Session("web"), "who?").status().message(),
              HasSubstr("longer than an answer may be"));
}

TEST_F(SessionHelpersTest, SaysThatThereIsNoHelper) {
  SessionHelpers helpers({.program = directory_ / "none"});
  EXPECT_THAT(helpers.Ask(Session("web"), "who?").status().message(),
              HasSubstr("this node cannot answer questions"));
}

}  // namespace
}  // namespace gordian
