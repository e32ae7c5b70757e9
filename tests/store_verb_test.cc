// SPDX-License-Identifier: Apache-2.0
// gordian store, as a person runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "store/store.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/recording_fingerprint.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TempDir;
using testing::TraceBuilder;

class StoreVerbTest : public ::testing::Test {
 protected:
  StoreVerbTest() {
    ::setenv("GORDIAN_STORE", folder_.c_str(), 1);
    ::setenv("GORDIAN_STORE_LIMIT", "64M", 1);
  }
  ~StoreVerbTest() override {
    ::unsetenv("GORDIAN_STORE");
    ::unsetenv("GORDIAN_STORE_LIMIT");
  }

  static ProgramResult Run(const std::vector<std::string>& words) {
    std::vector<std::string> command = {GORDIAN_PROGRAM, "store"};
    command.insert(command.end(), words.begin(), words.end());
    return RunProgram(command);
  }
  // What a run that goes well prints.
  static std::string Output(const std::vector<std::string>& words) {
    const ProgramResult result = Run(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }
  void Keep(const std::string& fingerprint, const std::string& path,
            const std::string& stage) const {
    const auto store = Store::Open({.folder = folder_, .limit_bytes = 64 << 20});
    ASSERT_TRUE(store.ok()) << store.status();
    auto writer = store->Begin({.recording = fingerprint, .stage = stage, .format = 1}, path);
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer->AddColumn<char>("content", std::vector<char>(10'000));
    ASSERT_TRUE(writer->Commit().ok());
  }

  const TempDir temporary_;
  const std::string folder_ = temporary_ / "analyses";
};

TEST_F(StoreVerbTest, ListsWhatIsKept) {
  EXPECT_EQ(Output({}), "no analyses are kept in " + folder_ + "\n");
  Keep("01", "/recordings/one", "timeline");
  Keep("02", "/recordings/two", "report");
  const std::string text = Output({});
  EXPECT_THAT(
      text, AllOf(HasSubstr("/recordings/one  timeline"), HasSubstr("/recordings/two  report"),
                  HasSubstr("2 analyses in " + folder_ + ", "), HasSubstr(" of at most 64 MiB\n")));
  const std::string json = Output({"--json"});
  EXPECT_THAT(json, AllOf(HasSubstr(R"("recording":"/recordings/one","fingerprint":"01")"),
                          HasSubstr(R"("limit_bytes":67108864)")));
}

TEST_F(StoreVerbTest, IsNotMadeByVerbsThatOnlyRead) {
  TraceBuilder trace;
  trace.Cpu(0).At(10).Run(1).At(20).Run(0).At(30);
  const std::string session = temporary_ / "session";
  ASSERT_TRUE(trace.WriteSession(session).ok());
  for (const std::vector<std::string>& words : {std::vector<std::string>{"graph", session},
                                                {"timeline", session, "--tid", "1"},
                                                {"diff", session, session},
                                                {"whatif", session, "--skip=1"}}) {
    std::vector<std::string> command = {GORDIAN_PROGRAM};
    command.insert(command.end(), words.begin(), words.end());
    RunProgram(command);
    EXPECT_FALSE(std::filesystem::exists(folder_)) << words.front();
  }
  RunProgram({GORDIAN_PROGRAM, "analyze", session});
  EXPECT_TRUE(std::filesystem::exists(folder_));
}

TEST_F(StoreVerbTest, ShowsNoHostileCharacters) {
  Keep("01", "/recordings/\x1b[31mred\nline", "time\tline");
  const std::string text = Output({});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST_F(StoreVerbTest, ListsAndRemovesWhatItCannotRead) {
  Keep("01", "/recordings/one", "timeline");
  const std::string file = (*std::filesystem::directory_iterator(folder_)).path();
  testing::WriteFile(file, "damaged");
  EXPECT_THAT(Output({}), HasSubstr("of another version, or damaged"));
  EXPECT_THAT(Output({"--json"}), HasSubstr(R"("readable":false)"));
  EXPECT_EQ(Output({"clear"}), "removed 1 analysis, 7 B\n");
}

TEST_F(StoreVerbTest, RemovesAll) {
  Keep("01", "/recordings/one", "timeline");
  Keep("02", "/recordings/two", "timeline");
  EXPECT_THAT(Output({"clear"}), HasSubstr("removed 2 analyses, "));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_EQ(Output({"clear"}), "removed 0 analyses, 0 B\n");
}

TEST_F(StoreVerbTest, RemovesThoseOfARecordingByItsPath) {
  const std::string run = temporary_ / "run";
  Keep("01", run, "timeline");
  Keep("02", run + "/node1", "timeline");
  Keep("03", run + "2", "timeline");
  EXPECT_THAT(Output({"clear", run + "/."}), HasSubstr("removed 2 analyses of "));
  EXPECT_THAT(Output({}), HasSubstr(run + "2  timeline"));
}

TEST_F(StoreVerbTest, RemovesThoseOfARecordingThatWasMoved) {
  const std::string run = temporary_ / "run";
  TraceBuilder builder;
  builder.Thread(1, "one").At(0).Run(1).At(1'000).Block();
  ASSERT_TRUE(builder.WriteSession(run).ok());
  const auto reader = SessionReader::Open(run);
  ASSERT_TRUE(reader.ok()) << reader.status();
  Keep(*RecordingFingerprint(**reader), "/where/it/was", "timeline");
  Keep("02", "/recordings/two", "timeline");
  EXPECT_THAT(Output({"clear", run}), HasSubstr("removed 1 analysis of "));
  EXPECT_THAT(Output({}), HasSubstr("/recordings/two"));
}

TEST_F(StoreVerbTest, TellsInOneLineWhatIsWrong) {
  const ProgramResult nothing = Run({"clear", temporary_ / "nowhere"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.errors, HasSubstr("nowhere does not exist, and no analysis of it is kept"));
  EXPECT_EQ(Run({"clear", "a", "b"}).exit_code, 2);
  EXPECT_EQ(Run({"--json", "clear"}).exit_code, 2);

  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  for (const std::vector<std::string>& words : {std::vector<std::string>{}, {"clear"}}) {
    const ProgramResult result = Run(words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, "gordian: the store of analyses " + folder_ +
                                 " is not used: others may write there; GORDIAN_STORE names "
                                 "another folder, or none if it is empty\n");
  }
  ::setenv("GORDIAN_STORE_LIMIT", "much", 1);
  EXPECT_EQ(Run({}).exit_code, 1);
}

TEST_F(StoreVerbTest, KeepsNothingWithoutAFolder) {
  ::setenv("GORDIAN_STORE", "", 1);
  EXPECT_EQ(Output({}), "no analyses are kept: GORDIAN_STORE names no folder\n");
  EXPECT_EQ(Output({"clear"}), "removed 0 analyses, 0 B\n");
}

}  // namespace
}  // namespace gordian
