// SPDX-License-Identifier: Apache-2.0
#include "live/rules/live_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

pb::LiveFrame LossyFrame(uint64_t lost) {
  pb::LiveFrame frame;
  frame.set_at("2026-11-24T03:15:01Z");
  frame.set_to_s(70);
  frame.set_from_s(60);
  frame.set_verdict("db holds all");
  frame.mutable_quality()->set_lost(lost);
  return frame;
}

class LiveRulesTest : public ::testing::Test {
 protected:
  void Open(const std::string& text) {
    auto rules =
        LiveRules::Open(*ParseRules(text, "f"),
                        {.keep_directory = directory_ / "kept",
                         .to_json = [](const pb::LiveFrame&) { return std::string("{\"at\": 1}"); },
                         .is_silent = true});
    ASSERT_TRUE(rules.ok()) << rules.status();
    rules_ = *std::move(rules);
  }

  std::vector<RuleNews> Take(uint64_t lost) {
    return rules_->Take(LossyFrame(lost), [](uint64_t length_ns, const std::string& into) {
      if (length_ns != 60 * kNsPerSecond) return absl::InternalError("a wrong length");
      std::filesystem::create_directory(into);
      return absl::OkStatus();
    });
  }

  std::vector<RuleNews> Finish() {
    rules_->Finish();
    EXPECT_FALSE(rules_->is_busy());
    return rules_->TakeOutcomes();
  }

  static std::vector<std::string> Texts(const std::vector<RuleNews>& news) {
    std::vector<std::string> texts;
    texts.reserve(news.size());
    for (const RuleNews& one : news) texts.push_back(one.text);
    return texts;
  }

  const testing::TempDir directory_;
  std::unique_ptr<LiveRules> rules_;
};

TEST_F(LiveRulesTest, ARuleThatFiresKeepsAndThenRunsItsCommand) {
  const std::string got = directory_ / "got";
  Open(
      "rule loss\nwhen lost > 0\nkeep\nrun sh -c \"{ cat; echo $GORDIAN_RULE; ls $GORDIAN_KEPT; "
      "echo $GORDIAN_VERDICT; } > " +
      got + "\"\n");
  EXPECT_THAT(Texts(Take(0)), IsEmpty());
  EXPECT_THAT(Texts(Take(1)), ElementsAre("rule loss: db holds all"));
  EXPECT_THAT(Texts(Finish()), ElementsAre(HasSubstr("kept/20261124T031501Z-loss")));
  EXPECT_EQ(testing::ReadFile(got), "{\"at\": 1}\nloss\nframe.json\ndb holds all\n");
  EXPECT_EQ(rules_->counts()[0].fired, 1u);
  EXPECT_EQ(rules_->counts()[0].failed, 0u);
}

TEST_F(LiveRulesTest, AFailureIsToldAndCounted) {
  Open("rule loss\nwhen lost > 0\nrun false\n");
  Take(1);
  EXPECT_THAT(Texts(Finish()), ElementsAre("rule loss: false exited with 1"));
  EXPECT_EQ(rules_->counts()[0].failed, 1u);
}

TEST_F(LiveRulesTest, TheCommandRunsAlthoughNothingCouldBeKept) {
  const std::string got = directory_ / "got";
  Open("rule loss\nwhen lost > 0\nkeep 30s\nrun touch " + got + "\n");
  Take(1);
  EXPECT_THAT(Texts(Finish()), ElementsAre(HasSubstr("a wrong length")));
  EXPECT_TRUE(std::filesystem::exists(got));
}

// The first command reads a pipe that nobody writes to yet.
TEST_F(LiveRulesTest, FramesAreTakenWhileACommandRunsAndFiringsBeyondTheQueueAreCounted) {
  const std::string gate = directory_ / "gate";
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  Open("rule loss\nwhen lost > 0\ncooldown 0s\nrun cat " + gate + "\n");
  std::vector<std::string> told;
  uint64_t lost = 0;
  for (int i = 0; i < 30; ++i) {
    for (const std::string& text : Texts(Take(++lost))) told.push_back(text);
    for (const std::string& text : Texts(Take(lost))) told.push_back(text);
  }
  EXPECT_THAT(told, Contains(HasSubstr("nothing was done, as 16 others wait")));
  EXPECT_EQ(rules_->counts()[0].fired, 30u);
  EXPECT_GE(rules_->counts()[0].failed, 13u);
  rules_.reset();  // ends the command
}

TEST_F(LiveRulesTest, SeveralRulesActOneAfterTheOther) {
  const std::string got = directory_ / "got";
  Open("rule a\nwhen lost > 0\nrun sh -c \"echo a >> " + got +
       "\"\nrule b\nwhen lost > 0\nrun sh -c \"echo b >> " + got + "\"\n");
  EXPECT_THAT(Take(1), SizeIs(2));
  Finish();
  EXPECT_EQ(testing::ReadFile(got), "a\nb\n");
}

TEST_F(LiveRulesTest, ARuleThatKeepsNeedsAFolder) {
  const auto rules = LiveRules::Open(*ParseRules("rule r\nwhen lost > 0\nkeep", "f"), {});
  EXPECT_THAT(std::string(rules.status().message()), HasSubstr("--keep"));
}

}  // namespace
}  // namespace gordian
