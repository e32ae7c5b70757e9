// SPDX-License-Identifier: Apache-2.0
// Programs of several languages, recorded on the real kernel: their code has its names in the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class NamedCode : public ::testing::Test {
 protected:
  void Record(const std::vector<std::string>& command) {
    std::vector<std::string> words = {GORDIAN_PROGRAM, "record", "--budget", "none", "-o",
                                      Session(),       "--"};
    words.insert(words.end(), command.begin(), command.end());
    const ProgramResult result = RunProgram(words);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  std::vector<std::string> Functions() const {
    std::vector<std::string> functions;
    const auto symbols = ReadSymbols(Session());
    EXPECT_TRUE(symbols.ok()) << symbols.status();
    for (const pb::SymbolFrame& frame : symbols->frames())
      functions.push_back(symbols->text(static_cast<int>(frame.function())));
    return functions;
  }
  std::vector<std::string> Notes() const {
    const auto symbols = ReadSymbols(Session());
    EXPECT_TRUE(symbols.ok()) << symbols.status();
    return {symbols->notes().begin(), symbols->notes().end()};
  }
  // The report's places where threads run: "function (file:line)" and the like.
  std::vector<std::string> RunningLabels(const std::string& process) const {
    const ProgramResult result = RunProgram({GORDIAN_PROGRAM, "analyze", "--json", "-", Session()});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    rapidjson::Document report;
    report.Parse(result.output.c_str());
    std::vector<std::string> labels;
    for (const auto& vertex : report["vertices"].GetArray()) {
      if (std::string(vertex["process"].GetString()).rfind(process, 0) != 0) continue;
      for (const auto& stack : vertex["running_stacks"].GetArray())
        for (const auto& frame : stack["frames"].GetArray())
          labels.emplace_back(report["code"][frame.GetUint()]["label"].GetString());
    }
    return labels;
  }
  std::string Session() const { return dir_ / "session"; }
  const TempDir dir_;
};

TEST_F(NamedCode, OfAStrippedProgramIsInItsDebugFile) {
  const std::string program = dir_ / "stripped";
  const std::string debug = dir_ / "stripped.debug";
  fs::copy_file(SPIN_LOCK_EXAMPLE, program);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {GORDIAN_OBJCOPY, "--only-keep-debug", program, debug},
           {GORDIAN_STRIP, "--strip-all", program},
           {GORDIAN_OBJCOPY, "--add-gnu-debuglink=" + debug, program}}) {
    const ProgramResult result = RunProgram(words);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  const std::string kept = dir_ / "elsewhere";
  fs::rename(debug, kept);
  Record({program, "20000", "silent"});
  EXPECT_THAT(Functions(), Not(Contains(HasSubstr("SpinLock"))));
  EXPECT_THAT(RunningLabels("stripped"), Contains(HasSubstr("stripped+0x")));

  fs::create_directory(dir_ / ".debug");
  fs::rename(kept, dir_ / ".debug/stripped.debug");
  const ProgramResult again = RunProgram({GORDIAN_PROGRAM, "symbolize", Session()});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_THAT(RunningLabels("stripped"), Contains(HasSubstr("SpinLock::Lock (spin_lock.cc:")));
}

// Compiles Burner.java; false if there is no JDK.
bool Compile(const std::string& folder) {
  const ProgramResult compiled = RunProgram(
      {"/usr/bin/env", "javac", "-d", folder, std::string(TEST_SOURCES) + "/Burner.java"});
  EXPECT_TRUE(compiled.exit_code == 0 || compiled.exit_code == 127) << compiled.errors;
  return compiled.exit_code == 0;
}

std::vector<std::string> Java(const std::string& classes, const std::vector<std::string>& words) {
  std::vector<std::string> command = {"/usr/bin/java",
                                      "-XX:+PreserveFramePointer",
                                      "-XX:CompileCommand=quiet",
                                      "-XX:CompileCommand=dontinline,Burner.burn",
                                      "-cp",
                                      classes,
                                      "Burner"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

TEST_F(NamedCode, OfJavaIsWhatTheCommandOfTheNoteWrites) {
  if (!Compile(dir_ / "classes")) GTEST_SKIP() << "no javac is installed";
  BackgroundProgram recorder({GORDIAN_PROGRAM, "record", "--budget", "none", "-o", Session()}, {},
                             dir_ / "errors");
  while (!fs::exists(Session() + "/session.pb") && !recorder.Ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::string ready = dir_ / "ready";
  BackgroundProgram java(Java(dir_ / "classes", {"1000", ready}), {}, dir_ / "java-errors");
  while (!fs::exists(ready) && !java.Ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const ProgramResult mapped =
      RunProgram({"/usr/bin/env", "jcmd", std::to_string(java.pid()), "Compiler.perfmap"});
  EXPECT_EQ(mapped.exit_code, 0) << mapped.output << mapped.errors;
  EXPECT_EQ(recorder.End(SIGINT), 0);
  java.End(SIGKILL);
  fs::remove("/tmp/perf-" + std::to_string(java.pid()) + ".map");
  EXPECT_THAT(Functions(), Contains(HasSubstr("Burner.burn")));
  EXPECT_THAT(RunningLabels("java"), Contains(HasSubstr("Burner.burn")));
}

TEST_F(NamedCode, OfJavaWithoutAMapLeadsToTheNoteHowToGetIt) {
  if (!Compile(dir_ / "classes")) GTEST_SKIP() << "no javac is installed";
  Record(Java(dir_ / "classes", {"1000"}));
  EXPECT_THAT(Functions(), Not(Contains(HasSubstr("Burner.burn"))));
  EXPECT_THAT(Notes(), Contains(HasSubstr("Compiler.perfmap")));
}

// Before 3.12 Python has no maps of its functions: the interpreter runs, and it has names.
TEST_F(NamedCode, OfPythonIsItsOwnFrom312OnAndTheInterpretersBefore) {
  const std::string python = "/usr/bin/python3";
  if (access(python.c_str(), X_OK) != 0) GTEST_SKIP() << python << " is not installed";
  const bool has_maps =
      RunProgram({python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))"}).exit_code == 0;
  const std::string script =
      "def burn():\n"
      "  total = 0\n"
      "  for step in range(20_000_000):\n"
      "    total = total * 31 % 1000003 + step\n"
      "burn()\n";
  if (has_maps) {
    Record({python, "-X", "perf", "-c", script});
    EXPECT_THAT(RunningLabels("python3"), Contains(HasSubstr("py::burn")));
  } else {
    Record({python, "-c", script});
    EXPECT_THAT(RunningLabels("python3"), Contains(HasSubstr("_PyEval_EvalFrameDefault")));
    // If an address could not be named at all, the note tells the remedy.
    EXPECT_THAT(Notes(), Each(AnyOf(Not(HasSubstr("Python")), HasSubstr("3.12 or later"))));
  }
}

}  // namespace
}  // namespace gordian::testing
