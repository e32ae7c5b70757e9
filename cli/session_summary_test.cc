// SPDX-License-Identifier: Apache-2.0
#include "cli/session_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <fstream>
#include <string>

#include "cli/summary_report.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using testing::TempDir;
using testing::TraceBuilder;
using namespace testing;  // NOLINT: time literals
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Summarized {
  SessionSummary summary;
  std::string text;
  std::string json;
};

Summarized SummarizeFolder(const std::string& directory) {
  auto session = SessionReader::Open(directory);
  if (!session.ok()) {
    ADD_FAILURE() << session.status();
    return {};
  }
  Summarized result{.summary = Summarize(**session, 3, nullptr)};
  const SummaryReport report{directory, (*session)->session(), result.summary, {}};
  result.text = SummaryText(report);
  result.json = SummaryJson(report);
  return result;
}

Summarized SummarizeBuilt(TraceBuilder& t, size_t events_per_block = 1000) {
  const TempDir dir;
  EXPECT_TRUE(t.WriteSession(dir / "trace", events_per_block).ok());
  return SummarizeFolder(dir / "trace");
}

// A runs 1 to 5 ms and 9 to 10 ms on CPU 0, B all the time on CPU 1; 10 ms in all.
TraceBuilder TwoThreads() {
  TraceBuilder t;
  t.Origin(100_s).Thread(10, "A").Thread(20, "B");
  t.At(0).Cpu(1).Run(20);
  t.At(1_ms).Cpu(0).Run(10);
  t.At(5_ms).Block(kSleep);
  t.At(9_ms).Cpu(1).Wake(10).Loss(EventKind::kNetSend, 7);
  t.At(9_ms).Cpu(0).Run(10);
  t.At(10_ms);
  return t;
}

TEST(SessionSummary, CountsEventsAndLosses) {
  TraceBuilder t = TwoThreads();
  const SessionSummary summary = SummarizeBuilt(t).summary;
  EXPECT_EQ(summary.events_total, 8u);
  EXPECT_EQ(summary.events[static_cast<size_t>(EventKind::kSwitch)], 4u);
  EXPECT_EQ(summary.events[static_cast<size_t>(EventKind::kWake)], 1u);
  EXPECT_EQ(summary.events[static_cast<size_t>(EventKind::kTask)], 2u);
  EXPECT_EQ(summary.events[static_cast<size_t>(EventKind::kLoss)], 1u);
  EXPECT_EQ(summary.lost_total, 7u);
  EXPECT_EQ(summary.lost[static_cast<size_t>(EventKind::kNetSend)], 7u);
  EXPECT_EQ(summary.cpus, 2u);
  EXPECT_DOUBLE_EQ(summary.seconds(), 0.01);
  EXPECT_DOUBLE_EQ(summary.events_per_second(), 800);
}

TEST(SessionSummary, NamesThreadsThatWereBornWhileItRanByTheirLatestName) {
  TraceBuilder t;
  t.Thread(10, "server").At(1_ms).Cpu(1).Run(10);
  t.New(10, 11, "server", 10);
  t.At(2_ms).Cpu(0).Run(11).Rename(11, "worker");
  t.At(9_ms).Exit(11).Block(kDead);
  const Summarized result = SummarizeBuilt(t);
  EXPECT_THAT(result.text, HasSubstr("worker/11 "));
  EXPECT_THAT(result.json, HasSubstr("{\"tid\":11,\"comm\":\"worker\","));
}

// A and B run when the recording pauses from 4 ms to 9 ms.
TEST(SessionSummary, CountsNoTimeOnCpusInPauses) {
  TraceBuilder t = TwoThreads();
  pb::Pause* pause = t.session().add_pauses();
  pause->set_from_ns(100_s + 4_ms);
  pause->set_to_ns(100_s + 9_ms);
  const Summarized result = SummarizeBuilt(t);
  EXPECT_NEAR(static_cast<double>(result.summary.paused_ns), 5e6, 1);
  ASSERT_EQ(result.summary.top_threads.size(), 2u);
  EXPECT_NEAR(static_cast<double>(result.summary.top_threads[0].cpu_ns), 5e6, 1);  // B
  EXPECT_NEAR(static_cast<double>(result.summary.top_threads[1].cpu_ns), 4e6, 1);
  EXPECT_THAT(result.text, HasSubstr("100.0 %"));
}

TEST(SessionSummary, TellsTheTarget) {
  TraceBuilder t = TwoThreads();
  t.session().add_targets()->set_label("pid 10");
  t.session().add_command("./server");
  EXPECT_THAT(SummarizeBuilt(t).text, HasSubstr("target    pid 10, command: ./server\n"));
}

TEST(SessionSummary, BelievesTheCountersWhereNoEventTellsALoss) {
  TraceBuilder t = TwoThreads();  // 7 packets lost, as an event
  AddCounter(t.session(), "records_lost_net_send", 5);
  AddCounter(t.session(), "records_lost_wake", 100);
  AddCounter(t.session(), "events_not_written", 1000);
  const SessionSummary summary = SummarizeBuilt(t).summary;
  EXPECT_EQ(summary.lost[static_cast<size_t>(EventKind::kNetSend)], 7u);
  EXPECT_EQ(summary.lost[static_cast<size_t>(EventKind::kWake)], 100u);
  EXPECT_EQ(summary.lost_total, 1107u);
}

TEST(SessionSummary, NamesTheProgramsThatTheKernelLeftOut) {
  TraceBuilder t = TwoThreads();
  AddCounter(t.session(), "records_lost_wake", 100);
  AddCounter(t.session(), "records_left_out_wake", 3);
  AddCounter(t.session(), "kernel_programs_skipped", 4);
  pb::LeftOut* left_out = t.session().add_left_out();
  left_out->set_program("kprobe_wake");
  left_out->set_event("wake");
  left_out->set_count(3);
  left_out = t.session().add_left_out();
  left_out->set_program("raw_hrtimer_entry");
  left_out->set_count(1);
  const Summarized result = SummarizeBuilt(t);
  EXPECT_EQ(result.summary.lost[static_cast<size_t>(EventKind::kWake)], 103u);
  EXPECT_THAT(result.text, ContainsRegex("kprobe_wake +3 +wake\n"));
  EXPECT_THAT(result.text, ContainsRegex("raw_hrtimer_entry +1 +only a state\n"));
  EXPECT_THAT(result.json, HasSubstr(R"({"program":"kprobe_wake","event":"wake","count":3})"));
}

TEST(SessionSummary, BelievesOnlyTheEventsOfAFlightRecorder) {
  TraceBuilder t = TwoThreads();
  t.session().mutable_options()->set_ring_bytes(64 << 20);
  AddCounter(t.session(), "records_lost_wake", 100);  // perhaps days ago
  EXPECT_EQ(SummarizeBuilt(t).summary.lost_total, 7u);
}

TEST(SessionSummary, FindsTheBusiestThreadsAcrossBlocks) {
  for (const size_t events_per_block : {1000u, 1u}) {
    TraceBuilder t = TwoThreads();
    const SessionSummary summary = SummarizeBuilt(t, events_per_block).summary;
    EXPECT_EQ(summary.threads_seen, 2u);
    ASSERT_EQ(summary.top_threads.size(), 2u);
    EXPECT_EQ(summary.top_threads[0].tid, 20);
    EXPECT_EQ(summary.top_threads[0].cpu_ns, 10_ms);
    EXPECT_EQ(summary.top_threads[1].tid, 10);
    EXPECT_EQ(summary.top_threads[1].cpu_ns, 5_ms);
    EXPECT_EQ(summary.top_threads[1].switches, 1u);
    EXPECT_EQ(summary.top_threads[1].wakes, 1u);
  }
}

TEST(SessionSummary, CountsATimeBeforeTheFirstSwitchForWhoeverLeft) {
  TraceBuilder t;
  t.Unchecked().At(4_ms).Cpu(0).Switch(10, 0, kSleep);
  EXPECT_EQ(SummarizeBuilt(t).summary.top_threads.at(0).cpu_ns, 4_ms);
}

TEST(SessionSummary, GuessesNobodysTimeAcrossLostSwitches) {
  TraceBuilder t;
  t.Unchecked().At(0).Cpu(0).Run(10);
  t.At(3_ms).Loss(EventKind::kSwitch, 2);
  t.At(4_ms).Switch(10, 20, kSleep);
  t.At(6_ms).Switch(20, 0, kSleep);
  const SessionSummary summary = SummarizeBuilt(t).summary;
  ASSERT_EQ(summary.top_threads.size(), 2u);
  EXPECT_EQ(summary.top_threads[0].tid, 20);
  EXPECT_EQ(summary.top_threads[0].cpu_ns, 2_ms);
  EXPECT_EQ(summary.top_threads[1].cpu_ns, 0u);
}

TEST(SessionSummary, KeepsOnlyAsManyTopThreadsAsAsked) {
  TraceBuilder t;
  for (int tid = 1; tid <= 5; ++tid) t.At(tid * 1_ms).Cpu(0).Run(tid);
  const SessionSummary summary = SummarizeBuilt(t).summary;
  EXPECT_EQ(summary.threads_seen, 5u);
  EXPECT_EQ(summary.top_threads.size(), 3u);
}

TEST(SessionSummary, CoversWhatAFlightRecorderStillHolds) {
  TraceBuilder t;
  t.session().mutable_options()->set_ring_bytes(64 << 20);
  t.At(7_s).Cpu(0).Run(10);
  t.At(9_s);
  const Summarized result = SummarizeBuilt(t);
  EXPECT_DOUBLE_EQ(result.summary.seconds(), 2);
  EXPECT_THAT(result.text, HasSubstr("flight recorder: the newest 64 MiB are kept"));
}

TEST(SessionSummary, ReadsTheClocks) {
  pb::Session session;
  session.set_start_time_ns(1000);
  EXPECT_FALSE(SummarizeClocks(session).known);
  const auto add = [&](uint64_t monotonic_ns, int64_t realtime_ns, uint64_t error_ns) {
    pb::ClockPair& pair = *session.add_clocks();
    pair.set_monotonic_ns(monotonic_ns);
    pair.set_realtime_ns(realtime_ns);
    pair.set_error_ns(error_ns);
  };
  const int64_t base_ns = 1'700'000'000'000'000'000;
  add(1000, base_ns, 30);
  EXPECT_EQ(SummarizeClocks(session).started_realtime_ns, base_ns);
  EXPECT_FALSE(SummarizeClocks(session).drift_known);
  add(1000 + 1_s, base_ns + static_cast<int64_t>(1_s) + 5000, 50);
  const ClockSummary clocks = SummarizeClocks(session);
  EXPECT_EQ(clocks.offset_ns, base_ns - 1000);
  EXPECT_TRUE(clocks.drift_known);
  EXPECT_DOUBLE_EQ(clocks.drift_ppm, 5);
  EXPECT_EQ(clocks.error_ns, 50u);
}

TEST(SummaryJson, HasTheDocumentedFields) {
  TraceBuilder t = TwoThreads();
  AddCounter(t.session(), "flows_table_full", 3);
  pb::Hook& hook = *t.session().add_hooks();
  hook.set_event("switch");
  hook.set_attached("tp_btf/sched_switch");
  const Summarized result = SummarizeBuilt(t);
  rapidjson::Document json;
  json.Parse(result.json.c_str());
  ASSERT_FALSE(json.HasParseError()) << result.json;
  EXPECT_DOUBLE_EQ(json["seconds"].GetDouble(), 0.01);
  EXPECT_EQ(json["cpus"].GetUint(), 2u);
  EXPECT_STREQ(json["backend"].GetString(), "tracepoint");
  EXPECT_EQ(json["events_total"].GetUint64(), 8u);
  EXPECT_EQ(json["events"]["switch"].GetUint64(), 4u);
  EXPECT_EQ(json["events"]["flow"].GetUint64(), 0u);
  EXPECT_EQ(json["events"].MemberCount(), 16u);
  EXPECT_EQ(json["lost_total"].GetUint64(), 7u);
  EXPECT_EQ(json["lost"]["net_send"].GetUint64(), 7u);
  EXPECT_EQ(json["bytes_on_disk"].GetUint64(), result.summary.bytes_on_disk);
  EXPECT_GT(json["bytes_per_event"].GetDouble(), 0);
  EXPECT_TRUE(json["complete"].GetBool());
  EXPECT_STREQ(json["end_reason"].GetString(), "asked");
  EXPECT_EQ(json["threads_seen"].GetUint64(), 2u);
  EXPECT_STREQ(json["top_threads"][0]["comm"].GetString(), "B");
  EXPECT_DOUBLE_EQ(json["top_threads"][0]["cpu_seconds"].GetDouble(), 0.01);
  EXPECT_STREQ(json["hooks"][0]["attached"].GetString(), "tp_btf/sched_switch");
  EXPECT_STREQ(json["counters"][0]["name"].GetString(), "flows_table_full");
  EXPECT_STREQ(json["counters"][0]["severity"].GetString(), "data_loss");
  EXPECT_EQ(json["damage"]["corrupt_blocks"].GetUint64(), 0u);
  EXPECT_STREQ(json["host"]["hostname"].GetString(), "builder");
}

TEST(SummaryText, TellsLossesCountersAndAdvice) {
  TraceBuilder t = TwoThreads();
  AddCounter(t.session(), "flows_table_full", 3);
  AddCounter(t.session(), "corrupt_blocks", 0);
  AddCounter(t.session(), "time_inversions_sorted", 4);
  pb::Counter& future = *t.session().add_counters();
  future.set_name("from_the_future");
  future.set_value(2);
  const std::string text = SummarizeBuilt(t).text;
  EXPECT_THAT(text, HasSubstr("state     complete; ended: asked\n"));
  EXPECT_THAT(text, HasSubstr("lost      7 records; what they touched is known only in part\n"));
  EXPECT_THAT(text,
              HasSubstr("\nimperfect\n  3 flows_table_full (data lost)\n    Packets of flows"));
  EXPECT_THAT(text, HasSubstr("\nnotes\n  4 time_inversions_sorted: Events that"));
  EXPECT_THAT(text, HasSubstr("  2 from_the_future: written by a newer version\n"));
  EXPECT_THAT(text, Not(HasSubstr("corrupt_blocks")));
  EXPECT_THAT(text, Not(HasSubstr("damage")));
  EXPECT_THAT(text, HasSubstr("B/20     10 ms       100.0 %"));
}

TEST(SummaryText, ListsTheHooks) {
  TraceBuilder t = TwoThreads();
  pb::Hook& hook = *t.session().add_hooks();
  hook.set_event("switch");
  hook.set_attached("tp_btf/sched_switch");
  EXPECT_THAT(SummarizeBuilt(t).text, HasSubstr("event   hook\nswitch  tp_btf/sched_switch\n"));
}

TEST(SummaryText, SaysThatASessionIsIncompleteOrCutOff) {
  TraceBuilder t = TwoThreads();
  t.session().set_chains_end_at_targets(true);
  t.session().set_snapshot_of("weeks");
  const std::string text = SummarizeBuilt(t).text;
  EXPECT_THAT(text, HasSubstr("snapshot of weeks"));
  EXPECT_THAT(text, HasSubstr("recorded with --only"));
}

TEST(SummaryText, TellsATruncatedFile) {
  TraceBuilder t = TwoThreads();
  const TempDir dir;
  ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
  const std::string file = dir / "trace/cpu-000.trace";
  const std::string whole = testing::ReadFile(file);
  testing::WriteFile(file, std::string_view(whole).substr(0, whole.size() - 5));
  const Summarized result = SummarizeFolder(dir / "trace");
  EXPECT_EQ(result.summary.damage.torn_tails, 1u);
  EXPECT_EQ(result.summary.events_total, 5u);  // the other CPU's and the threads
  EXPECT_THAT(result.text, HasSubstr("damage    1 files that end inside a block"));
}

TEST(SummaryText, ReadsASessionWhoseRecorderDiedAtOnce) {
  TraceBuilder t = TwoThreads();
  const TempDir dir;
  ASSERT_TRUE(t.WriteSession(dir / "trace").ok());
  ASSERT_TRUE(std::filesystem::remove(dir / "trace/session.pb"));
  const Summarized result = SummarizeFolder(dir / "trace");
  EXPECT_THAT(result.text, HasSubstr("state     INCOMPLETE"));
  EXPECT_DOUBLE_EQ(result.summary.seconds(), 0.009);  // from its first event to its last
  EXPECT_EQ(result.summary.cpus, 2u);
}

}  // namespace
}  // namespace gordian
