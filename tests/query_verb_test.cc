// SPDX-License-Identifier: Apache-2.0
// gordian query, as a person meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "analyzer/testing/scenario.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

// Two threads that hand a CPU to each other; the name of one would colour a terminal.
constexpr char kTwoThreads[] =
    "end 30\n"
    "thread 1 A S\n"
    "thread 2 B\x1b[31m,\"x\" R\n"
    "0 0 switch 0 2\n"
    "10 0 wake 1 by 2\n"
    "10 0 switch 2 1 S\n"
    "20 0 wake 2 by 1\n"
    "20 0 switch 1 2 S\n";

class QueryVerb : public ::testing::Test {
 protected:
  void SetUp() override { WriteScenario(ParseScenario(kTwoThreads), trace_, 100); }

  TempDir dir_;
  std::string trace_ = dir_ / "trace";
};

TEST_F(QueryVerb, PrintsATableWithAlignedColumns) {
  const ProgramResult result =
      Gordian("query", trace_, "SELECT name, run_ns FROM thread WHERE tid = 1");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "name  run_ns\nA         10\n");
}

TEST_F(QueryVerb, PrintsCommaSeparatedValues) {
  const ProgramResult result =
      Gordian("query", trace_, "--csv", "SELECT name, run_ns, NULL AS n FROM thread WHERE tid = 2");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "name,run_ns,n\n\"B\xEF\xBF\xBD[31m,\"\"x\"\"\",20,\n");
}

TEST_F(QueryVerb, WritesAnArrayOfObjects) {
  const ProgramResult result = Gordian("query", trace_, "--json", "-",
                                       "SELECT tid, name, 0.5 AS half FROM thread WHERE tid");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  rapidjson::Document document;
  document.Parse(result.output.c_str());
  ASSERT_TRUE(document.IsArray()) << result.output;
  ASSERT_EQ(document.Size(), 2U);
  EXPECT_STREQ(document[0]["name"].GetString(), "A");
  EXPECT_EQ(document[1]["half"].GetDouble(), 0.5);
  const ProgramResult none =
      Gordian("query", trace_, "--json", "-", "SELECT tid FROM thread WHERE tid = 99");
  EXPECT_EQ(none.output, "[]\n");
}

TEST_F(QueryVerb, ShowsNoControlCharactersOfNames) {
  const ProgramResult result = Gordian("query", trace_, "SELECT name FROM thread");
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b")));
  EXPECT_THAT(result.output, HasSubstr("B\xEF\xBF\xBD[31m"));
}

TEST_F(QueryVerb, AsksFilesAndSavedQuestions) {
  const std::string file = WriteFile(dir_ / "q.sql", "SELECT count(*) AS n FROM edge;\n");
  EXPECT_EQ(Gordian("query", trace_, "--file", file).output, "n\n2\n");
  EXPECT_THAT(Gordian("query", "--list").output, HasSubstr("top-edges "));
  EXPECT_EQ(Gordian("query", trace_, "--csv", "--run", "time-by-cpu").output,
            "cpu,run_ns,threads\n0,30,2\n");
}

TEST_F(QueryVerb, ComparesTwoRecordings) {
  const ProgramResult result = Gordian(
      "query", trace_, trace_, "--csv",
      "SELECT count(*) AS n FROM edge e JOIN b.edge o ON o.to_thread = e.to_thread AND o.to_ns = "
      "e.to_ns");
  EXPECT_EQ(result.output, "n\n2\n") << result.errors;
}

TEST_F(QueryVerb, SaysInOneLineWhatIsWrong) {
  ProgramResult result = Gordian("query", trace_, "SELECT 1; DROP TABLE thread");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_EQ(result.errors, "gordian: more than one statement: ask one at a time\n");
  result = Gordian("query", trace_, "CREATE TABLE x(a)");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, StartsWith("gordian: only questions are answered"));
  result = Gordian("query", trace_);
  EXPECT_EQ(result.exit_code, 2);
  result = Gordian("query", trace_, "--run", "none");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("there is no saved query none"));
  result = Gordian("query", dir_ / "nowhere", "SELECT 1");
  EXPECT_EQ(result.exit_code, 1);
}

}  // namespace
}  // namespace gordian::testing
