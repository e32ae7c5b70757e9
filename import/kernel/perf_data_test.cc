// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/perf_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmt/format.h"
#include "import/import.h"
#include "import/kernel/kernel_trace_files.h"
#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PackedPerfData;
using testing::SmallPerfData;
using testing::TempDir;
using testing::WriteFile;

absl::StatusOr<ImportResult> ImportPerf(const TempDir& dir, const std::string& bytes) {
  return ImportKernelTrace({.file = WriteFile(dir / "perf.data", bytes),
                            .directory = dir / "trace",
                            .recorder_version = "1"},
                           KernelTraceFormat::kPerfData);
}

std::string ReasonFor(const std::string& bytes) {
  const TempDir dir;
  const auto result = ImportPerf(dir, bytes);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
  EXPECT_THAT(dir.Entries(), ElementsAre("perf.data"));
  return std::string(result.status().message());
}

TEST(PerfData, GivesSamplesInOrderOfTimeWithProcessesBirthsAndLosses) {
  const TempDir dir;
  const auto result = ImportPerf(dir, SmallPerfData());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(
      testing::SessionTexts(dir / "trace"),
      ElementsAre("1000 nocpu task alive tid=7 comm=\"worker\" tgid=5 namespaced_tid=7",
                  "1000 nocpu task alive tid=8 comm=\"helper\" tgid=8 namespaced_tid=8",
                  "1000 cpu1 wake wakee_tid=8 waker_tid=7 waker_is_cause thread",
                  "1000 cpu1 stack stack_id=2 tgid=7 kernel=0xffffffff81000010,0xffffffff81000021 "
                  "user=0x401020",
                  "1000 cpu1 stack_sample tid=7 wake stack_id=2",
                  "1500 cpu1 task new tid=9 comm=\"worker\" tgid=9 parent_tid=7 namespaced_tid=9 "
                  "start_time_ns=1500",
                  "2000 cpu1 switch prev_tid=7 prev_state_bits=0x1 next_tid=8",
                  "2000 cpu1 stack_sample tid=7 wait stack_id=2",
                  "3000 cpu1 switch prev_tid=8 preempted",
                  "4000 cpu1 loss switch count=3 duration_ns=1000"));
  EXPECT_EQ(result->session.host().hostname(), "machine");
  EXPECT_EQ(CounterValue(result->session, "import_events_lost"), 3u);
  EXPECT_EQ(result->session.options().stacks(), "all");
}

TEST(PerfData, TellsModuleAndPlaceOfEachFrame) {
  const TempDir dir;
  ASSERT_TRUE(ImportPerf(dir, SmallPerfData()).ok());
  const auto symbols = ReadSymbols(dir / "trace");
  ASSERT_TRUE(symbols.ok()) << symbols.status();
  std::vector<std::string> frames;
  const auto add = [&](const google::protobuf::RepeatedField<uint32_t>& indices) {
    for (const uint32_t index : indices) {
      const pb::SymbolFrame& frame = symbols->frames(static_cast<int>(index));
      frames.push_back(fmt::format("{}+{:#x}", symbols->text(static_cast<int>(frame.module())),
                                   frame.module_offset()));
    }
  };
  for (const pb::StackFrames& stack : symbols->stacks()) {
    if (stack.stack_id() != 2) continue;
    add(stack.kernel());
    add(stack.user());
  }
  EXPECT_THAT(frames, ElementsAre("[kernel]+0x10", "[kernel]+0x20", "/none/worker+0x2020"));
}

TEST(PerfData, HoldsTheSameEventsIfCompressedWhereverItsPiecesEnd) {
  const TempDir plain;
  ASSERT_TRUE(ImportPerf(plain, SmallPerfData()).ok());
  for (const size_t piece_bytes : {1, 7, 100, 1000}) {
    const TempDir packed;
    const auto result = ImportPerf(packed, PackedPerfData(piece_bytes));
    ASSERT_TRUE(result.ok()) << piece_bytes << ": " << result.status();
    EXPECT_EQ(testing::SessionTexts(packed / "trace"), testing::SessionTexts(plain / "trace"));
  }
}

TEST(PerfData, RefusesAFileThatIsCutAnywhere) {
  const std::string whole = SmallPerfData();
  for (size_t size = 0; size < whole.size(); size += 23) {
    const TempDir dir;
    const auto result = ImportPerf(dir, whole.substr(0, size));
    EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << size << ": " << result.status();
  }
}

TEST(PerfData, SaysWhatIsWrong) {
  EXPECT_THAT(ReasonFor("not one of perf's files"), HasSubstr("byte 0: this is no perf.data"));
  std::string pipe = SmallPerfData();
  pipe[8] = 16;
  EXPECT_THAT(ReasonFor(pipe), HasSubstr("byte 8: was written into a pipe"));
  std::string other = SmallPerfData();
  other.replace(0, 8, "2ELIFREP");
  EXPECT_THAT(ReasonFor(other), HasSubstr("another order of bytes"));
  std::string some = SmallPerfData();
  constexpr size_t kPeriod = 104 + 8 + 16;
  some[kPeriod] = 99;
  EXPECT_THAT(ReasonFor(some), HasSubstr("byte 112: of an event only some were taken"));
  std::string compressed = SmallPerfData();
  constexpr size_t kFirstRecord = 104 + 8 + 80;
  compressed[kFirstRecord] = 81;
  EXPECT_THAT(ReasonFor(compressed), HasSubstr("byte 192: a compressed part is damaged"));
}

}  // namespace
}  // namespace gordian
