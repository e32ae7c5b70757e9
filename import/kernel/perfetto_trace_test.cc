// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/perfetto_trace.h"

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
using testing::PerfettoPacket;
using testing::SmallPerfettoTrace;
using testing::TempDir;
using testing::WriteFile;

absl::StatusOr<ImportResult> ImportPerfetto(const TempDir& dir, const std::string& bytes) {
  return ImportKernelTrace({.file = WriteFile(dir / "trace.pftrace", bytes),
                            .directory = dir / "trace",
                            .recorder_version = "1"},
                           KernelTraceFormat::kPerfetto);
}

std::string PerfettoReason(const std::string& bytes) {
  const TempDir dir;
  const auto result = ImportPerfetto(dir, bytes);
  EXPECT_TRUE(absl::IsInvalidArgument(result.status())) << result.status();
  return std::string(result.status().message());
}

TEST(PerfettoPackets, GivesCompactAndSingleEventsInOrderOfTime) {
  const TempDir dir;
  const auto result = ImportPerfetto(dir, SmallPerfettoTrace());
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(testing::SessionTexts(dir / "trace"),
              ElementsAre("1000 nocpu task alive tid=7 tgid=5 namespaced_tid=7",
                          "1000 nocpu task alive tid=8 comm=\"helper\" tgid=8 namespaced_tid=8",
                          "1000 cpu1 loss switch count=1",
                          "1000 cpu1 task rename tid=7 comm=\"worker\" tgid=5 namespaced_tid=7",
                          "2000 cpu1 wake wakee_tid=8 waker_tid=7 waker_is_cause thread",
                          "2500 cpu1 block_issue disk=0x800001 read sector=640 bytes=4096 tid=7",
                          "3000 cpu1 switch prev_tid=7 prev_state_bits=0x2 next_tid=8",
                          "4000 cpu1 switch prev_tid=8 preempted"));
  EXPECT_EQ(CounterValue(result->session, "import_switches_without_thread"), 1u);
  EXPECT_EQ(CounterValue(result->session, "import_events_lost"), 1u);
}

TEST(PerfettoPackets, RefusesPacketsThatAreCut) {
  const std::string whole = SmallPerfettoTrace();
  EXPECT_THAT(PerfettoReason(whole.substr(0, whole.size() - 1)), HasSubstr("the file is cut"));
  EXPECT_THAT(PerfettoReason(whole + "x"), HasSubstr("no packet begins here"));
}

std::string PackedPackets(const std::string& packets) {
  ftrace::TracePacket packed;
  packed.set_compressed_packets(testing::Packed(PackedBy::kZlib, packets));
  return PerfettoPacket(packed);
}

TEST(PerfettoPackets, GivesWhatCompressedPacketsHold) {
  const TempDir plain;
  const TempDir packed;
  ASSERT_TRUE(ImportPerfetto(plain, SmallPerfettoTrace()).ok());
  const auto result = ImportPerfetto(packed, PackedPackets(SmallPerfettoTrace()));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(testing::SessionTexts(packed / "trace"), testing::SessionTexts(plain / "trace"));
}

TEST(PerfettoPackets, RefusesCompressedPacketsThatAreCutNestedOrLarge) {
  const std::string whole = SmallPerfettoTrace();
  EXPECT_THAT(PerfettoReason(PackedPackets(whole.substr(0, whole.size() - 1))),
              HasSubstr("compressed packets are damaged"));
  EXPECT_THAT(PerfettoReason(PackedPackets(PackedPackets(whole))),
              HasSubstr("hold compressed packets"));
  EXPECT_THAT(PerfettoReason(PackedPackets(std::string(70u << 20, '\n'))),
              HasSubstr("holds more than 67108864 bytes"));
}

TEST(PerfettoPackets, SaysWhatIsWrong) {
  EXPECT_THAT(PerfettoReason("a text"), HasSubstr("byte 0: this is no Perfetto trace"));
  ftrace::TracePacket packed;
  packed.set_compressed_packets("x");
  EXPECT_THAT(PerfettoReason(PerfettoPacket(packed)), HasSubstr("a compressed part is damaged"));
  ftrace::TracePacket uneven;
  uneven.mutable_ftrace_events()->mutable_compact_sched()->add_switch_timestamp(1);
  EXPECT_THAT(PerfettoReason(PerfettoPacket(uneven)), HasSubstr("have different lengths"));
  ftrace::TracePacket nameless;
  auto& compact = *nameless.mutable_ftrace_events()->mutable_compact_sched();
  compact.add_waking_timestamp(1);
  compact.add_waking_pid(1);
  compact.add_waking_comm_index(0);
  EXPECT_THAT(PerfettoReason(PerfettoPacket(nameless)), HasSubstr("a name that is not told"));
}

}  // namespace
}  // namespace gordian
