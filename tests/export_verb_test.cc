// SPDX-License-Identifier: Apache-2.0
// gordian export, as people use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analyzer/testing/scenario.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename... Arguments>
ProgramResult Gordian(const Arguments&... arguments) {
  return RunProgram({GORDIAN_PROGRAM, arguments...});
}

constexpr char kTwoThreads[] =
    "end 30\n"
    "thread 1 A S\n"
    "thread 2 B\x1b[31m,\"x\" R\n"
    "0 0 switch 0 2\n"
    "10 0 wake 1 by 2\n"
    "10 0 switch 2 1 S\n"
    "20 0 wake 2 by 1\n"
    "20 0 switch 1 2 S\n";

class ExportVerb : public ::testing::Test {
 protected:
  void SetUp() override { WriteScenario(ParseScenario(kTwoThreads), trace_, 100); }

  static std::string TextOf(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // One row's cells with "|" in between.
  static std::vector<std::string> Ask(const std::string& path, const std::string& sql) {
    sqlite3* file = nullptr;
    std::vector<std::string> lines;
    sqlite3_open_v2(path.c_str(), &file, SQLITE_OPEN_READONLY, nullptr);
    const auto add = [](void* to, int count, char** cells, char**) {
      std::string line;
      for (int i = 0; i < count; ++i)
        line += (i > 0 ? "|" : "") + std::string(cells[i] == nullptr ? "" : cells[i]);
      static_cast<std::vector<std::string>*>(to)->push_back(line);
      return 0;
    };
    char* error = nullptr;
    sqlite3_exec(file, sql.c_str(), add, &lines, &error);
    EXPECT_EQ(error, nullptr) << sql << ": " << error;
    sqlite3_free(error);
    sqlite3_close(file);
    return lines;
  }
  static std::vector<std::string> NamesIn(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  TempDir dir_;
  std::string trace_ = dir_ / "trace";
  std::string file_ = dir_ / "trace.db";
};

TEST_F(ExportVerb, WritesAllTablesAsQueriesGiveThem) {
  const ProgramResult result = Gordian("export", trace_, "--sqlite", file_);
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(Ask(file_, "PRAGMA integrity_check"), ElementsAre("ok"));
  EXPECT_THAT(Ask(file_, "SELECT count(*) FROM sqlite_master WHERE type = 'table'"),
              ElementsAre("16"));
  for (const char* sql :
       {"SELECT * FROM segment ORDER BY thread, begin_ns", "SELECT * FROM edge",
        "SELECT * FROM event", "SELECT id, tid, run_ns FROM thread", "SELECT * FROM span"}) {
    const std::string csv = Gordian("query", trace_, "--csv", sql).output;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'),
              static_cast<ptrdiff_t>(Ask(file_, sql).size() + 1))
        << sql;
  }
  EXPECT_THAT(Ask(file_, "SELECT name, run_ns FROM thread WHERE tid IN (1, 2)"),
              ElementsAre("A|10", "B\xEF\xBF\xBD[31m,\"x\"|20"));
}

TEST_F(ExportVerb, WritesAFileOfValuesForEachTable) {
  const std::string folder = dir_ / "tables";
  const ProgramResult result = Gordian("export", trace_, "--csv", folder, "--table", "thread,edge");
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(NamesIn(folder), ElementsAre("edge.csv", "thread.csv"));
  EXPECT_EQ(TextOf(folder + "/edge.csv"),
            Gordian("query", trace_, "--csv", "SELECT * FROM edge").output);
  EXPECT_THAT(TextOf(folder + "/thread.csv"), HasSubstr("\"B\xEF\xBF\xBD[31m,\"\"x\"\"\""));
}

TEST_F(ExportVerb, WritesOverNothingUnlessItIsTold) {
  std::ofstream(file_) << "mine";
  const ProgramResult refused = Gordian("export", trace_, "--sqlite", file_);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("is there already; --force writes over it"));
  EXPECT_EQ(TextOf(file_), "mine");
  EXPECT_EQ(Gordian("export", trace_, "--sqlite", file_, "--force").exit_code, 0);
  EXPECT_THAT(Ask(file_, "SELECT count(*) FROM edge"), ElementsAre("2"));

  const std::string folder = dir_ / "tables";
  EXPECT_EQ(Gordian("export", trace_, "--csv", folder, "--table", "edge").exit_code, 0);
  EXPECT_EQ(Gordian("export", trace_, "--csv", folder, "--table", "thread").exit_code, 0);
  EXPECT_EQ(Gordian("export", trace_, "--csv", folder, "--table", "edge").exit_code, 1);
  EXPECT_EQ(Gordian("export", trace_, "--csv", folder, "--table", "edge", "--force").exit_code, 0);
}

TEST_F(ExportVerb, LeavesNothingBehindWhenItFails) {
  // A disk that is full.
  const std::string limited = "ulimit -f 8; trap '' XFSZ; exec \"$0\" \"$@\"";
  const ProgramResult full =
      RunProgram({"/bin/sh", "-c", limited, GORDIAN_PROGRAM, "export", trace_, "--sqlite", file_});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.errors, HasSubstr("cannot write"));
  EXPECT_THAT(NamesIn(dir_ / ""), ElementsAre("trace"));
  EXPECT_EQ(Gordian("export", trace_, "--sqlite", dir_ / "no/such/folder.db").exit_code, 1);
  EXPECT_EQ(Gordian("export", trace_, "--csv", dir_ / "no/such/folder").exit_code, 1);
  EXPECT_THAT(NamesIn(dir_ / ""), ElementsAre("trace"));
}

TEST_F(ExportVerb, SaysInOneLineWhatIsWrong) {
  EXPECT_EQ(Gordian("export", trace_).exit_code, 2);
  EXPECT_EQ(Gordian("export", trace_, "--csv", dir_ / "a", "--sqlite", file_).exit_code, 2);
  const ProgramResult none = Gordian("export", trace_, "--sqlite", file_, "--table", "slice");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.errors, HasSubstr("there is no table slice to export"));
}

}  // namespace
}  // namespace gordian::testing
