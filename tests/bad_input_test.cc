// SPDX-License-Identifier: Apache-2.0
// Bad input to every verb that reads or makes a recording: one clear line on stderr, exit code 1 or
// 2, and nothing half-written. command_line_test.cc has command lines that make no sense.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr uid_t kStranger = 65534;
constexpr uint64_t kMs = 1'000'000;

// Each with the words behind its folder that make it work.
const std::vector<Words>& ReadingVerbs() {
  static const std::vector<Words> verbs = {{"analyze"},
                                           {"graph"},
                                           {"timeline", "--tid", "1"},
                                           {"dump"},
                                           {"dump", "--summary"},
                                           {"symbolize"},
                                           {"phases"},
                                           {"traffic"},
                                           {"whatif", "--cpus", "4"}};
  return verbs;
}

void ExpectOneClearLine(const ProgramResult& result, const std::string& about) {
  SCOPED_TRACE(about + ": " + result.errors);
  EXPECT_TRUE(result.exit_code == 1 || result.exit_code == 2) << result.exit_code;
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
  EXPECT_THAT(result.errors, ::testing::StartsWith("gordian"));
  EXPECT_TRUE(std::none_of(result.errors.begin(), result.errors.end(), [](char letter) {
    return letter != '\n' && std::iscntrl(static_cast<unsigned char>(letter)) != 0;
  }));
  EXPECT_LT(result.errors.size(), 600u);
}

class BadInput : public ::testing::Test {
 protected:
  static ProgramResult Read(const Words& verb, const std::string& folder, const Words& more = {}) {
    Words words = {GORDIAN_PROGRAM, verb.front(), folder};
    words.insert(words.end(), verb.begin() + 1, verb.end());
    words.insert(words.end(), more.begin(), more.end());
    return RunProgram(words);
  }
  // Every verb refuses the folder, and says what is wrong with it.
  static void ExpectRefused(const std::string& folder, const std::string& why) {
    for (const Words& verb : ReadingVerbs()) {
      const ProgramResult result = Read(verb, folder);
      ExpectOneClearLine(result, verb.front());
      EXPECT_THAT(result.errors, HasSubstr(why)) << verb.front();
    }
  }
  std::string Recording(const std::string& name) const {
    TraceBuilder builder;
    builder.Thread(1, "worker")
        .At(0)
        .Run(1)
        .At(5 * kMs)
        .Block()
        .At(9 * kMs)
        .WakeFromTimer(1)
        .Run(1);
    EXPECT_TRUE(builder.At(20 * kMs).Block().WriteSession(dir_ / name).ok());
    return dir_ / name;
  }
  std::string Folder(const std::string& name) const {
    std::filesystem::create_directory(dir_ / name);
    return dir_ / name;
  }
  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    return dir_ / name;
  }
  const TempDir dir_;
};

TEST_F(BadInput, AFolderThatIsNotThere) {
  ExpectRefused(dir_ / "nowhere", "nowhere does not exist");
}

TEST_F(BadInput, AFile) { ExpectRefused(File("text", "text"), "text is not a folder"); }

TEST_F(BadInput, APipe) {
  ASSERT_EQ(mkfifo(std::string(dir_ / "pipe").c_str(), 0600), 0);
  ExpectRefused(dir_ / "pipe", "pipe is not a folder");
}

TEST_F(BadInput, AnEmptyFolder) { ExpectRefused(Folder("empty"), "empty holds no session"); }

TEST_F(BadInput, TheRootOfAllFolders) { ExpectRefused("/", "/ holds no session"); }

TEST_F(BadInput, AnEmptyName) {
  for (const Words& verb : ReadingVerbs()) {
    if (verb.front() == "phases") continue;  // as without a folder: the logs alone
    const ProgramResult result = Read(verb, "");
    ExpectOneClearLine(result, verb.front());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr("the folder's name is empty")) << verb.front();
  }
}

TEST_F(BadInput, ANameWithNewlinesAndEscapes) {
  ExpectRefused(dir_ / "two\nlines\x1b[31mred\x07", "does not exist");
}

TEST_F(BadInput, AnEmptyDescription) {
  Folder("torn");
  File("torn/session.pb", "");
  ExpectRefused(dir_ / "torn", "its session.pb is damaged");
}

TEST_F(BadInput, ADescriptionFromTheFuture) {
  const std::string run = Recording("future");
  pb::Session session;
  std::ifstream old(run + "/session.pb");
  ASSERT_TRUE(session.ParseFromIstream(&old));
  session.set_format_version(1000);
  std::ofstream(run + "/session.pb") << session.SerializeAsString();
  ExpectRefused(run, "was written by a newer gordian");
}

TEST_F(BadInput, AFolderOfAnotherUser) {
  const std::string run = Recording("private");
  ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(run.c_str(), 0700), 0);
  for (const Words& verb : ReadingVerbs()) {
    Words words = {GORDIAN_PROGRAM, verb.front(), run};
    words.insert(words.end(), verb.begin() + 1, verb.end());
    const ProgramResult result = RunProgram(words, kStranger);
    if (result.exit_code == 126) GTEST_SKIP() << "only root can become another user";
    ExpectOneClearLine(result, verb.front());
    EXPECT_THAT(result.errors, HasSubstr("private")) << verb.front();
  }
}

// What is left is shown; that something is missing is told in the report itself.
TEST_F(BadInput, ATornDescriptionLosesNoEvents) {
  const std::string run = Recording("torn");
  std::filesystem::resize_file(run + "/session.pb", 3);
  const ProgramResult summary = Read({"dump", "--summary"}, run);
  EXPECT_EQ(summary.exit_code, 0) << summary.errors;
  EXPECT_THAT(summary.output, HasSubstr("switch"));
}

TEST_F(BadInput, NoFileAppearsBesideAnError) {
  File("events.csv", "no such line\n");
  for (const Words& words : {Words{"analyze", dir_ / "nowhere", "--html", dir_ / "report.html",
                                   "--json", dir_ / "r.json"},
                             Words{"analyze", dir_ / "nowhere", "--dot", dir_ / "graph.dot"},
                             Words{"phases", dir_ / "nowhere", "--html", dir_ / "report.html"},
                             Words{"import", dir_ / "events.csv", "-o", dir_ / "imported"},
                             Words{"import", dir_ / "nowhere.csv", "-o", dir_ / "imported"}}) {
    Words command = {GORDIAN_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    ExpectOneClearLine(RunProgram(command), words.front());
  }
  EXPECT_THAT(dir_.Entries(), ElementsAre("events.csv"));
}

TEST_F(BadInput, QuantitiesAndNumbersAreRefusedWithTheirForm) {
  const std::string run = Recording("run");
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"dump", run, "--from", "5"}, "'5' has no unit: give 250ms"},
      {{"dump", run, "--to", "-1s"}, "'-1s' is no time: give 250ms"},
      {{"dump", run, "--to", ""}, "'' is no time"},
      {{"dump", run, "--from", "99999999999d"}, "too long a time"},
      {{"dump", run, "--tid", "-4"}, "'-4' is no whole number from 0"},
      {{"dump", run, "--cpu", "1e3"}, "'1e3' is no whole number from -1"},
      {{"dump", run, "--kind", "sneeze"}, "sneeze"},
      {{"analyze", run, "--from", "now"}, "'now' is no time"},
      {{"analyze", run, "--pid", "-1"}, "'-1' is no whole number from 1 to 2147483647"},
      {{"analyze", run, "--pid", "99999999999999999999"}, "is no whole number"},
      {{"analyze", run, "--threads", "0"}, "'0' is no whole number from 1"},
      {{"analyze", run, "--color", "red"}, "--color"},
      {{"timeline", run, "--tid", "0x10"}, "'0x10' is no whole number"},
      {{"timeline", run, "--tid", "\x1b[31m"}, "is no whole number"},
      {{"phases", run, "--slice", "0"}, "is no time from 1us to 1h"},
      {{"phases", run, "--slice", "fast"}, "give 50ms"},
      {{"traffic", run, "--top", "0"}, "'0' is no whole number from 1"},
      {{"traffic", run, "--per", "0s"}, "'0s' is no length of time"},
      {{"record", "--duration", "5"}, "'5' has no unit"},
      {{"record", "--duration", "0s"}, "must be more than nothing"},
      {{"record", "--pid", "-1"}, "is no whole number from 1"},
      {{"record", "--sample-hz", "1e9"}, "is no whole number from 0 to 10000"},
      {{"record", "--max-size", "64X"}, "'64X' is no size: give 64M"},
      {{"record", "--ring", "999999999999999999E"}, "too large a size"},
      {{"record", "--comm", ""}, "the name is empty"},
      {{"record", "-o", ""}, "the folder's name is empty"},
      {{"record", "--", ""}, "the COMMAND is empty"},
      {{"collect", "web", "--nodes", "all", "--rate", "fast"}, "'fast' is no size"},
  };
  for (const auto& [words, why] : cases) {
    Words command = {GORDIAN_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    const ProgramResult result = RunProgram(command);
    ExpectOneClearLine(result, ::testing::PrintToString(words));
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(why));
  }
  EXPECT_THAT(dir_.Entries(), ElementsAre("run"));
}

TEST_F(BadInput, AnOutputThatCannotBeWrittenIsAFailure) {
  const std::string run = Recording("run");
  for (const Words& words : {Words{"dump", run}, Words{"dump", "--summary", run},
                             Words{"graph", run}, Words{"analyze", run}, Words{"model", "list"},
                             Words{"--help"}, Words{"record", "--help"}, Words{"--version"}}) {
    std::string line = GORDIAN_PROGRAM;
    for (const std::string& word : words) line += " " + word;
    const ProgramResult result = RunProgram({"/bin/sh", "-c", line + " > /dev/full"});
    ExpectOneClearLine(result, words.front());
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.errors, HasSubstr("cannot write standard output: No space left"));
  }
}

TEST_F(BadInput, ExitCodesAreThoseOfTheTable) {
  const std::string run = Recording("run");
  const std::vector<std::pair<Words, int>> cases = {
      {{"dump", run}, 0},
      {{"--version"}, 0},
      {{"analyze", "--help"}, 0},
      {{"dump", dir_ / "nowhere"}, 1},
      {{"list", "--socket", dir_ / "no.sock"}, 1},
      {{"dump"}, 2},
      {{}, 2},
      {{"frobnicate"}, 2},
      {{"analyze", run, "--frobnicate"}, 2},
  };
  for (const auto& [words, code] : cases) {
    Words command = {GORDIAN_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    EXPECT_EQ(RunProgram(command).exit_code, code) << ::testing::PrintToString(words);
  }
}

}  // namespace
}  // namespace gordian::testing
