// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/trace_dat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "import/import.h"
#include "import/kernel/kernel_trace_files.h"
#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PackedTraceDat;
using testing::SmallTraceDat;
using testing::TempDir;
using testing::WriteFile;

absl::StatusOr<ImportResult> ImportDat(const TempDir& dir, const std::string& bytes) {
  return ImportKernelTrace({.file = WriteFile(dir / "trace.dat", bytes),
                            .directory = dir / "trace",
                            .recorder_version = "1"},
                           KernelTraceFormat::kTraceDat);
}

std::string DatReason(const std::string& bytes) {
  const TempDir dir;
  const auto result = ImportDat(dir, bytes);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
  return std::string(result.status().message());
}

class TraceDatVersion : public ::testing::TestWithParam<int> {};

TEST_P(TraceDatVersion, GivesTheRecordsOfPagesWithTheirTimesAndLosses) {
  const TempDir dir;
  const auto result = ImportDat(dir, SmallTraceDat(GetParam()));
  ASSERT_TRUE(result.ok()) << result.status();
  const uint64_t extended_ns = 1100 + 5 + (1ull << 27) + 10 + 20;
  const uint64_t stamp_ns = (4ull << 27) + 7;
  EXPECT_THAT(testing::SessionTexts(dir / "trace"),
              ElementsAre("1000 nocpu task alive tid=8 comm=\"helper\" tgid=8 namespaced_tid=8",
                          "1000 nocpu task alive tid=7 comm=\"worker\" tgid=7 namespaced_tid=7",
                          "1000 cpu1 loss switch count=3",
                          "1100 cpu1 wake wakee_tid=8 waker_tid=7 hardirq vector=65535",
                          std::to_string(extended_ns) +
                              " cpu1 switch prev_tid=7 prev_state_bits=0x1 next_tid=8",
                          std::to_string(stamp_ns) + " cpu1 switch prev_tid=8 preempted"));
}

TEST_P(TraceDatVersion, RefusesAFileThatIsCutAnywhere) {
  const std::string whole = SmallTraceDat(GetParam());
  for (size_t size = 1; size < whole.size(); size += 131)
    EXPECT_THAT(DatReason(whole.substr(0, size)), HasSubstr("trace.dat: byte ")) << size;
}

INSTANTIATE_TEST_SUITE_P(Both, TraceDatVersion, ::testing::Values(6, 7));

class PackedDat : public ::testing::TestWithParam<PackedBy> {};

TEST_P(PackedDat, HoldsTheSameEventsAsAPlainOne) {
  const TempDir plain;
  const TempDir packed;
  ASSERT_TRUE(ImportDat(plain, SmallTraceDat(7)).ok());
  const auto result = ImportDat(packed, PackedTraceDat(GetParam()));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(testing::SessionTexts(packed / "trace"), testing::SessionTexts(plain / "trace"));
}

TEST_P(PackedDat, IsRefusedWhereItIsCut) {
  const std::string whole = PackedTraceDat(GetParam());
  for (size_t size = 1; size < whole.size(); size += 37)
    EXPECT_THAT(DatReason(whole.substr(0, size)), HasSubstr("trace.dat: byte ")) << size;
}

TEST_P(PackedDat, IsRefusedIfAChunkHoldsMoreThanItSays) {
  std::string lies = PackedTraceDat(GetParam());
  const std::string page_bytes("\0\x10\0\0", 4);
  const size_t at = lies.find(page_bytes);
  ASSERT_NE(at, lies.npos);
  // The first is the page size in the head, the second what the chunk says.
  const size_t chunk = lies.find(page_bytes, at + 1);
  ASSERT_NE(chunk, lies.npos);
  lies.replace(chunk, 4, std::string("\0\x08\0\0", 4));
  EXPECT_THAT(DatReason(lies), HasSubstr("holds more than 2048 bytes"));
}

INSTANTIATE_TEST_SUITE_P(Both, PackedDat, ::testing::Values(PackedBy::kZlib, PackedBy::kZstd));

TEST(TraceDat, SaysWhatIsWrong) {
  EXPECT_THAT(DatReason("PERFILE2"), HasSubstr("byte 0: this is no trace.dat"));
  std::string clock = SmallTraceDat(6);
  clock.replace(clock.find("[local]"), 7, "[jiffy]");
  EXPECT_THAT(DatReason(clock), HasSubstr("has times of the clock \"jiffy\""));
  std::string packed = SmallTraceDat(7);
  packed.replace(packed.find("none"), 4, "best");
  EXPECT_THAT(DatReason(packed), HasSubstr("is compressed by \"best\""));
  std::string text = SmallTraceDat(6);
  text.replace(text.find("flyrecord"), 9, "latency  ");
  EXPECT_THAT(DatReason(text), HasSubstr("holds text; import it as ftrace"));
}

}  // namespace
}  // namespace gordian
