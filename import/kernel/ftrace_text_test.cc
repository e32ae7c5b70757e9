// SPDX-License-Identifier: Apache-2.0
#include "import/kernel/ftrace_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "import/import.h"
#include "tests/support/session_contents.h"
#include "tests/support/temp_dir.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SessionTexts;
using testing::TempDir;
using testing::WriteFile;

struct Told {
  std::vector<std::string> texts;
  pb::Session session;
};

absl::StatusOr<Told> ImportText(const std::string& text) {
  const TempDir dir;
  const auto result = ImportKernelTrace(
      {.file = WriteFile(dir / "t.txt", text), .directory = dir / "trace", .recorder_version = "1"},
      KernelTraceFormat::kFtraceText);
  if (!result.ok()) return result.status();
  return Told{SessionTexts(dir / "trace"), result->session};
}

std::vector<std::string> TextsOf(const std::string& text) {
  const auto told = ImportText(text);
  return told.ok() ? told->texts : std::vector<std::string>{told.status().ToString()};
}

uint64_t CounterOf(const std::string& text, std::string_view name) {
  const auto told = ImportText(text);
  EXPECT_TRUE(told.ok()) << told.status();
  return told.ok() ? CounterValue(told->session, name) : 0;
}

TEST(FtraceText, MakesSwitchesAndWakesOfTheKernelsText) {
  EXPECT_THAT(
      TextsOf("# tracer: nop\n"
              "          <idle>-0       [001] d..2.    10.000001: sched_switch: "
              "prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a b "
              "next_pid=7 next_prio=120\n"
              "             a b-7       [001] d..2.    10.000002: sched_waking: comm=c-1 pid=8 "
              "prio=120 target_cpu=000\n"
              "             a b-7       [001] d..2.    10.000003: sched_wakeup: comm=c-1 pid=8 "
              "prio=120 target_cpu=000\n"
              "             a b-7       [001] d..2.    10.000004: sched_switch: prev_comm=a b "
              "prev_pid=7 prev_prio=120 prev_state=R+ ==> next_comm=c-1 next_pid=8 "
              "next_prio=120\n"),
      ElementsAre("10000001000 nocpu task alive tid=7 comm=\"a b\" tgid=7 namespaced_tid=7",
                  "10000001000 nocpu task alive tid=8 comm=\"c-1\" tgid=8 namespaced_tid=8",
                  "10000001000 cpu1 switch next_tid=7",
                  "10000002000 cpu1 wake wakee_tid=8 waker_tid=7 waker_is_cause thread",
                  "10000004000 cpu1 switch prev_tid=7 preempted next_tid=8"));
}

// Lines of one CPU and their short forms.
std::string Line(const std::string& micros, const std::string& flags, const std::string& event) {
  return "  t-7  [000] " + flags + "  1.0000" + micros + ": " + event + "\n";
}
const std::string kSwitchTo7 =
    Line("01", "d..2.",
         "sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> "
         "next_comm=t next_pid=7 next_prio=120");
std::string WakeOf8(const std::string& micros, const std::string& flags) {
  return Line(micros, flags, "sched_waking: comm=u pid=8 prio=120 target_cpu=000");
}

TEST(FtraceText, ReadsTheShortFormOfTraceCmd) {
  EXPECT_THAT(TextsOf("cpus=2\n"
                      "     t-7     [000]     1.000001: sched_switch:         t:7 [120] S ==> "
                      "u v:8 [120]\n"
                      "     u v-8   [000]     1.000002: sched_waking:         t:7 [120] CPU:000\n"),
              ElementsAre("1000001000 nocpu task alive tid=7 comm=\"t\" tgid=7 namespaced_tid=7",
                          "1000001000 nocpu task alive tid=8 comm=\"u v\" tgid=8 namespaced_tid=8",
                          "1000001000 cpu0 switch prev_tid=7 prev_state_bits=0x1 next_tid=8",
                          "1000002000 cpu0 wake wakee_tid=7 waker_tid=8 waker_is_cause thread"));
}

TEST(FtraceText, TellsProcessesWhereLinesHaveThem) {
  EXPECT_THAT(TextsOf("  t-7  (  5) [000] d..2.  1.000001: sched_waking: comm=u pid=8 prio=1\n"
                      "  t-7  (-----) [000] d..2.  1.000002: sched_waking: comm=u pid=8 prio=1\n")
                  .front(),
              "1000001000 nocpu task alive tid=7 comm=\"t\" tgid=5 namespaced_tid=7");
}

TEST(FtraceText, BlamesTheInnermostInterruptForAWake) {
  const auto texts =
      TextsOf(kSwitchTo7 + Line("02", "d.h1.", "irq_handler_entry: irq=36 name=vd") +
              WakeOf8("03", "d.h1.") + Line("04", "d.h1.", "irq_handler_exit: irq=36 ret=handled") +
              Line("05", "..s1.", "softirq_entry: vec=3 [action=NET_RX]") + WakeOf8("06", "d.s1.") +
              Line("07", "d.H1.", "hrtimer_expire_entry: hrtimer=0 now=1") +
              WakeOf8("08", "d.H1.") + Line("09", "d.H1.", "hrtimer_expire_exit: h") +
              Line("10", "..s1.", "softirq_exit: vec=3 [action=NET_RX]"));
  std::vector<std::string> wakes;
  for (const std::string& text : texts) {
    if (text.find(" wake ") != text.npos || text.find(" irq_run ") != text.npos)
      wakes.push_back(text);
  }
  EXPECT_THAT(wakes, ElementsAre("1000003000 cpu0 wake wakee_tid=8 waker_tid=7 hardirq vector=36",
                                 "1000004000 cpu0 irq_run hardirq vector=36 duration_ns=2000 woke",
                                 "1000006000 cpu0 wake wakee_tid=8 waker_tid=7 softirq vector=3",
                                 "1000008000 cpu0 wake wakee_tid=8 waker_tid=7 timer",
                                 "1000010000 cpu0 irq_run softirq vector=3 duration_ns=5000 woke"));
}

TEST(FtraceText, KnowsOfInterruptsThatOnlyTheFlagsTell) {
  EXPECT_EQ(CounterOf(kSwitchTo7 + WakeOf8("02", "d.h1."), "import_wakes_interrupt_untold"), 1u);
  EXPECT_EQ(CounterOf(kSwitchTo7 + WakeOf8("02", "d..1."), "import_wakes_interrupt_untold"), 0u);
}

TEST(FtraceText, CountsWakesWhoseContextNothingTells) {
  EXPECT_EQ(CounterOf(kSwitchTo7 + WakeOf8("02", ""), "import_wakes_context_unknown"), 1u);
}

TEST(FtraceText, CountsWakesThatOnlyTheWokenThreadsCpuTells) {
  const std::string wakeup = Line("03", "d..1.", "sched_wakeup: comm=u pid=8 prio=120");
  EXPECT_EQ(CounterOf(kSwitchTo7 + wakeup, "import_wakes_told_late"), 1u);
  EXPECT_EQ(CounterOf(kSwitchTo7 + WakeOf8("02", "d..1.") + wakeup, "import_wakes_told_late"), 0u);
}

TEST(FtraceText, FollowsDiskRequestsToTheWakeTheyEndWith) {
  EXPECT_THAT(
      TextsOf(kSwitchTo7 +
              Line("02", ".....", "block_rq_issue: 254,1 WS 4096 () 640 + 8 none,0,0 [t]") +
              Line("05", "..s1.", "softirq_entry: vec=4 [action=BLOCK]") +
              Line("06", "..s1.", "block_rq_complete: 254,1 WS () 640 + 8 none,0,0 [0]") +
              WakeOf8("07", "d.s1.")),
      ElementsAre(
          "1000001000 nocpu task alive tid=7 comm=\"t\" tgid=7 namespaced_tid=7",
          "1000001000 nocpu task alive tid=8 comm=\"u\" tgid=8 namespaced_tid=8",
          "1000001000 cpu0 switch next_tid=7",
          "1000002000 cpu0 block_issue disk=0xfe00001 write sector=640 bytes=4096 tid=7",
          "1000006000 cpu0 block_complete disk=0xfe00001 write sector=640 bytes=4096 tid=7 "
          "service_ns=4000",
          "1000007000 cpu0 wake wakee_tid=8 waker_tid=7 softirq vector=4 disk device=0xfe00001"));
}

TEST(FtraceText, NamesAWakerByItsLineIfNothingElseDoes) {
  EXPECT_EQ(TextsOf(WakeOf8("01", "d..1.")).at(1),
            "1000001000 nocpu task alive tid=7 comm=\"t\" tgid=7 namespaced_tid=7");
}

TEST(FtraceText, TakesTheFirstWordOfAState) {
  const std::string change =
      Line("02", "d..2.",
           "sched_switch: prev_comm=t prev_pid=7 prev_prio=120 prev_state=R 0x0 ==> "
           "next_comm=swapper/0 next_pid=0 next_prio=120");
  EXPECT_EQ(TextsOf(kSwitchTo7 + change).back(), "1000002000 cpu0 switch prev_tid=7");
}

TEST(FtraceText, TellsBirthsProgramsAndEnds) {
  EXPECT_THAT(
      TextsOf(kSwitchTo7 +
              Line("02", ".....", "task_newtask: pid=9 comm=t clone_flags=10f00 oom_score_adj=0") +
              Line("03", ".....", "sched_process_fork: comm=t pid=7 child_comm=t child_pid=9") +
              Line("04", ".....", "task_rename: pid=9 oldcomm=t newcomm=w x oom_score_adj=0") +
              Line("05", ".....", "sched_process_exec: filename=/usr/bin/ls pid=7 old_pid=7") +
              Line("06", ".....", "sched_process_exit: comm=t pid=7 prio=120 group_dead=true")),
      ElementsAre("1000001000 nocpu task alive tid=7 comm=\"t\" tgid=7 namespaced_tid=7",
                  "1000001000 cpu0 switch next_tid=7",
                  "1000002000 cpu0 task new tid=9 comm=\"t\" tgid=7 parent_tid=7 namespaced_tid=9 "
                  "start_time_ns=1000002000",
                  "1000004000 cpu0 task rename tid=9 comm=\"w x\" tgid=7 parent_tid=7 "
                  "namespaced_tid=9 start_time_ns=1000002000",
                  "1000005000 cpu0 task exec tid=7 comm=\"ls\" tgid=7 namespaced_tid=7",
                  "1000006000 cpu0 task exit tid=7 comm=\"t\" tgid=7 namespaced_tid=7"));
}

TEST(FtraceText, TellsLossesWhereTheyEnd) {
  const std::string text =
      kSwitchTo7 + "CPU:0 [LOST 12 EVENTS]\n" + WakeOf8("09", "d..1.") + "CPU:0 [LOST EVENTS]\n";
  EXPECT_EQ(CounterOf(text, "import_events_lost"), 13u);
  EXPECT_THAT(TextsOf(text),
              ::testing::Contains("1000009000 cpu0 loss switch count=12 duration_ns=8000"));
}

TEST(FtraceText, ReadsTheTraceInAPageOnly) {
  const std::string page = "<!DOCTYPE html>\n<script>" + std::string(200'000, 'x') + kSwitchTo7 +
                           "</script>\n<script class=\"trace-data\" type=\"application/text\">\n" +
                           WakeOf8("02", "d..1.") + "</script>\n" + WakeOf8("03", "d..1.");
  EXPECT_THAT(TextsOf(page),
              ElementsAre("1000002000 nocpu task alive tid=8 comm=\"u\" tgid=8 namespaced_tid=8",
                          "1000002000 nocpu task alive tid=7 comm=\"t\" tgid=7 namespaced_tid=7",
                          "1000002000 cpu0 wake wakee_tid=8 waker_tid=7 waker_is_cause thread"));
}

TEST(FtraceText, KeepsTheOrderOfOneMicrosecond) {
  const auto texts = TextsOf(WakeOf8("02", "d..1.") + WakeOf8("02", "d..1."));
  EXPECT_THAT(texts.at(2), HasSubstr("1000002000 cpu0 wake"));
  EXPECT_THAT(texts.at(3), HasSubstr("1000002001 cpu0 wake"));
}

TEST(FtraceText, RefusesAnEventWhoseFieldsAreWrong) {
  const auto told = ImportText(kSwitchTo7 + Line("02", "d..2.", "sched_switch: prev_comm=t"));
  EXPECT_TRUE(absl::IsInvalidArgument(told.status()));
  EXPECT_THAT(std::string(told.status().message()), HasSubstr("t.txt:2: no ==> in"));
}

TEST(FtraceText, RefusesATextWithoutEvents) {
  const auto told = ImportText("hello\n");
  EXPECT_TRUE(absl::IsInvalidArgument(told.status()));
  EXPECT_THAT(std::string(told.status().message()), HasSubstr("holds no event of the scheduler"));
}

TEST(FtraceText, CountsLinesThatAreNoEventsAndEventsOfOtherKinds) {
  EXPECT_EQ(CounterOf(kSwitchTo7 + " => schedule\n", "import_lines_unknown"), 1u);
  EXPECT_EQ(
      CounterOf(kSwitchTo7 + Line("02", "d..2.", "cpu_idle: state=1"), "import_events_unknown"),
      1u);
}

}  // namespace
}  // namespace gordian
