// SPDX-License-Identifier: Apache-2.0
#include "output/job_path_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/message_json.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

pb::JobPath BuildPath() {
  pb::JobPath path;
  path.set_root("make");
  path.set_seconds(10);
  path.set_commands(21);
  path.set_short_lived_share(0.97);
  path.set_width(1.5);
  path.set_whole(true);
  const auto share = [&path](const char* program, const char* state, double part, double alone) {
    pb::PathShare& row = *path.add_shares();
    row.set_program(program);
    row.set_state(state);
    row.set_share(part);
    row.set_alone_s(alone);
  };
  share("cc1", "run", 0.5, 0);
  share("ld", "run", 0.4, 4);
  share("cc1", "disk", 0.095, 0);
  share("sh", "run", 0.005, 0);
  pb::PathLoss& loss = *path.add_losses();
  loss.set_loss("serial");
  loss.set_share(0.4);
  for (int i = 0; i < 4; ++i) {
    pb::WidthBin& bin = *path.add_strip();
    bin.set_running(i < 3 ? 2 : 1);
    bin.set_program(i < 3 ? "cc1" : "ld");
  }
  pb::PathCommand& command = *path.add_longest();
  command.set_program("ld");
  command.set_pid(42);
  command.set_path_s(4);
  command.set_alone_s(4);
  command.set_start_s(6);
  return path;
}

std::string TextOf(const pb::JobPath& path) {
  TextPage page({});
  AddJobPathText(path, page);
  return page.Take();
}

TEST(JobPathText, ShowsTheWidthOverTimeWithTheProgramsOnThePath) {
  const std::string text = TextOf(BuildPath());
  EXPECT_THAT(text, HasSubstr("███▄"));
  EXPECT_THAT(text, HasSubstr("aaab"));
  EXPECT_THAT(text, HasSubstr("a cc1, b ld; full height is 2 threads"));
}

TEST(JobPathText, TellsProgramsWithAllTheirStates) {
  const std::string text = TextOf(BuildPath());
  EXPECT_THAT(text, HasSubstr("run 50 %, disk 10 %"));
  EXPECT_THAT(text, HasSubstr("run 40 %; alone 40 %"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("sh ")));
}

TEST(JobPathText, NamesACommandByItsLineIfThatWasRecorded) {
  pb::JobPath path = BuildPath();
  EXPECT_THAT(TextOf(path), HasSubstr("ld/42"));
  path.mutable_longest(0)->set_command("ld -o server");
  path.mutable_longest(0)->set_directory("/src");
  EXPECT_THAT(TextOf(path), HasSubstr("ld -o server in /src"));
}

TEST(JobPathText, IsJsonToo) {
  pb::Report report;
  *report.mutable_path() = BuildPath();
  const std::string json = MessageJson(report, JsonShape::kCompact);
  EXPECT_THAT(json, HasSubstr("\"short_lived_share\":0.97"));
  EXPECT_THAT(json, HasSubstr("\"running\":2"));
}

TEST(JobPathText, SurvivesAnEmptyPath) { EXPECT_THAT(TextOf({}), HasSubstr("Critical path")); }

}  // namespace
}  // namespace gordian
