// SPDX-License-Identifier: Apache-2.0
// Names are looked for in this test's own process: it is one whose code is known.
#include "recorder/stacks/stack_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "recorder/stacks/symbolize.h"
#include "symbols/symbol_writer.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"
#include "trace/session_symbols.h"
#include "trace/session_writer.h"

namespace gordian {

// Known by name; never called.
__attribute__((noinline, used)) int KnownCallee(int x) { return x * 3 + 1; }
__attribute__((noinline, used)) int KnownCaller(int x) { return KnownCallee(x) + 1; }

namespace {

using gordian::testing::TempDir;
using ::testing::HasSubstr;

uint64_t AddressIn(int (*function)(int)) { return reinterpret_cast<uint64_t>(function) + 1; }

EventBlock OneStack(int32_t tgid, uint32_t id = 1) {
  EventBlock block;
  block.AddStack(
      1000,
      {.stack_id = id, .tgid = tgid, .user = {AddressIn(KnownCallee), AddressIn(KnownCaller)}});
  return block;
}

std::string FunctionOf(const pb::Symbols& symbols, uint32_t frame) {
  return symbols.text(static_cast<int>(symbols.frames(static_cast<int>(frame)).function()));
}

TEST(StackNames, NameTheCodeOfALivingProcess) {
  StackNames names;
  names.Learn(OneStack(getpid()));
  names.LookAtProcesses(2000);
  const pb::Symbols symbols = names.Name();
  ASSERT_EQ(symbols.stacks_size(), 1);
  ASSERT_EQ(symbols.stacks(0).user_size(), 2);
  EXPECT_EQ(FunctionOf(symbols, symbols.stacks(0).user(0)), "gordian::KnownCallee(int)");
  EXPECT_EQ(FunctionOf(symbols, symbols.stacks(0).user(1)), "gordian::KnownCaller(int)");
}

// A child that does nothing has the same program at the same addresses.
TEST(StackNames, NameTheCodeOfAProcessThatHasEndedSinceItWasLookedAt) {
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(gate[1]);
    _exit(read(gate[0], &byte, 1) != 0);
  }
  StackNames names;
  names.Learn(OneStack(child));
  names.LookAtProcesses(2000);
  close(gate[0]);
  close(gate[1]);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const pb::Symbols symbols = names.Name();
  ASSERT_EQ(symbols.stacks_size(), 1);
  EXPECT_EQ(FunctionOf(symbols, symbols.stacks(0).user(0)), "gordian::KnownCallee(int)");
}

// What it reads ahead is on disk when the names are wanted.
TEST(StackNames, ReadFunctionsAheadWhileTheRecordingRuns) {
  const TempDir folder;
  const SymbolPaths paths = {.cache = folder.path() + "/cache"};
  StackNames names(paths);
  names.Learn(OneStack(getpid()));
  names.LookAtProcesses(2000);
  EXPECT_EQ(names.cpu_ns(), 0);
  names.LookAtProcesses(2'000'000'000);
  while (std::filesystem::is_empty(paths.cache)) std::this_thread::yield();
  const pb::Symbols symbols = names.Name();
  EXPECT_EQ(FunctionOf(symbols, symbols.stacks(0).user(1)), "gordian::KnownCaller(int)");
  EXPECT_GT(names.cpu_ns(), 0);
}

TEST(StackNames, StartNoReaderForTheSameStacksAgain) {
  const TempDir folder;
  const SymbolPaths paths = {.cache = folder.path() + "/cache"};
  pb::Symbols first;
  for (const bool again : {false, true}) {
    StackNames names(paths);
    names.Learn(OneStack(getpid()));
    names.LookAtProcesses(2000);
    const pb::Symbols symbols = names.Name();
    EXPECT_EQ(names.cpu_ns() == 0, again);
    if (!again) first = symbols;
    EXPECT_EQ(symbols.SerializeAsString(), first.SerializeAsString());
  }
}

TEST(StackNames, KeepStacksOfAProcessThatWasGoneWithoutNames) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  StackNames names;
  names.Learn(OneStack(child));
  names.LookAtProcesses(2000);
  const pb::Symbols symbols = names.Name();
  ASSERT_EQ(symbols.stacks_size(), 1);
  ASSERT_EQ(symbols.stacks(0).user_size(), 2);
  EXPECT_EQ(FunctionOf(symbols, symbols.stacks(0).user(0)), "");
  EXPECT_EQ(names.processes_gone(), 1u);
}

// The whole stack lies in the one image except its second address, where it is cut; the rest lies
// in both. Once the search looked in the other image, which was never asked for its names.
TEST(StackNames, KeepAStackInTheImageItWasCutIn) {
  constexpr int32_t kProcess = 7;
  const auto add_image = [](uint32_t version, std::vector<std::pair<uint64_t, uint64_t>> mappings,
                            pb::Symbols& symbols) {
    pb::ProcessImage& image = *symbols.add_processes();
    image.set_tgid(kProcess);
    image.set_version(version);
    for (const auto& [start, end] : mappings) {
      pb::ProcessMapping& mapping = *image.add_mappings();
      mapping.set_start(start);
      mapping.set_end(end);
    }
  };
  pb::Symbols before;
  before.add_text();
  add_image(1, {{0x1000, 0x2000}, {0x2000, 0x2800}}, before);
  add_image(2, {{0x1000, 0x2000}, {0x3000, 0x5000}}, before);
  StackNames names;
  names.Restore(before);
  EventBlock block;
  block.AddStack(1000, {.stack_id = 1, .tgid = kProcess, .user = {0x1010, 0x2010, 0x3010, 0x4010}});
  names.Learn(block);
  const pb::Symbols symbols = names.Name();
  ASSERT_EQ(symbols.stacks_size(), 1);
  EXPECT_EQ(symbols.stacks(0).user_size(), 1);
}

TEST(SymbolWriter, KeepsTextsThatAreNoUtf8Readable) {
  SymbolWriter writer;
  pb::StackFrames& stack = writer.AddStack(1);
  for (const char* name : {"over\xc0\xaflong", "surrogate\xed\xa0\x80", "caf\xc3\xa9"})
    writer.AddFrames({.frames = {{.function = name}}}, *stack.mutable_user());
  pb::Symbols read;
  ASSERT_TRUE(read.ParseFromString(writer.Take().SerializeAsString()));
  EXPECT_EQ(FunctionOf(read, 0), "over??long");
  EXPECT_EQ(FunctionOf(read, 1), "surrogate???");
  EXPECT_EQ(FunctionOf(read, 2), "caf\xc3\xa9");
}

class Symbolize : public ::testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/gordian-symbolize-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    auto writer = SessionWriter::Create(session(), {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string session() const { return folder_ + "/session"; }

  std::string folder_;
  std::unique_ptr<SessionWriter> writer_;
};

TEST_F(Symbolize, FindsTheNamesOfAnEarlierRecordingByItsImages) {
  StackNames names;
  EventBlock block = OneStack(getpid());
  names.Learn(block);
  names.LookAtProcesses(2000);
  ASSERT_TRUE(writer_->AppendEvents(block).ok());
  ASSERT_TRUE(writer_->WriteSession({}).ok());
  ASSERT_TRUE(writer_->WriteSymbols(names.Images()).ok());

  const auto result = SymbolizeSession(session());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->stacks, 1u);
  EXPECT_EQ(result->named_frames, 2u);
  const auto symbols = ReadSymbols(session());
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(FunctionOf(*symbols, symbols->stacks(0).user(1)), "gordian::KnownCaller(int)");
}

TEST_F(Symbolize, KeepsNamesThatCannotBeFoundAgain) {
  EventBlock block = OneStack(12345);
  ASSERT_TRUE(writer_->AppendEvents(block).ok());
  ASSERT_TRUE(writer_->WriteSession({}).ok());
  pb::Symbols known;
  known.add_text("");
  known.add_text("Interpreted");
  known.add_frames()->set_function(1);
  pb::StackFrames& stack = *known.add_stacks();
  stack.set_stack_id(1);
  stack.add_user(0);
  stack.add_user(0);
  ASSERT_TRUE(writer_->WriteSymbols(known).ok());

  const auto result = SymbolizeSession(session());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->named_frames, 2u);
  const auto symbols = ReadSymbols(session());
  ASSERT_TRUE(symbols.ok());
  EXPECT_EQ(FunctionOf(*symbols, symbols->stacks(0).user(0)), "Interpreted");
}

TEST_F(Symbolize, SaysWhatIsMissingWhereThereAreNoStacks) {
  ASSERT_TRUE(writer_->WriteSession({}).ok());
  const auto result = SymbolizeSession(session());
  EXPECT_THAT(std::string(result.status().message()), HasSubstr("holds no stacks"));
  EXPECT_FALSE(std::filesystem::exists(session() + "/" + kSymbolsFile));
}

}  // namespace
}  // namespace gordian
