// SPDX-License-Identifier: Apache-2.0
// gordian participation on imported graphs, as a person meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

std::string TextOfFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The graph in docs/import-activities.md.
std::string DocumentedGraph() {
  const std::string page =
      TextOfFile(std::filesystem::path(GORDIAN_SOURCES) / "docs/import-activities.md");
  const std::string opening = "```csv\n";
  const size_t begin = page.find(opening) + opening.size();
  return page.substr(begin, page.find("```", begin) - begin);
}

class ParticipationVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult imported =
        Gordian("import", "--format", "activities",
                WriteFile(dir_ / "graph.csv", DocumentedGraph()), "-o", graph_);
    ASSERT_EQ(imported.exit_code, 0) << imported.errors;
    EXPECT_THAT(imported.output, StartsWith("imported 5 activities from 6 lines into "));
  }

  rapidjson::Document Json(const std::string& by) {
    const ProgramResult result = Gordian("participation", graph_, "--by", by, "--json", "-");
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    rapidjson::Document document;
    document.Parse(result.output.c_str());
    EXPECT_FALSE(document.HasParseError());
    return document;
  }

  TempDir dir_;
  std::string graph_ = dir_ / "graph";
};

TEST_F(ParticipationVerb, TellsTheFourSummariesOfAGraph) {
  const ProgramResult result = Gordian("participation", graph_);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("2 paths lead through 100 ns. Processing is 90 % of"));
  for (const char* table : {"\nACTIVITY ", "\nTHREAD ", "\nOPERATOR ", "\nFROM → TO "})
    EXPECT_THAT(result.output, HasSubstr(table));
  EXPECT_THAT(result.output, HasSubstr("A → B"));
}

TEST_F(ParticipationVerb, WritesJsonWithWindowsAndRows) {
  const rapidjson::Document document = Json("thread");
  EXPECT_STREQ(document["by"].GetString(), "thread");
  const auto& window = document["windows"][0];
  EXPECT_EQ(window["from_ns"].GetUint64(), 0u);
  EXPECT_EQ(window["to_ns"].GetUint64(), 100u);
  EXPECT_EQ(window["paths"].GetDouble(), 2);
  EXPECT_STREQ(window["rows"][0]["name"].GetString(), "A");
  EXPECT_DOUBLE_EQ(window["rows"][0]["cp"].GetDouble(), 0.9);
  EXPECT_DOUBLE_EQ(window["rows"][0]["crossings"].GetDouble(), 2);

  const std::string file = dir_ / "out.json";
  const ProgramResult result = Gordian("participation", graph_, "--by", "thread", "--json", file);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, IsEmpty());
  rapidjson::Document again;
  again.Parse(TextOfFile(file).c_str());
  EXPECT_EQ(again, document);
}

TEST_F(ParticipationVerb, CutsTimeIntoWindows) {
  ProgramResult result = Gordian("participation", graph_, "--window", "40ns");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("in 3 windows of 100 ns"));
  result = Gordian("participation", graph_, "--between", "60", "80", "--json", "-");
  EXPECT_THAT(result.output, HasSubstr("\"from_ns\": 60"));
  EXPECT_THAT(result.output, HasSubstr("\"paths\": 2"));
}

TEST_F(ParticipationVerb, TellsTheCriticalPath) {
  ProgramResult result = Gordian("participation", graph_, "--critical-path");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("The critical path is 100 ns long and has "));
  result = Gordian("participation", graph_, "--critical-path", "--json", "-");
  rapidjson::Document document;
  document.Parse(result.output.c_str());
  ASSERT_FALSE(document.HasParseError()) << result.output;
  EXPECT_STREQ(document["steps"][0]["worker"].GetString(), "A");
  EXPECT_EQ(document["to_ns"].GetUint64(), 100u);
}

TEST_F(ParticipationVerb, RefusesWhatMakesNoSenseInOneLine) {
  const std::vector<std::vector<std::string>> wrong = {{"--by", "phase"},
                                                       {"--by", "function"},
                                                       {"--by", "colour"},
                                                       {"--window", "0s"},
                                                       {"--between", "5", "5"},
                                                       {"--between", "5"},
                                                       {"--from", "2s"},
                                                       {"--between", "1", "x"},
                                                       {"--between", "1", "-2"},
                                                       {"--window", "fast"},
                                                       {"--from", "0", "--between", "1", "2"},
                                                       {"--critical-path", "--window", "5ns"},
                                                       {"--critical-path", "--by", "thread"}};
  for (std::vector<std::string> words : wrong) {
    words.insert(words.begin(), {GORDIAN_PROGRAM, "participation", graph_});
    const ProgramResult result = RunProgram(words);
    EXPECT_EQ(result.exit_code, 2) << words[3];
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
  const ProgramResult result = Gordian("participation", dir_ / "nowhere");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("does not exist"));
}

TEST_F(ParticipationVerb, CountsWhatTheImportLeftOut) {
  const ProgramResult imported =
      Gordian("import", "--format", "activities",
              WriteFile(dir_ / "odd.csv", "a,5,b,4,m,,1\na,0,a,9,t,,1\n"), "-o", dir_ / "odd");
  EXPECT_EQ(imported.exit_code, 0);
  EXPECT_THAT(imported.errors, StartsWith("gordian: activities_back_in_time (1): "));
  const ProgramResult result = Gordian("participation", dir_ / "odd");
  EXPECT_THAT(result.output, HasSubstr("1: Activities of an imported graph that end before"));
}

TEST_F(ParticipationVerb, TellsTheLineThatIsWrong) {
  const std::string file = WriteFile(dir_ / "wrong.csv", "a,5,b,4,m,,1\na,0,a,9,t,,2\n");
  const ProgramResult result =
      Gordian("import", "--format", "activities", file, "-o", dir_ / "wrong");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "gordian: " + file + ":2: traversable must be 0 or 1, not \"2\"\n");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "wrong"));
}

}  // namespace
}  // namespace gordian::testing
