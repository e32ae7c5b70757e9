// SPDX-License-Identifier: Apache-2.0
// The second recording of the same program reads nothing of its file.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "symbols/file_identity.h"
#include "symbols/file_tree.h"
#include "symbols/test_puppet.h"
#include "symbols/unwind_table.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"
#include "trace/session_reader.h"
#include "trace/session_symbols.h"

namespace gordian::testing {
namespace {

// A program without DWARF. (Where there is DWARF, the lines of new addresses are looked for.)
std::string PlainProgram(const std::string& folder) {
  const std::string path = folder + "/program";
  std::filesystem::copy(GORDIAN_TEST_PROGRAMS "/symbols_puppet", path);
  EXPECT_EQ(std::system(("strip -g " + path).c_str()), 0);
  return path;
}

// The cache's files that hold what was read of the program: its unwind table and its functions.
// Each reading puts a new file in the place of the one before.
std::map<std::string, ino_t> Readings(const std::string& cache, const std::string& program) {
  const auto file = OpenRegularFile(program);
  const std::string identity = FileIdentity(file->handle.get(), "/proc");
  EXPECT_NE(identity, "") << program << " is on no disk";
  std::map<std::string, ino_t> readings;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    const std::string bytes = ReadFile(entry.path());
    if (bytes.find(identity) == bytes.npos || bytes.find("names ") < bytes.find(identity)) continue;
    struct stat status = {};
    if (::stat(entry.path().c_str(), &status) == 0) readings[entry.path()] = status.st_ino;
  }
  return readings;
}

uint64_t StacksIn(const pb::Session& session) {
  uint64_t stacks = 0;
  for (const char* how : {"stacks_unwound", "stacks_unwound_in_part", "stacks_by_frame_pointers"})
    stacks += CounterValue(session, how);
  return stacks;
}

// Until the recording has that many stacks, for a minute at most.
bool AwaitStacks(Puppet& puppet, const std::string& directory, uint64_t wanted) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < give_up) {
    const auto session = SessionReader::Open(directory);
    if (session.ok() && StacksIn((*session)->session()) >= wanted) return true;
    for (int i = 0; i < 10; ++i) puppet.Say("a line to wait for");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

int StacksNamed(const std::string& directory, const std::string& function) {
  const auto symbols = ReadSymbols(directory);
  int stacks = 0;
  if (!symbols.ok()) return 0;
  for (const pb::StackFrames& stack : symbols->stacks()) {
    for (const uint32_t index : stack.user()) {
      const pb::SymbolFrame& frame = symbols->frames(static_cast<int>(index));
      stacks += symbols->text(static_cast<int>(frame.function())) == function;
    }
  }
  return stacks;
}

TEST(ReadOnce, TheSecondRecordingOfAProgramReadsNothingOfIt) {
  const TestDirectory folder;
  const std::string cache = folder.path() + "/cache";
  ::setenv("CACHE_DIRECTORY", cache.c_str(), 1);
  const std::string program = PlainProgram(folder.path());
  Puppet puppet(program);
  ASSERT_TRUE(puppet.ready());
  std::map<std::string, ino_t> first;
  for (const bool again : {false, true}) {
    const std::string directory = folder.path() + (again ? "/second" : "/first");
    auto recording = Recording::Start({.directory = directory,
                                       .targets = {.pids = {puppet.pid()}, .only = true},
                                       .stacks = StackChoice::kAll,
                                       .sample_hz = 999});
    ASSERT_TRUE(recording.ok()) << recording.status();
    EXPECT_TRUE(AwaitStacks(puppet, directory, 50));
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    EXPECT_GT(StacksNamed(directory, "main"), 0);
    const std::map<std::string, ino_t> readings = Readings(cache, program);
    if (!again) first = readings;
    EXPECT_EQ(readings, first);
  }
  EXPECT_EQ(first.size(), kHasUnwindTables ? 2u : 1u);
}

}  // namespace
}  // namespace gordian::testing
