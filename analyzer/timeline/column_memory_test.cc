// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/column_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analyzer/timeline/column.h"
#include "base/file_descriptor.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(ColumnMemory, IsPlainWithoutLimits) {
  ColumnMemory memory;
  const std::span<uint64_t> values = memory.Make<uint64_t>(1'000'000);
  std::iota(values.begin(), values.end(), 0u);
  EXPECT_EQ(values.back(), 999'999u);
  EXPECT_EQ(memory.bytes_in_files(), 0u);
  EXPECT_EQ(memory.bytes_beyond_limit(), 0u);
}

TEST(ColumnMemory, GoesToFilesBeyondItsLimit) {
  const TemporaryDirectory folder;
  ColumnMemory memory({.folder = folder.path(), .plain_bytes = kMiB, .resident_bytes = kMiB});
  memory.Make<std::byte>(kMiB / 2);
  EXPECT_EQ(memory.bytes_in_files(), 0u);
  memory.Make<std::byte>(kMiB);
  EXPECT_GE(memory.bytes_in_files(), kMiB);
  EXPECT_EQ(memory.bytes_beyond_limit(), 0u);
}

TEST(ColumnMemory, LeavesNoNameInTheFolder) {
  const TemporaryDirectory folder;
  ColumnMemory memory({.folder = folder.path()});
  memory.Make<std::byte>(kMiB);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// Without any pages that may stay, the watch gives them back all the time.
TEST(ColumnMemory, KeepsWhatPagesHeldThatWereGivenBack) {
  const TemporaryDirectory folder;
  ColumnMemory memory({.folder = folder.path()});
  std::vector<std::span<uint64_t>> pieces;
  for (uint64_t piece = 0; piece < 64; ++piece) {
    pieces.push_back(memory.Make<uint64_t>(kMiB / 8));
    std::iota(pieces.back().begin(), pieces.back().end(), piece << 32);
  }
  for (uint64_t piece = 0; piece < 64; ++piece) {
    for (uint64_t i = 0; i < pieces[piece].size(); ++i)
      ASSERT_EQ(pieces[piece][i], (piece << 32) + i);
  }
}

TEST(ColumnMemory, IsPlainAndSaysSoWhereTheFolderTakesNoFiles) {
  ColumnMemory memory({.folder = "/nowhere/at/all"});
  const std::span<uint32_t> values = memory.Make<uint32_t>(1000);
  values.back() = 7;
  EXPECT_EQ(values.back(), 7u);
  EXPECT_EQ(memory.bytes_in_files(), 0u);
  EXPECT_GE(memory.bytes_beyond_limit(), 4000u);
}

TEST(ColumnMemory, LivesAsLongAsACopyOfIt) {
  const TemporaryDirectory folder;
  std::span<uint32_t> values;
  ColumnMemory copy;
  {
    ColumnMemory memory({.folder = folder.path()});
    values = memory.Make<uint32_t>(1000);
    copy = memory;
  }
  values.back() = 7;
  EXPECT_EQ(values.back(), 7u);
}

TEST(Column, GrowsOnInPlainMemoryWhereTheFolderTakesNoFiles) {
  const ColumnMemory memory({.folder = "/nowhere/at/all"});
  Column<uint32_t> column(memory);
  for (uint32_t i = 0; i < 100'000; ++i) column.push_back(i);
  for (uint32_t i = 0; i < 100'000; ++i) ASSERT_EQ(column[i], i);
  EXPECT_GE(memory.bytes_beyond_limit(), 400'000u);
}

RC_GTEST_PROP(Column, HoldsWhatAVectorHoldsWhereverItLies, ()) {
  const TemporaryDirectory folder;
  const auto plain_bytes = *rc::gen::element<uint64_t>(0, 5000, 100'000, kMiB);
  const ColumnMemory memory({.folder = folder.path(), .plain_bytes = plain_bytes});
  Column<uint32_t> first(memory);
  Column<uint32_t> second(memory);
  std::vector<uint32_t> expected;
  const int steps = *rc::gen::inRange(0, 30);
  for (int step = 0; step < steps; ++step) {
    const auto count = *rc::gen::element<uint32_t>(0, 1, 7, 1000, 20'000);
    std::vector<uint32_t> values(count);
    std::iota(values.begin(), values.end(), static_cast<uint32_t>(expected.size()));
    first.Append(values);
    for (const uint32_t value : values) second.push_back(value);
    expected.insert(expected.end(), values.begin(), values.end());
  }
  const auto is_odd = [](uint32_t value) { return value % 2 == 1; };
  second.EraseIf(is_odd);
  RC_ASSERT(std::vector<uint32_t>(first.begin(), first.end()) == expected);
  std::erase_if(expected, is_odd);
  const Column<uint32_t> moved = std::move(second);
  RC_ASSERT(std::vector<uint32_t>(moved.begin(), moved.end()) == expected);
  RC_ASSERT(memory.bytes_beyond_limit() == 0);
}

TEST(Column, OverValuesElsewhereIsACopyOnceItGrows) {
  const std::vector<uint32_t> values = {1, 2, 3};
  Column<uint32_t> column = Column<uint32_t>::Over(values);
  EXPECT_EQ(column.begin(), values.data());
  Column<uint32_t> moved = std::move(column);
  EXPECT_EQ(moved.begin(), values.data());
  moved.push_back(4);
  moved[0] = 7;
  EXPECT_EQ(std::vector<uint32_t>(moved.begin(), moved.end()), (std::vector<uint32_t>{7, 2, 3, 4}));
  EXPECT_EQ(values[0], 1u);
}

bool IsHeld(const void* page) {
  constexpr uint64_t kPage = 4096;
  const FileDescriptor pages(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  uint64_t told = 0;  // the kernel takes whole entries only
  const auto offset = static_cast<off_t>(reinterpret_cast<uintptr_t>(page) / kPage * sizeof(told));
  EXPECT_EQ(::pread(pages.number(), &told, sizeof(told), offset), sizeof(told));
  return told >> 63 != 0;
}

// Else one with a small limit would do nothing but give pages back, and take them again.
TEST(ColumnMemory, KeepsItsPagesWhileOthersHoldMoreThanItsLimit) {
  const TemporaryDirectory folder;
  ColumnMemory others({.folder = folder.path(), .resident_bytes = 64 * kMiB});
  std::ranges::fill(others.Make<std::byte>(16 * kMiB), std::byte{1});
  ColumnMemory memory({.folder = folder.path(), .resident_bytes = 4 * kMiB});
  const std::span<std::byte> own = memory.Make<std::byte>(kMiB);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // many looks
  std::ranges::fill(own, std::byte{2});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(IsHeld(own.data()));
}

// The kernel maps one file below the other, so whoever adopts them comes from above.
TEST(ColumnMemory, GivesBackWhatItAdoptedPieceByPieceAndKeepsItsContents) {
  const TemporaryDirectory folder;
  const std::string name = folder.path() + "/mapped";
  const FileDescriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const std::string content(4 * kMiB, 'x');
  ASSERT_EQ(::write(file.number(), content.data(), content.size()), ssize_t{4 * kMiB});
  void* const start =
      ::mmap(nullptr, 4 * kMiB, PROT_READ, MAP_PRIVATE, file.number(), /*offset=*/0);
  ASSERT_NE(start, MAP_FAILED);
  const std::span<const std::byte> whole(static_cast<const std::byte*>(start), 4 * kMiB);
  {
    ColumnMemory memory({.folder = folder.path(), .resident_bytes = kMiB});
    for (const uint64_t piece : {3, 1, 0, 2}) {
      const std::span<const std::byte> mapped[] = {whole.subspan(piece * kMiB, kMiB)};
      memory.Adopt(mapped, std::make_shared<int>(1));
    }
    const auto is_all_held = [&] {
      for (size_t place = 0; place < whole.size(); place += kMiB)
        if (!IsHeld(&whole[place])) return false;
      return true;
    };
    EXPECT_EQ(std::count(whole.begin(), whole.end(), std::byte{'x'}), ptrdiff_t{4 * kMiB});
    while (is_all_held()) std::this_thread::yield();  // for the watch
    EXPECT_EQ(std::count(whole.begin(), whole.end(), std::byte{'x'}), ptrdiff_t{4 * kMiB});
  }
  ::munmap(start, 4 * kMiB);
}

TEST(ColumnMemory, KeepsAnOwnerAsLongAsItself) {
  const auto owner = std::make_shared<int>(1);
  const std::vector<std::byte> bytes(10);
  const std::span<const std::byte> mapped[] = {bytes};
  {
    ColumnMemory memory;
    memory.Adopt(mapped, owner);
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
}  // namespace gordian
