// SPDX-License-Identifier: Apache-2.0
// The answers of gordian and gordiand to command lines that cannot work: one line on stderr, exit 2
// for usage, 1 for failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "recorder/sessions/test_directory.h"
#include "tests/program.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> Command(const char* program, const std::vector<std::string>& words) {
  std::vector<std::string> command = {program};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

struct Case {
  std::vector<std::string> words;
  int exit_code;
  std::string error;
};

void ExpectOneLine(const char* program, const std::string& prefix, const Case& bad) {
  const ProgramResult result = RunProgram(Command(program, bad.words));
  const std::string shown = ::testing::PrintToString(bad.words);
  EXPECT_EQ(result.exit_code, bad.exit_code) << shown;
  EXPECT_EQ(result.output, "") << shown;
  EXPECT_THAT(result.errors, StartsWith(prefix)) << shown;
  EXPECT_THAT(result.errors, HasSubstr(bad.error)) << shown;
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
}

TEST(CommandLine, WhatMakesNoSenseIsAUsageError) {
  const std::vector<Case> cases = {
      {{}, 2, "a verb is missing; see gordian --help"},
      {{"frobnicate"}, 2, "frobnicate"},
      {{"--frobnicate"}, 2, "--frobnicate"},
      {{"start"}, 2, "NAME is required"},
      {{"start", "web", "extra"}, 2, "extra"},
      {{"start", "web", "--frobnicate"}, 2, "--frobnicate"},
      {{"start", "../web"}, 2, "bad session name '../web'"},
      {{"start", "a\nb"}, 2, "bad session name 'a\\nb'"},
      {{"start", "web", "--ring", "64X"}, 2, "--ring"},
      {{"start", "web", "--duration", "10"}, 2, "--duration"},
      {{"start", "web", "--pid", "self"}, 2, "--pid"},
      {{"start", "web", "--attach", "magic"}, 2, "--attach"},
      {{"start", "web", "--only"}, 2, "--only needs a target"},
      {{"model", "tune", "--log", "x.log"}, 2, "--output is required"},
      {{"model", "tune", "-o", "tuned.yaml"}, 2, "give --log FILE, or a recording's folder"},
      {{"stop"}, 2, "NAME is required"},
      {{"stop", ".."}, 2, "bad session name '..'"},
      {{"snapshot"}, 2, "NAME is required"},
      {{"snapshot", "web", "a/b"}, 2, "bad session name 'a/b'"},
      {{"status", "web", "extra"}, 2, "extra"},
      {{"list", "extra"}, 2, "extra"},
  };
  for (const Case& bad : cases) ExpectOneLine(GORDIAN_PROGRAM, "gordian", bad);
}

TEST(CommandLine, WithoutADaemonTheWayToOneIsTold) {
  const TestDirectory directory;
  const std::string socket = directory.path() + "/socket";
  const std::string error = "no daemon at " + socket + "; start it: systemctl start gordiand";
  const std::vector<Case> cases = {
      {{"start", "web", "--socket", socket}, 1, error},
      {{"stop", "web", "--socket", socket}, 1, error},
      {{"status", "--socket", socket}, 1, error},
      {{"snapshot", "web", "--socket", socket}, 1, error},
      {{"list", "--socket", socket}, 1, error},
      {{"list", "--socket", "/etc/passwd"}, 1, "no daemon at /etc/passwd"},
      {{"list", "--socket", std::string(300, 'x')}, 1, "shorter --socket"},
  };
  for (const Case& bad : cases) ExpectOneLine(GORDIAN_PROGRAM, "gordian: ", bad);
}

TEST(CommandLine, ASessionMayBeCalledLikeAVerb) {
  const TestDirectory directory;
  const std::string socket = directory.path() + "/socket";
  for (const char* name : {"start", "list", "record"}) {
    ExpectOneLine(GORDIAN_PROGRAM,
                  "gordian: ", {{"start", name, "--socket", socket}, 1, "no daemon at"});
    ExpectOneLine(GORDIAN_PROGRAM,
                  "gordian: ", {{"snapshot", "web", name, "--socket", socket}, 1, "no daemon at"});
  }
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
  for (const char* program : {GORDIAN_PROGRAM, GORDIAND_PROGRAM}) {
    for (const char* option : {"--help", "--version"}) {
      const ProgramResult result = RunProgram({program, option});
      EXPECT_EQ(result.exit_code, 0);
      EXPECT_THAT(result.output, HasSubstr("gordian"));
      EXPECT_EQ(result.output.back(), '\n');
      EXPECT_EQ(result.errors, "");
    }
  }
  for (const char* verb : {"start", "stop", "status", "snapshot", "list"}) {
    const ProgramResult result = RunProgram({GORDIAN_PROGRAM, verb, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr(std::string("Examples:\n  gordian ") + verb));
  }
}

TEST(CommandLine, TheDaemonNamesItsMistakes) {
  const TestDirectory directory;
  const std::string path = directory.path() + "/folder";
  std::filesystem::create_directory(path);
  const std::vector<Case> cases = {
      {{"--frobnicate"}, 2, "--frobnicate"},
      {{"--max-size", "lots"}, 2, "--max-size"},
      {{"--max-sessions", "0"}, 2, "--max-sessions"},
      {{"--config", path + "/missing.conf"}, 2, "missing.conf"},
      {{"--state-dir", "/proc/nowhere", "--socket", path + "/socket"}, 1, "/proc/nowhere"},
      {{"--state-dir", path, "--socket", "/proc/nowhere/socket"}, 1, "/proc/nowhere"},
      {{"--state-dir", path, "--socket", path}, 1, "is no socket"},
  };
  for (const Case& bad : cases) ExpectOneLine(GORDIAND_PROGRAM, "gordiand: ", bad);
}

// There the kernel's clock, by which it is recorded, is another than the process' own.
TEST(CommandLine, NothingIsRecordedFromATimeNamespaceOfItsOwn) {
  const std::vector<std::string> apart = {"/usr/bin/unshare", "--time", "--monotonic", "1000",
                                          "--fork"};
  const auto within = [&](const std::vector<std::string>& words) {
    std::vector<std::string> command = apart;
    command.insert(command.end(), words.begin(), words.end());
    return RunProgram(command);
  };
  // Only if it is run by an ordinary user: scripts/test runs as root, and there it checks.
  if (within({"/bin/true"}).exit_code != 0) GTEST_SKIP() << "no right to make a time namespace";
  const TestDirectory directory;
  for (const ProgramResult& result :
       {within({GORDIAN_PROGRAM, "record", "-o", directory.path() + "/run", "/bin/true"}),
        within({GORDIAND_PROGRAM, "--state-dir", directory.path(), "--socket",
                directory.path() + "/socket"})}) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.errors, HasSubstr("monotonic clock is 1000 s off the kernel's"));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/run"));
}

}  // namespace
}  // namespace gordian
