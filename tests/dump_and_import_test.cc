// SPDX-License-Identifier: Apache-2.0
// gordian dump and gordian import, as a person meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const char* const kSmallTrace =
    "0,-1,thread,10,10,A\n"
    "5,0,switch,0,10,R\n"
    "9,0,net_send,10,100\n";

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

// `script` finds the program as $gordian and the session or file as $0.
ProgramResult Shell(const std::string& script, const std::string& path) {
  return RunProgram({"/bin/bash", "-c",
                     "set -o pipefail; gordian='" + std::string(GORDIAN_PROGRAM) + "'; " + script,
                     path});
}

MATCHER(IsOneLine, "is one line") {
  return std::count(arg.begin(), arg.end(), '\n') == 1 && arg.back() == '\n';
}

// The text between ```LANGUAGE and the next ``` of a document.
std::string CodeBlock(const std::string& document, const std::string& language) {
  const std::string opening = "```" + language + "\n";
  const size_t begin = document.find(opening) + opening.size();
  return document.substr(begin, document.find("```", begin) - begin);
}

// A session with two threads and `switches` switches between them, 1 ms apart.
std::string SmallSession(const TempDir& dir, int switches = 4) {
  TraceBuilder t;
  t.Thread(10, "A").Thread(20, "B");
  for (int i = 0; i < switches; ++i) t.At((i + 1) * 1_ms).Cpu(0).Run(i % 2 == 0 ? 10 : 20);
  EXPECT_TRUE(t.WriteSession(dir / "trace").ok());
  return dir / "trace";
}

TEST(Import, DoesWhatItsDocumentShows) {
  const std::string document = ReadFile(GORDIAN_SOURCES "/docs/import-csv.md");
  const TempDir dir;
  const std::string csv = WriteFile(dir / "example.csv", CodeBlock(document, "csv"));
  const ProgramResult imported = Gordian("import", "--format", "csv", csv, "-o", dir / "trace");
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_THAT(imported.errors, IsEmpty());
  EXPECT_THAT(imported.output, StartsWith("imported 13 events from 17 lines into "));
  const ProgramResult dumped = Gordian("dump", dir / "trace");
  EXPECT_EQ(dumped.exit_code, 0) << dumped.errors;
  EXPECT_EQ(dumped.output, CodeBlock(document, "text"));
}

TEST(Import, ReadsStandardInput) {
  const TempDir dir;
  WriteFile(dir / "a.csv", kSmallTrace);
  const ProgramResult result =
      Shell("cat $0/a.csv | $gordian import --format csv - -o $0/trace", dir.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(Gordian("dump", dir / "trace", "--kind", "net_send").output,
            "     0.000000009  cpu  0  net_send        100 B by A/10\n");
}

TEST(Import, TellsABadLineOfStandardInput) {
  const TempDir dir;
  WriteFile(dir / "a.csv", std::string(kSmallTrace) + "x\n");
  const ProgramResult result = Shell("cat $0/a.csv | $gordian import - -o $0/trace", dir.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors,
            "gordian: standard input:4: expected time_ns,cpu,kind,arguments, found \"x\"\n");
  EXPECT_THAT(dir.Entries(), ElementsAre("a.csv"));
}

TEST(Import, TellsWhatDoesNotFitTogether) {
  const TempDir dir;
  const std::string csv = WriteFile(dir / "a.csv", "1,0,switch,0,10,R\n2,0,switch,11,10,S\n");
  const ProgramResult result = Gordian("import", csv, "-o", dir / "trace");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("gordian: import_switches_inconsistent (1): "));
  EXPECT_THAT(Gordian("dump", "--summary", dir / "trace").output,
              HasSubstr("1 import_switches_inconsistent (data lost)"));
}

TEST(Import, TakesAKernelsTraceAndTellsWhatItLacks) {
  const TempDir dir;
  WriteFile(dir / "a.txt",
            "  a-10  [000] d..2.  1.000001: sched_waking: comm=b pid=20 prio=120\n"
            "  a-10  [000] d..2.  1.000002: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 "
            "prev_state=S ==> next_comm=b next_pid=20 next_prio=120\n");
  const ProgramResult result =
      Shell("cat $0/a.txt | $gordian import --format ftrace - -o $0/trace", dir.path());
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("imported 4 events from 2 lines into "));
  EXPECT_THAT(result.errors, HasSubstr("gordian: import_without_packets (1): "));
  EXPECT_EQ(Gordian("dump", dir / "trace", "--kind", "wake").output,
            "     0.000000000  cpu  0  wake            b/20 by a/10\n");
  EXPECT_THAT(Gordian("analyze", dir / "trace").output, HasSubstr("import_without_disks 1"));
}

TEST(Import, RefusesABinaryTraceFromAPipe) {
  const TempDir dir;
  for (const char* format : {"perf", "perfetto", "trace-cmd"}) {
    const ProgramResult result =
        Shell(std::string("echo | $gordian import - -o $0/trace --format ") + format, dir.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.errors, HasSubstr("gordian: standard input: is empty, or no file"));
  }
  EXPECT_THAT(dir.Entries(), ::testing::IsEmpty());
}

TEST(Import, AnswersBadInputWithOneLine) {
  const TempDir dir;
  const std::string good = WriteFile(dir / "good.csv", kSmallTrace);
  const std::string bad = WriteFile(dir / "bad.csv", "1,0,jump,1\n");
  const std::string binary = WriteFile(dir / "binary", std::string("\x7f\0\xff\n", 4));
  const std::string empty = WriteFile(dir / "empty.csv", "");
  std::filesystem::create_directory(dir / "full");
  WriteFile(dir / "full/file", "precious");
  const auto before = dir.Entries();

  struct Case {
    ProgramResult result;
    int exit_code;
    std::string message;
  };
  const Case cases[] = {
      {Gordian("import", bad, "-o", dir / "out"), 2, "bad.csv:1: \"jump\" is no kind of event"},
      {Gordian("import", binary, "-o", dir / "out"), 2, "binary:1: the line is not UTF-8 text"},
      {Gordian("import", empty, "-o", dir / "out"), 2, "the file holds no events"},
      {Gordian("import", dir / "none.csv", "-o", dir / "out"), 1, "No such file or directory"},
      {Gordian("import", dir.path(), "-o", dir / "out"), 1, "Is a directory"},
      {Gordian("import", good, "-o", dir / "full"), 1, "is not empty; choose another -o"},
      {Gordian("import", good, "-o", good), 1, "is there already and no folder"},
      {Gordian("import", good, "-o", dir / "none/out"), 1, "No such file or directory"},
      {Gordian("import", good), 2, "--output is required"},
      {Gordian("import", "-o", dir / "out"), 2, "FILE is required"},
      {Gordian("import", good, "-o", dir / "out", "--format", "xml"), 2, "--format"},
      {Gordian("import", good, "-o", dir / "out", "--fast"), 2, "--fast"},
  };
  for (const Case& bad_case : cases) {
    EXPECT_EQ(bad_case.result.exit_code, bad_case.exit_code) << bad_case.result.errors;
    EXPECT_THAT(bad_case.result.errors, HasSubstr(bad_case.message));
    EXPECT_THAT(bad_case.result.errors, IsOneLine());
    EXPECT_THAT(bad_case.result.output, IsEmpty());
  }
  EXPECT_EQ(dir.Entries(), before);
  EXPECT_EQ(ReadFile(dir / "full/file"), "precious");
}

TEST(Dump, PicksEvents) {
  const TempDir dir;
  const std::string trace = SmallSession(dir);
  EXPECT_EQ(Gordian("dump", trace, "--from", "2ms", "--to", "3ms").output,
            "     0.002000000  cpu  0  switch          A/10 (preempted) → B/20\n");
  EXPECT_EQ(Gordian("dump", "--kind", "task", "--tid", "20", trace).output,
            "     0.000000000  cpu  -  task            alive B/20\n");
  EXPECT_EQ(Gordian("dump", "--cpu", "-1", "--kind", "task,switch", trace).output,
            "     0.000000000  cpu  -  task            alive A/10\n"
            "     0.000000000  cpu  -  task            alive B/20\n");
  EXPECT_THAT(Gordian("dump", "--cpu", "7", trace).output, IsEmpty());
}

TEST(Dump, PrintsOneJsonObjectPerLine) {
  const TempDir dir;
  const ProgramResult result = Gordian("dump", "--json", SmallSession(dir));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 6);
  for (size_t begin = 0; begin < result.output.size();) {
    const size_t end = result.output.find('\n', begin);
    rapidjson::Document json;
    json.Parse(result.output.substr(begin, end - begin).c_str());
    ASSERT_FALSE(json.HasParseError());
    EXPECT_TRUE(json.HasMember("kind"));
    begin = end + 1;
  }
}

TEST(Dump, SummarizesAsJson) {
  const TempDir dir;
  const ProgramResult result = Gordian("dump", "--summary", "--json", SmallSession(dir));
  rapidjson::Document json;
  json.Parse(result.output.c_str());
  ASSERT_FALSE(json.HasParseError()) << result.output;
  EXPECT_EQ(json["events_total"].GetInt(), 6);
  EXPECT_EQ(json["events"]["switch"].GetInt(), 4);
}

TEST(Dump, EndsQuietlyWhenNobodyReadsOn) {
  const TempDir dir;
  const std::string trace = SmallSession(dir, 20'000);  // more text than a pipe and our buffer hold
  const ProgramResult result = Shell("$gordian dump $0 | head -1", trace);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.output, IsOneLine());
}

TEST(Dump, TellsThatTheDiskIsFull) {
  const TempDir dir;
  const ProgramResult result = Shell("$gordian dump $0 >/dev/full", SmallSession(dir));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("No space left on device"));
  EXPECT_THAT(result.errors, IsOneLine());
}

TEST(Dump, ReadsATruncatedTraceAndTells) {
  const TempDir dir;
  const std::string trace = SmallSession(dir);
  const std::string file = trace + "/cpu-000.trace";
  const std::string whole = ReadFile(file);
  WriteFile(file, std::string_view(whole).substr(0, whole.size() - 1));
  const ProgramResult result = Gordian("dump", trace);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2);
  EXPECT_THAT(result.errors, HasSubstr("the session is damaged"));
  EXPECT_THAT(result.errors, IsOneLine());
  EXPECT_THAT(Gordian("dump", "--summary", trace).output,
              HasSubstr("1 files that end inside a block"));
}

TEST(Dump, AnswersBadInputWithOneLine) {
  const TempDir dir;
  const std::string trace = SmallSession(dir);
  const std::string file = WriteFile(dir / "file", "no session\n");
  std::filesystem::create_directory(dir / "empty");
  std::filesystem::create_directory(dir / "foreign");
  WriteFile(dir / "foreign/readme.txt", "hello\n");

  struct Case {
    ProgramResult result;
    int exit_code;
    std::string message;
  };
  const Case cases[] = {
      {Gordian("dump", dir / "none"), 1, dir / "none"},
      {Gordian("dump", file), 1, file},
      {Gordian("dump", dir / "empty"), 1, dir / "empty"},
      {Gordian("dump", dir / "foreign"), 1, dir / "foreign"},
      {Gordian("dump"), 2, "DIR is required"},
      {Gordian("dump", trace, "--kind", "swich"), 2, "swich"},
      {Gordian("dump", trace, "--from", "5"), 2, "--from"},
      {Gordian("dump", trace, "--from", "soon"), 2, "soon"},
      {Gordian("dump", trace, "--tid", "-3"), 2, "--tid"},
      {Gordian("dump", trace, "--cpu", "-2"), 2, "--cpu"},
      {Gordian("dump", trace, "--summary", "--tid", "3"), 2, "--tid"},
      {Gordian("dump", trace, "--sumary"), 2, "--sumary"},
      {Gordian("dump", trace, "more"), 2, "more"},
  };
  for (const Case& bad_case : cases) {
    EXPECT_EQ(bad_case.result.exit_code, bad_case.exit_code) << bad_case.result.errors;
    EXPECT_THAT(bad_case.result.errors, HasSubstr(bad_case.message));
    EXPECT_THAT(bad_case.result.errors, IsOneLine());
    EXPECT_THAT(bad_case.result.output, IsEmpty());
  }
}

}  // namespace
}  // namespace gordian::testing
