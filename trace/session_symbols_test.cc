// SPDX-License-Identifier: Apache-2.0
#include "trace/session_symbols.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace gordian {
namespace {

class SessionSymbols : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/gordian-symbols-test-XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static pb::Symbols Some() {
    pb::Symbols symbols;
    for (const char* text : {"", "fsync", "/bin/db", "db.cc"}) symbols.add_text(text);
    pb::SymbolFrame& frame = *symbols.add_frames();
    frame.set_function(1);
    frame.set_module(2);
    frame.set_file(3);
    pb::StackFrames& stack = *symbols.add_stacks();
    stack.set_stack_id(7);
    stack.add_user(0);
    return symbols;
  }
  std::string folder_;
};

TEST_F(SessionSymbols, ComeBackAsTheyWereWritten) {
  ASSERT_TRUE(WriteSymbols(folder_, Some()).ok());
  const auto symbols = ReadSymbols(folder_);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->SerializeAsString(), Some().SerializeAsString());
}

TEST_F(SessionSymbols, AreNotThereWhereNoneWereWritten) {
  EXPECT_TRUE(absl::IsNotFound(ReadSymbols(folder_).status()));
}

TEST_F(SessionSymbols, WhoseNumbersPointNowhereAreRefused) {
  const std::function<void(pb::Symbols&)> damages[] = {
      [](pb::Symbols& s) { s.mutable_frames(0)->set_function(4); },
      [](pb::Symbols& s) { s.mutable_frames(0)->set_file(99); },
      [](pb::Symbols& s) { s.mutable_frames(0)->set_module(4); },
      [](pb::Symbols& s) { s.mutable_stacks(0)->set_user(0, 1); },
      [](pb::Symbols& s) { s.mutable_stacks(0)->add_kernel(1); },
      [](pb::Symbols& s) { s.add_processes()->add_mappings()->set_path(4); },
      [](pb::Symbols& s) { s.set_text(0, "not empty"); }};
  for (const auto& damage : damages) {
    pb::Symbols symbols = Some();
    damage(symbols);
    ASSERT_TRUE(WriteSymbols(folder_, symbols).ok());
    EXPECT_TRUE(absl::IsDataLoss(ReadSymbols(folder_).status()));
  }
}

TEST_F(SessionSymbols, FilesThatHoldSomethingElseAreRefused) {
  for (const char* file : {kPlainSymbolsFile, kSymbolsFile}) {
    std::ofstream(folder_ + "/" + file) << "\xff\xff\xff\xff not symbols";
    EXPECT_TRUE(absl::IsDataLoss(ReadSymbols(folder_).status())) << file;
  }
}

TEST_F(SessionSymbols, WithoutAFrameAreReadUntilTheyAreWrittenAnew) {
  std::ofstream(folder_ + "/" + kPlainSymbolsFile) << Some().SerializeAsString();
  const auto symbols = ReadSymbols(folder_);
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  EXPECT_EQ(symbols->text(1), "fsync");

  ASSERT_TRUE(WriteSymbols(folder_, *symbols).ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/" + kPlainSymbolsFile));
  EXPECT_TRUE(ReadSymbols(folder_).ok());
}

TEST_F(SessionSymbols, ThatAreCutOffAreRefused) {
  ASSERT_TRUE(WriteSymbols(folder_, Some()).ok());
  const std::string path = folder_ + "/" + kSymbolsFile;
  for (uintmax_t size = std::filesystem::file_size(path); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    EXPECT_TRUE(absl::IsDataLoss(ReadSymbols(folder_).status())) << size;
  }
}

TEST_F(SessionSymbols, ClaimingToBeHugeTakeNoMemory) {
  // A frame's header that tells 2^40 bytes, and no more.
  const std::string header = {'\x28', '\xb5', '\x2f', '\xfd', '\xe0', 0, 0, 0, 0, 0, 1, 0, 0};
  std::ofstream(folder_ + "/" + kSymbolsFile) << header;
  EXPECT_TRUE(absl::IsDataLoss(ReadSymbols(folder_).status()));
}

TEST_F(SessionSymbols, OfManyAlikeProcessesTakeLittleRoom) {
  pb::Symbols symbols = Some();
  for (int tgid = 1; tgid <= 400; tgid++) {
    pb::ProcessImage& process = *symbols.add_processes();
    process.set_tgid(tgid);
    for (int i = 0; i < 20; i++) {
      pb::ProcessMapping& mapping = *process.add_mappings();
      mapping.set_start(0x7f0000000000 + static_cast<uint64_t>(i) * 4096);
      mapping.set_build_id("0123456789abcdef0123");
    }
  }
  const auto packed = PackSymbols(symbols);
  ASSERT_TRUE(packed.ok());
  EXPECT_LT(packed->size() * 10, symbols.ByteSizeLong());
}

}  // namespace
}  // namespace gordian
