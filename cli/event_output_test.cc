// SPDX-License-Identifier: Apache-2.0
// The output for people and programs of each kind of event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/event_json.h"
#include "cli/event_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/event_words.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempDir;
using testing::TraceBuilder;
using namespace testing;  // NOLINT: time literals

// One of everything.
TraceBuilder Everything() {
  TraceBuilder t;
  t.Origin(100_s).Thread(10, "A").Thread(11, "A-helper", 10).KernelThread(20, "kworker/0:1");
  pb::Irq& irq = *t.session().add_irqs();
  irq.set_number(24);
  irq.set_name("virtio0");
  const uint32_t vda = t.Disk("vda");
  const uint32_t lo = t.Interface("lo");
  t.At(1_ms).Cpu(0).Run(10);
  t.At(2_ms).Wake(20);
  t.At(3_ms).WakeFromHardirq(11, 24, vda);
  t.At(4_ms).WakeFromTimer(30);
  t.At(5_ms).WakeFromSoftirq(31, 9);
  t.At(6_ms).WakeFromNet(32, lo, 7);
  t.At(7_ms).WakeLike({.wakee_tid = 33,
                       .waker_tid = 10,
                       .context = WakeContext::kSoftirq,
                       .device_kind = DeviceKind::kNic,
                       .vector = 3,
                       .device = lo,
                       .flow_id = 7});
  t.At(8_ms).Block(kDiskSleep, 20);
  t.At(9_ms).Cpu(1).SoftirqRan(3, 1500_ns, true).HardirqRan(24, 2_us).HardirqRan(99, 2_us);
  t.At(10_ms).Issue({.sector = 2048,
                     .device = vda,
                     .bytes = 4096,
                     .tid = 10,
                     .operation = BlockOperation::kWrite});
  t.At(11_ms).Complete({.sector = 2048,
                        .service_ns = 1_ms,
                        .device = DiskId(8, 1),
                        .bytes = 4096,
                        .tid = 10,
                        .operation = BlockOperation::kFlush});
  t.At(12_ms).NetSend({.flow_id = 7, .interface = lo, .bytes = 66, .sequence = 5, .tid = 10});
  t.At(13_ms).NetReceive({.interface = 9, .bytes = 66, .tid = 20, .in_softirq = true});
  t.At(14_ms).New(10, 40, "A").Exec(40, "ls").Rename(40, "renamed").Exit(40);
  t.At(15_ms)
      .Probe(10, ProbeKind::kSpinBegin, "queue", 0xabc)
      .Probe(10, ProbeKind::kCount, "rows", 5);
  t.At(16_ms).Cpu(kNoCpu).Loss(EventKind::kWake, 1234, 2_ms);
  t.Flow({.flow_id = 7,
          .family = FlowFamily::kIpv4,
          .protocol = 6,
          .source_port = 80,
          .destination_port = 5000,
          .source = {127, 0, 0, 1},
          .destination = {10, 0, 0, 2}});
  t.Flow({.flow_id = 8,
          .family = FlowFamily::kIpv6,
          .protocol = 17,
          .source_port = 53,
          .destination_port = 54,
          .source = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}});
  return t;
}

// Each event of the session as a line, by `append`.
template <typename Append>
std::vector<std::string> Lines(TraceBuilder& t, Append append) {
  const TempDir dir;
  if (!t.WriteSession(dir / "trace").ok()) return {"cannot be written"};
  auto session = SessionReader::Open(dir / "trace");
  if (!session.ok()) return {"cannot be read"};
  SessionNames names(**session);
  MergedEvents cursor(**session);
  std::vector<std::string> lines;
  while (cursor.Next()) {
    if (cursor.event().kind == EventKind::kTask) {
      names.Learn(cursor.block().tasks[cursor.event().task.index]);
    }
    std::string line;
    append(cursor.event(), cursor.block(), names, line);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> TextLines(TraceBuilder& t, uint64_t start_time_ns) {
  return Lines(
      t, [&](const TraceEvent& event, const EventBlock& block, const SessionNames& names,
             std::string& line) { AppendEventText(event, block, names, start_time_ns, line); });
}

std::vector<std::string> JsonLines(TraceBuilder& t, uint64_t start_time_ns) {
  JsonWriter json;
  return Lines(t, [&](const TraceEvent& event, const EventBlock& block, const SessionNames& names,
                      std::string& line) {
    AppendEventJson(event, block, names, start_time_ns, json, line);
  });
}

TEST(EventText, TellsEveryKindInWords) {
  TraceBuilder t = Everything();
  EXPECT_THAT(
      TextLines(t, 100_s),
      ElementsAre(
          "     0.000000000  cpu  -  task            alive A/10",
          "     0.000000000  cpu  -  task            alive A-helper/11 of process A/10",
          "     0.000000000  cpu  -  task            alive kworker/0:1/20, a kernel thread",
          "     0.001000000  cpu  0  switch          idle → A/10",
          "     0.002000000  cpu  0  wake            kworker/0:1/20 by A/10",
          "     0.003000000  cpu  0  wake            A-helper/11 by hardirq 24 virtio0 of vda "
          "(interrupted A/10)",
          "     0.004000000  cpu  0  wake            ?/30 by timer (interrupted A/10)",
          "     0.005000000  cpu  0  wake            ?/31 by softirq rcu (interrupted A/10)",
          "     0.006000000  cpu  0  wake            ?/32 by softirq net_rx of lo, flow 7 "
          "(interrupted A/10)",
          "     0.007000000  cpu  0  wake            ?/33 by A/10 in softirq net_rx of lo, flow 7",
          "     0.008000000  cpu  0  switch          A/10 (disk sleep) → kworker/0:1/20",
          "     0.009000000  cpu  1  irq_run         softirq net_rx ran 1.5 µs, woke somebody",
          "     0.009000000  cpu  1  irq_run         hardirq 24 virtio0 ran 2 µs",
          "     0.009000000  cpu  1  irq_run         hardirq 99 ran 2 µs",
          "     0.010000000  cpu  1  block_issue     vda write 4096 B at sector 2048 by A/10",
          "     0.011000000  cpu  1  block_complete  8:1 flush 4096 B at sector 2048 by A/10 after "
          "1 ms",
          "     0.012000000  cpu  1  net_send        lo 66 B, flow 7, sequence 5 by A/10",
          "     0.013000000  cpu  1  net_receive     interface 9 66 B (interrupted kworker/0:1/20)",
          "     0.014000000  cpu  1  task            new A/40, created by A/10",
          "     0.014000000  cpu  1  task            exec ls/40",
          "     0.014000000  cpu  1  task            rename renamed/40",
          "     0.014000000  cpu  1  task            exit renamed/40",
          "     0.015000000  cpu  1  probe           A/10 spin_begin queue 0xabc",
          "     0.015000000  cpu  1  probe           A/10 count rows 5",
          "     0.016000000  cpu  -  loss            1,234 wake records lost within 2 ms",
          "     0.016000000  cpu  -  flow            flow 7 is tcp 127.0.0.1:80 → 10.0.0.2:5000",
          "     0.016000000  cpu  -  flow            flow 8 is udp [::1]:53 → [::]:54"));
}

TEST(EventText, TellsAPhasesKeyAndACountsSign) {
  TraceBuilder t;
  t.At(1_ms).Cpu(0).PhaseBegin(10, "load", "part\n1").PhaseBegin(10, "bare", "");
  t.Probe(10, ProbeKind::kPhaseEnd);
  t.Probe(10, ProbeKind::kCount, "balance", static_cast<uint64_t>(-5));
  EXPECT_THAT(
      TextLines(t, 0),
      ElementsAre("     0.001000000  cpu  0  probe           ?/10 phase_begin load part\uFFFD1",
                  "     0.001000000  cpu  0  probe           ?/10 phase_begin bare",
                  "     0.001000000  cpu  0  probe           ?/10 phase_end",
                  "     0.001000000  cpu  0  probe           ?/10 count balance -5"));
}

TEST(EventText, SaysWhatTheLeavingThreadDid) {
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .preempted = true}), "preempted");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateInterruptible, .preempted = true}),
            "preempted");
  EXPECT_EQ(SwitchStateName({.prev_tid = 0, .preempted = true}), "idle");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1}), "runnable");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateInterruptible}), "sleeping");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = 0x402}), "disk sleep");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateDead}), "dead");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateExitZombie}), "dead");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateStopped}), "stopped");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateTraced}), "traced");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = kStateParked}), "parked");
  EXPECT_EQ(SwitchStateName({.prev_tid = 1, .prev_state = 0x4000}), "state 0x4000");
}

TEST(EventText, WritesTimesBeforeTheStartWithAMinus) {
  TraceBuilder t;
  t.At(1_ms).Cpu(0).Run(10);
  EXPECT_THAT(TextLines(t, 1500_ms),
              ElementsAre("    -1.499000000  cpu  0  switch          idle → ?/10"));
}

TEST(EventText, LetsNoNameForgeLines) {
  TraceBuilder t;
  t.Thread(10, "a\nb\x1b[31m");
  EXPECT_THAT(TextLines(t, 0),
              ElementsAre("     0.000000000  cpu  -  task            alive a\uFFFDb\uFFFD[31m/10"));
}

TEST(EventJson, HasTheDocumentedFieldsOfEveryKind) {
  TraceBuilder t = Everything();
  const std::vector<std::string> lines = JsonLines(t, 100_s);
  const auto line = [&](size_t index) { return lines.at(index); };
  EXPECT_EQ(
      line(1),
      R"({"time_ns":100000000000,"since_start_ns":0,"cpu":-1,"kind":"task","change":"alive",)"
      R"("tid":11,"comm":"A-helper","tgid":10,"parent_tid":0,"namespaced_tid":11,)"
      R"("start_time_ns":0,"cgroup_id":0,"kernel_thread":false,"recorder":false,"state_bits":0})");
  EXPECT_EQ(line(10),
            R"({"time_ns":100008000000,"since_start_ns":8000000,"cpu":0,"kind":"switch",)"
            R"("prev_tid":10,"prev_comm":"A","prev_state":"disk sleep","prev_state_bits":2,)"
            R"("preempted":false,"next_tid":20,"next_comm":"kworker/0:1"})");
  EXPECT_EQ(line(5), R"({"time_ns":100003000000,"since_start_ns":3000000,"cpu":0,"kind":"wake",)"
                     R"("wakee_tid":11,"wakee_comm":"A-helper","waker_tid":10,"waker_comm":"A",)"
                     R"("waker_is_cause":false,"context":"hardirq","vector":24,"disk":"vda"})");
  EXPECT_EQ(
      line(9),
      R"({"time_ns":100007000000,"since_start_ns":7000000,"cpu":0,"kind":"wake",)"
      R"("wakee_tid":33,"wakee_comm":"","waker_tid":10,"waker_comm":"A",)"
      R"("waker_is_cause":true,"context":"softirq","vector":3,"interface":"lo","flow_id":7})");
  EXPECT_EQ(line(11),
            R"({"time_ns":100009000000,"since_start_ns":9000000,"cpu":1,"kind":"irq_run",)"
            R"("source":"softirq","vector":3,"name":"net_rx","duration_ns":1500,"woke":true})");
  EXPECT_EQ(line(14),
            R"({"time_ns":100010000000,"since_start_ns":10000000,"cpu":1,"kind":"block_issue",)"
            R"("disk":"vda","operation":"write","sector":2048,"bytes":4096,"tid":10,"comm":"A"})");
  EXPECT_EQ(line(15),
            R"({"time_ns":100011000000,"since_start_ns":11000000,"cpu":1,"kind":"block_complete",)"
            R"("disk":"8:1","operation":"flush","sector":2048,"bytes":4096,"tid":10,"comm":"A",)"
            R"("service_ns":1000000})");
  EXPECT_EQ(line(16),
            R"({"time_ns":100012000000,"since_start_ns":12000000,"cpu":1,"kind":"net_send",)"
            R"("interface":"lo","flow_id":7,"bytes":66,"sequence":5,"tid":10,"comm":"A",)"
            R"("in_softirq":false})");
  EXPECT_EQ(line(22), R"({"time_ns":100015000000,"since_start_ns":15000000,"cpu":1,"kind":"probe",)"
                      R"("probe":"spin_begin","tid":10,"comm":"A","name":"queue","value":2748})");
  EXPECT_EQ(line(24), R"({"time_ns":100016000000,"since_start_ns":16000000,"cpu":-1,"kind":"loss",)"
                      R"("of":"wake","count":1234,"duration_ns":2000000})");
  EXPECT_EQ(
      line(25),
      R"({"time_ns":100016000000,"since_start_ns":16000000,"cpu":-1,"kind":"flow",)"
      R"("flow_id":7,"protocol":"tcp","source":"127.0.0.1:80","destination":"10.0.0.2:5000"})");
}

TEST(EventJson, HasAPhasesKeyInPlaceOfAValue) {
  TraceBuilder t;
  t.At(1_ms).Cpu(0).PhaseBegin(10, "load", "part 1");
  t.Probe(10, ProbeKind::kCount, "balance", static_cast<uint64_t>(-5));
  const std::vector<std::string> lines = JsonLines(t, 0);
  EXPECT_THAT(lines.at(0), HasSubstr(R"("probe":"phase_begin","tid":10,"comm":"","name":"load",)"
                                     R"("key":"part 1"})"));
  EXPECT_THAT(lines.at(1), HasSubstr(R"("name":"balance","value":-5})"));
}

TEST(EventJson, IsJsonWhateverTheNamesHold) {
  TraceBuilder t;
  t.Thread(10, "a\"\\\n\x01\xff\xe2\x82\xac\xe2\x82");
  const std::vector<std::string> lines = JsonLines(t, 0);
  ASSERT_EQ(lines.size(), 1u);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(lines[0].c_str());
  ASSERT_FALSE(document.HasParseError()) << lines[0];
  // The euro sign stays; bytes that are no UTF-8 are marked, one by one.
  EXPECT_STREQ(document["comm"].GetString(),
               "a\"\\\n\x01\xef\xbf\xbd\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace gordian
