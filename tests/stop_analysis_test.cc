// SPDX-License-Identifier: Apache-2.0
// gordian analyze, whose user does not want to wait.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "bench/cluster_generator.h"
#include "bench/trace_generator.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TempDir;

constexpr int kStopped = 130;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whether the process has a handler for SIGINT; nothing if it has ended.
std::optional<bool> TakesCtrlC(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kCaught = "SigCgt:\t";
    uint64_t caught = 0;
    if (line.starts_with("State:\tZ")) return std::nullopt;
    if (!line.starts_with(kCaught)) continue;
    if (!absl::SimpleHexAtoi(line.substr(kCaught.size()), &caught)) return std::nullopt;
    return (caught >> (SIGINT - 1) & 1) != 0;
  }
  return std::nullopt;
}

class StopAnalysis : public ::testing::Test {
 protected:
  StopAnalysis() {
    EXPECT_TRUE(
        GenerateTrace({.events = 2'500'000, .threads = 24, .cpus = 4}, dir_ / "trace").ok());
    std::filesystem::create_directory(dir_ / "out");
    ::setenv("GORDIAN_STORE", (dir_ / "store").c_str(), 1);
    ::setenv("TMPDIR", (dir_ / "tmp").c_str(), 1);
    std::filesystem::create_directory(dir_ / "tmp");
  }
  ~StopAnalysis() override {
    ::unsetenv("GORDIAN_STORE");
    ::unsetenv("TMPDIR");
  }
  std::vector<std::string> Words(const std::string& recording = "trace") const {
    return {GORDIAN_PROGRAM, "analyze",        "--quiet", "--memory",
            "1000000",       dir_ / recording, "--json",  Report()};
  }
  std::string Report() const { return dir_ / "out/report.json"; }
  std::string Errors() const { return TextOf(dir_ / "errors"); }
  static size_t FilesIn(const std::string& directory) {
    if (!std::filesystem::exists(directory)) return 0;
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
  }

  const TempDir dir_;
};

// The signal may come at any moment behind the first; so the report is about a part, or whole.
TEST_F(StopAnalysis, EndsAnalysesWithAReportThatSaysSo) {
  ASSERT_TRUE(GenerateCluster({.events = 2'500'000}, dir_ / "nodes").ok());
  for (const auto& [recording, signal] :
       {std::pair("trace", SIGINT), {"trace", SIGTERM}, {"nodes", SIGINT}}) {
    BackgroundProgram program(Words(recording), {}, dir_ / "errors");
    while (TakesCtrlC(program.pid()) == false) {
    }
    const int code = program.End(signal);
    EXPECT_EQ(Errors(), "");
    ASSERT_THAT(code, AnyOf(Eq(0), Eq(kStopped)));
    const std::string report = TextOf(Report());
    EXPECT_THAT(report, StartsWith("{"));
    EXPECT_EQ(report.back(), '\n');
    EXPECT_THAT(report, HasSubstr("\"verdict\""));
    if (code == kStopped) {
      EXPECT_THAT(report, HasSubstr("\"analysis_stopped\""));
      EXPECT_EQ(FilesIn(dir_ / "store"), 0u) << "a part is not kept for the next time";
    } else {
      EXPECT_THAT(report, Not(HasSubstr("\"analysis_stopped\"")));
    }
    EXPECT_EQ(FilesIn(dir_ / "out"), 1u);
    EXPECT_EQ(FilesIn(dir_ / "tmp"), 0u);
    std::filesystem::remove(Report());
    std::filesystem::remove_all(dir_ / "store");
  }
}

// At a terminal of its own.
TEST_F(StopAnalysis, ASecondCtrlCEndsTheProgramAtOnce) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    std::vector<std::string> words = Words();
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  while (TakesCtrlC(pid) == false) {
  }
  // The first is taken before the second comes: a terminal sends one of a kind at a time.
  EXPECT_EQ(write(terminal, "\x03", 1), 1);
  EXPECT_EQ(write(terminal, "\x03", 1), 1);
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  close(terminal);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGINT);
    EXPECT_EQ(FilesIn(dir_ / "out"), 0u) << "neither a report nor a part of one";
  } else {
    EXPECT_THAT(WEXITSTATUS(status), AnyOf(Eq(0), Eq(kStopped)));
    EXPECT_EQ(FilesIn(dir_ / "out"), 1u);
  }
  EXPECT_EQ(FilesIn(dir_ / "tmp"), 0u);
}

// Other verbs end at once, and leave nothing either.
TEST_F(StopAnalysis, OtherVerbsEndAtTheFirstCtrlC) {
  const std::string trace = dir_ / "trace";
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"graph"}, {"whatif", "--cpus", "8"}, {"dump", "--summary"}}) {
    std::vector<std::string> words = {GORDIAN_PROGRAM};
    words.insert(words.end(), verb.begin(), verb.end());
    words.push_back(trace);
    BackgroundProgram program(words, {}, dir_ / "errors");
    const int code = program.End(SIGINT);
    EXPECT_THAT(code, AnyOf(Eq(0), Eq(kStopped))) << verb[0];
    EXPECT_EQ(FilesIn(dir_ / "tmp"), 0u) << verb[0];
  }
  EXPECT_EQ(Errors(), "");
}

}  // namespace
}  // namespace gordian
