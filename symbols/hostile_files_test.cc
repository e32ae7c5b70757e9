// SPDX-License-Identifier: Apache-2.0
// Damaged and made-up files: the symbolizer comes back for any contents and tells its failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "symbols/elf_identity.h"
#include "symbols/module_child.h"
#include "symbols/reply.pb.h"
#include "symbols/symbols.h"
#include "symbols/test_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;
using testing::ReadFile;

constexpr uint64_t kStart = 0x7f0000000000;

class HostileElf : public ::testing::Test {
 protected:
  HostileElf() {
    identity_ = *ReadElfIdentity(InMemory(good_).get());
    for (uint64_t at = 0; at < good_.size() && at < 0x3000; at += 16) {
      addresses_.push_back(kStart + at);
    }
  }

  // The program mapped in one piece, with its true segments, but with these bytes in its file.
  ProcessMaps MappedWith(const std::string& bytes) const {
    Mapping mapping{.start = kStart,
                    .end = kStart + 0x100000,
                    .kind = MappingKind::kFile,
                    .path = "/hostile",
                    .segments = identity_.segments,
                    .file = std::make_shared<const FileHandle>(InMemory(bytes))};
    return {.pid = 1, .start_time_ticks = UINT64_MAX, .mappings = {mapping}};
  }

  // Names by a file of these bytes; every address is named or counted.
  size_t NamedBy(const std::string& bytes) {
    SymbolLimits limits;
    limits.max_cpu_seconds = 2;
    limits.max_wall_seconds = 60;
    // Else hundreds of children wait for idle CPUs, a second each on a busy machine.
    ReadingAccount account;
    account.Hurry();
    limits.account = &account;
    Symbolizer symbolizer({}, limits);
    const std::vector<ResolvedAddress> resolved = symbolizer.Resolve(MappedWith(bytes), addresses_);
    EXPECT_EQ(resolved.size(), addresses_.size());
    size_t named = 0;
    for (const ResolvedAddress& one : resolved) {
      named += !one.frames.empty();
      EXPECT_LE(one.frames.size(), limits.max_inline_depth);
    }
    for (const auto& [name, value] : symbolizer.counters()) counters_[name] += value;
    const auto unnamed = symbolizer.counters().find("symbols_addresses_unnamed");
    EXPECT_EQ(named + (unnamed == symbolizer.counters().end() ? 0 : unnamed->second),
              addresses_.size());
    return named;
  }

  const std::string good_ = ReadFile(kPuppet);
  ElfIdentity identity_;
  std::vector<uint64_t> addresses_;
  SymbolCounters counters_;
};

TEST_F(HostileElf, IsNamedWhereItIsWhole) {
  EXPECT_GT(NamedBy(good_), 5u);
  EXPECT_FALSE(counters_.contains("symbols_modules_broken_off"));
  EXPECT_FALSE(counters_.contains("symbols_files_malformed"));
}

TEST_F(HostileElf, IsCountedWhereItIsNoElf) {
  EXPECT_EQ(NamedBy(""), 0u);
  EXPECT_EQ(NamedBy("\x7f"
                    "ELF"),
            0u);
  EXPECT_EQ(NamedBy(std::string(10000, 'x')), 0u);
  EXPECT_EQ(counters_.at("symbols_files_malformed"), 3u);
}

TEST_F(HostileElf, CutOffAnywhereDoesNoHarm) {
  for (size_t part = 1; part < 40; ++part) NamedBy(good_.substr(0, good_.size() * part / 40));
}

TEST_F(HostileElf, WithAnyBytesChangedDoesNoHarm) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 600; ++round) {
    std::string bad = good_;
    // Headers, section headers (at the end) and everything between in turn.
    const size_t first = round % 3 == 0 ? 0 : round % 3 == 1 ? bad.size() - 3000 : 4096;
    const size_t width = round % 3 == 2 ? bad.size() - first : std::min<size_t>(3000, bad.size());
    for (int i = 0; i < 40; ++i) bad[first + random() % width] = static_cast<char>(random());
    NamedBy(bad);
  }
  // No number is expected: libdw may survive any of them. To be seen with --gtest_output.
  for (const auto& [name, value] : counters_) RecordProperty(name, std::to_string(value));
}

// The child may be in the hands of the file that it read.
TEST(ModuleReply, IsTakenOnlyWithinItsRules) {
  const auto taken = [](const pb::SymbolReply& reply) {
    std::vector<std::vector<Frame>> frames(2);
    SymbolCounters counters;
    return TakeReply(reply.SerializeAsString(), 2, frames, counters);
  };
  pb::SymbolReply good;
  good.add_strings("");
  good.add_strings("f");
  good.add_addresses()->set_index(1);
  good.mutable_addresses(0)->add_frames()->set_function(1);
  EXPECT_TRUE(taken(good));

  pb::SymbolReply bad = good;
  bad.mutable_addresses(0)->set_index(2);
  EXPECT_FALSE(taken(bad)) << "no such address";
  bad = good;
  bad.mutable_addresses(0)->mutable_frames(0)->set_function(2);
  EXPECT_FALSE(taken(bad)) << "no such string";
  bad = good;
  bad.mutable_addresses(0)->mutable_frames(0)->set_file(UINT32_MAX);
  EXPECT_FALSE(taken(bad)) << "no such string";
  bad = good;
  bad.mutable_addresses(0)->add_frames();
  bad.mutable_addresses(0)->add_frames();
  EXPECT_FALSE(taken(bad)) << "more frames than were asked for";
  bad = good;
  bad.mutable_addresses(0)->clear_frames();
  EXPECT_FALSE(taken(bad)) << "no frame";
  bad = good;
  bad.set_strings(1, std::string(5000, 'x'));
  EXPECT_FALSE(taken(bad)) << "too long a name";
  bad = good;
  bad.add_counts()->set_name("torn_tails");
  EXPECT_FALSE(taken(bad)) << "not its counter";

  std::vector<std::vector<Frame>> frames(2);
  SymbolCounters counters;
  EXPECT_FALSE(TakeReply("\xff\xff\xff", 2, frames, counters));
  EXPECT_THAT(frames[0], IsEmpty());
}

}  // namespace
}  // namespace gordian
