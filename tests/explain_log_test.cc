// SPDX-License-Identifier: Apache-2.0
// gordian explain-log, as a person meets it, on three nodes with a planted fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "loglines/test_three_nodes.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Without breaks of lines.
std::string InOneRow(std::string text) { return absl::StrReplaceAll(text, {{"\n", " "}}); }

class ExplainLogVerb : public ::testing::Test {
 protected:
  template <typename... Arguments>
  ProgramResult ExplainLog(const Arguments&... arguments) {
    return RunProgram({GORDIAN_PROGRAM, "explain-log", arguments...});
  }
  const std::string& trace() const { return nodes_.directory(); }
  std::string LogsFolder() const {
    const std::string& log = nodes_.logs()[1];
    return log.substr(0, log.rfind("/front/"));
  }

  ThreeNodes nodes_;
  TempDir dir_;
};

TEST_F(ExplainLogVerb, TellsTheAnswerFirst) {
  const ProgramResult result = ExplainLog(trace(), "--log", nodes_.front_log(), "--match",
                                          "timed out", "--logs", LogsFolder());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(InOneRow(result.output),
              StartsWith("Before this line, front/frontend/20 waited 300 ms in vain "
                         "for back/backend/30, which waited 299.6 ms for back/disk "
                         "sda."));
  EXPECT_THAT(result.output, HasSubstr("Who wrote it: front/frontend/20 (sure"));
  EXPECT_THAT(result.output, HasSubstr("back.log:31"));
  EXPECT_THAT(result.output, HasSubstr("gordian slice "));
}

TEST_F(ExplainLogVerb, TakesAFileAndALine) {
  const ProgramResult result =
      ExplainLog(trace(), absl::StrCat(nodes_.front_log(), ":32"), "--json", "-");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  rapidjson::Document told;
  ASSERT_FALSE(told.Parse(result.output.c_str()).HasParseError());
  EXPECT_STREQ(told["line"]["thread"].GetString(), "front/frontend/20");
  EXPECT_TRUE(told["edges"][0]["in_vain"].GetBool());
}

TEST_F(ExplainLogVerb, JoinsRecordingsOfSingleNodes) {
  const ProgramResult result =
      ExplainLog(trace() + "/client", trace() + "/front", trace() + "/back",
                 absl::StrCat(nodes_.front_log(), ":32"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(InOneRow(result.output), HasSubstr("in vain for back/backend/30"));
}

TEST_F(ExplainLogVerb, OneNodeAloneTellsThatItsPeerDidNotAnswer) {
  const ProgramResult result =
      ExplainLog(trace() + "/front", absl::StrCat(nodes_.front_log(), ":32"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(InOneRow(result.output),
              StartsWith("Before this line, frontend/20 waited 300 ms in vain for network eth0."));
}

TEST_F(ExplainLogVerb, NothingOfALogBecomesAPartOfThePage) {
  const std::string evil = "<script>alert('x')</script> \"&\x1b[31m";
  const std::string path =
      WriteFile(dir_ / "front.log",
                absl::StrCat(nodes_.StampAt(kFaultBeginsNs + 301'700'000), " ", evil, "\n"));
  const std::string page = dir_ / "page.html";
  const ProgramResult result = ExplainLog(trace(), path + ":1", "--node", "front", "--html", page);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, IsEmpty());
  const std::string html = ReadFile(page);
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST_F(ExplainLogVerb, OfAFolderUnreadableLogsAreLeftOut) {
  const std::string broken = LogsFolder() + "/back/old.log.gz";
  WriteFile(broken, "\x1f\x8b\x08 no gzip");
  WriteFile(LogsFolder() + "/back/core", std::string(1000, '\0'));
  const ProgramResult result = ExplainLog(trace(), "--log", LogsFolder() + "/./front/front.log",
                                          "--match", "timed out", "--logs", LogsFolder());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("core has no time stamps that are known"));
  // The asked file is not read once more under its other name.
  EXPECT_THAT(result.output, Not(HasSubstr("front.log:32  ")));
}

TEST_F(ExplainLogVerb, ItsCommandsWork) {
  const ProgramResult told = ExplainLog(trace(), absl::StrCat(nodes_.front_log(), ":32"));
  const size_t begin = told.output.find("gordian slice ");
  ASSERT_NE(begin, std::string::npos);
  std::string command = told.output.substr(begin, told.output.find('\n', begin) - begin);
  std::vector<std::string> words = absl::StrSplit(command, ' ');
  words[0] = GORDIAN_PROGRAM;
  const ProgramResult result = RunProgram(words);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("What front/frontend/20 did until"));
}

TEST_F(ExplainLogVerb, MistakesAreToldInOneLine) {
  const auto told = [&](const ProgramResult& result, int exit_code, const std::string& words) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_THAT(result.errors, HasSubstr(words));
    EXPECT_THAT(result.output, IsEmpty());
  };
  told(ExplainLog(trace()), 2, "then FILE:LINE");
  told(ExplainLog(trace(), "front.log"), 2, "is no line of a log");
  told(ExplainLog(trace(), "--log", nodes_.front_log()), 2, "--match");
  told(ExplainLog(trace(), nodes_.front_log() + ":9999"), 1, "has no line 9999");
  told(ExplainLog(trace(), dir_ / "none:1"), 1, "cannot open");
  told(ExplainLog(trace(), "--log", "-", "--match", "x"), 2, "name a file");
  told(ExplainLog(trace(), nodes_.front_log() + ":1", "--logs", "mars=" + nodes_.front_log() + "x"),
       1, "cannot open");
}

}  // namespace
}  // namespace gordian::testing
