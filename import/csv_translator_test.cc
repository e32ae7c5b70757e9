// SPDX-License-Identifier: Apache-2.0
#include "import/csv_translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/session_contents.h"
#include "trace/counters.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Translated {
  std::vector<std::string> events;   // as lines, in the order they were handed on
  std::vector<std::string> threads;  // of tasks.trace
  pb::Session session;
  absl::Status status;  // of the first line that failed, or of the end
  uint64_t blocks = 0;
};

void Append(const std::vector<std::string>& more, std::vector<std::string>& lines) {
  lines.insert(lines.end(), more.begin(), more.end());
}

Translated Translate(const std::vector<std::string>& lines) {
  Translated result;
  CsvTranslator translator(BlockSink{
      .events =
          [&](EventBlock& block) {
            ++result.blocks;
            Append(testing::EventTexts(block), result.events);
            block.Clear();
            return absl::OkStatus();
          },
      .tasks =
          [&](EventBlock& block) {
            Append(testing::EventTexts(block), result.threads);
            block.Clear();
            return absl::OkStatus();
          },
  });
  for (const std::string& line : lines) {
    result.status = translator.TakeLine(line);
    if (!result.status.ok()) return result;
  }
  result.status = translator.Finish(result.session);
  return result;
}

struct KindCase {
  std::vector<std::string> lines;
  std::vector<std::string> events;
};

class EveryKind : public ::testing::TestWithParam<KindCase> {};

TEST_P(EveryKind, BecomesItsEvent) {
  const Translated result = Translate(GetParam().lines);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.events, GetParam().events);
}

INSTANTIATE_TEST_SUITE_P(
    Csv, EveryKind,
    ::testing::Values(
        KindCase{{"5,0,switch,10,20,R"}, {"5 cpu0 switch prev_tid=10 preempted next_tid=20"}},
        KindCase{{"5,1,switch,10,0,S"}, {"5 cpu1 switch prev_tid=10 prev_state_bits=0x1"}},
        KindCase{{"5,0,switch,10,20,D"},
                 {"5 cpu0 switch prev_tid=10 prev_state_bits=0x2 next_tid=20"}},
        KindCase{{"5,0,switch,10,20,X"},
                 {"5 cpu0 switch prev_tid=10 prev_state_bits=0x80 next_tid=20"}},
        KindCase{{"5,0,wakeup,10,20,thread"},
                 {"5 cpu0 wake wakee_tid=20 waker_tid=10 waker_is_cause thread"}},
        KindCase{{"5,-1,wakeup,10,20,thread"},
                 {"5 nocpu wake wakee_tid=20 waker_tid=10 waker_is_cause thread"}},
        KindCase{{"5,0,wakeup,0,20,timer"}, {"5 cpu0 wake wakee_tid=20 timer"}},
        KindCase{{"5,0,wakeup,10,20,hardirq"}, {"5 cpu0 wake wakee_tid=20 waker_tid=10 hardirq"}},
        KindCase{{"5,0,wakeup,10,20,net_rx"},
                 {"5 cpu0 wake wakee_tid=20 waker_tid=10 softirq vector=3"}},
        KindCase{{"5,0,wakeup,10,20,net_rx:eth0"},
                 {"5 cpu0 wake wakee_tid=20 waker_tid=10 softirq vector=3 nic device=0x1"}},
        KindCase{{"5,0,wakeup,10,20,block"},
                 {"5 cpu0 wake wakee_tid=20 waker_tid=10 softirq vector=4"}},
        KindCase{{"5,0,wakeup,10,20,block:vda"},
                 {"5 cpu0 wake wakee_tid=20 waker_tid=10 softirq vector=4 disk device=0xf000000"}},
        KindCase{{"5,0,wakeup,10,20,hardirq:nvme0n1"},
                 {"5 cpu0 wake wakee_tid=20 waker_tid=10 hardirq disk device=0xf000000"}},
        // A name that was an interface's stays one.
        KindCase{{"5,0,wakeup,0,20,net_rx:eth0", "6,0,wakeup,0,20,hardirq:eth0"},
                 {"5 cpu0 wake wakee_tid=20 softirq vector=3 nic device=0x1",
                  "6 cpu0 wake wakee_tid=20 hardirq nic device=0x1"}},
        KindCase{{"5,0,softirq_entry,3", "9,0,softirq_exit,3"},
                 {"9 cpu0 irq_run softirq vector=3 duration_ns=4"}},
        KindCase{{"5,0,softirq_entry,block", "7,0,wakeup,0,20,block", "9,0,softirq_exit,4"},
                 {"7 cpu0 wake wakee_tid=20 softirq vector=4",
                  "9 cpu0 irq_run softirq vector=4 duration_ns=4 woke"}},
        // Only the inner of two nested runs woke a thread; another CPU's run is its own.
        KindCase{
            {"1,0,softirq_entry,1", "2,1,softirq_entry,3", "3,0,softirq_entry,6",
             "4,0,wakeup,0,20,timer", "5,0,softirq_exit,6", "6,0,softirq_exit,1",
             "7,1,softirq_exit,3"},
            {"4 cpu0 wake wakee_tid=20 timer", "5 cpu0 irq_run softirq vector=6 duration_ns=2 woke",
             "6 cpu0 irq_run softirq vector=1 duration_ns=5",
             "7 cpu1 irq_run softirq vector=3 duration_ns=5"}},
        KindCase{
            {"5,0,create,10,20"},
            {"5 cpu0 task new tid=20 tgid=20 parent_tid=10 namespaced_tid=20 start_time_ns=5"}},
        KindCase{{"0,-1,thread,10,9,web", "5,0,create,10,20", "8,0,exit,20,-"},
                 {"5 cpu0 task new tid=20 comm=\"web\" tgid=9 parent_tid=10 namespaced_tid=20 "
                  "start_time_ns=5",
                  "8 cpu0 task exit tid=20 comm=\"web\" tgid=9 parent_tid=10 namespaced_tid=20 "
                  "start_time_ns=5"}},
        KindCase{{"5,0,create,10,20", "6,0,thread,20,20,child"},
                 {"5 cpu0 task new tid=20 tgid=20 parent_tid=10 namespaced_tid=20 start_time_ns=5",
                  "6 cpu0 task rename tid=20 comm=\"child\" tgid=20 parent_tid=10 "
                  "namespaced_tid=20 start_time_ns=5"}},
        KindCase{{"5,0,exit,20,-"}, {"5 cpu0 task exit tid=20 tgid=20 namespaced_tid=20"}},
        KindCase{{"5,0,disk_issue,10,vda,4096", "9,1,disk_done,10,vda,4096"},
                 {"5 cpu0 block_issue disk=0xf000000 other bytes=4096 tid=10",
                  "9 cpu1 block_complete disk=0xf000000 other bytes=4096 tid=10 service_ns=4"}},
        KindCase{{"5,0,net_send,10,1500"}, {"5 cpu0 net_send bytes=1500 tid=10"}},
        KindCase{{"5,0,spin_begin,10,0xffff", "6,0,spin_end,10,0xffff", "7,0,spin_release,10,77"},
                 {"5 cpu0 probe spin_begin tid=10 value=0xffff",
                  "6 cpu0 probe spin_end tid=10 value=0xffff",
                  "7 cpu0 probe spin_release tid=10 value=0x4d"}},
        KindCase{{"5,0,spin_begin,10,queue", "6,0,spin_begin,10,log", "7,0,spin_end,10,queue"},
                 {"5 cpu0 probe spin_begin tid=10 name=\"queue\" value=0x8000000000000000",
                  "6 cpu0 probe spin_begin tid=10 name=\"log\" value=0x8000000000000001",
                  "7 cpu0 probe spin_end tid=10 name=\"queue\" value=0x8000000000000000"}},
        KindCase{{"5,0,cond_wait_begin,10,-", "6,0,cond_wait_end,10,-", "7,0,false_wakeup,10,-"},
                 {"5 cpu0 probe cond_wait_begin tid=10", "6 cpu0 probe cond_wait_end tid=10",
                  "7 cpu0 probe false_wakeup tid=10"}}));

TEST(CsvTranslator, AnExecTellsNameCommandAndDirectory) {
  const Translated result =
      Translate({"3,-1,thread,10,10,make", "5,0,create,10,20",
                 "6,0,exec,20,cc,\"cc -c a.c --key=x\",/src", "7,0,exec,20,ld,,", "8,0,exit,20,-"});
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.events,
              ::testing::IsSupersetOf(
                  {"6 cpu0 task exec tid=20 comm=\"cc\" tgid=20 parent_tid=10 namespaced_tid=20 "
                   "start_time_ns=5 command=\"cc -c a.c --key=***\" directory=\"/src\"",
                   "7 cpu0 task exec tid=20 comm=\"ld\" tgid=20 parent_tid=10 namespaced_tid=20 "
                   "start_time_ns=5"}));
}

TEST(CsvTranslator, PutsThreadsAliveAtTheStartIntoTasks) {
  const Translated result = Translate(
      {"3,-1,thread,10,9,web", "3,-1,thread,11,9,\"a, \"\"b\"\"\"", "3,-1,thread,0,0,swapper"});
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.events, IsEmpty());
  EXPECT_THAT(result.threads,
              ElementsAre("3 nocpu task alive tid=10 comm=\"web\" tgid=9 namespaced_tid=10",
                          "3 nocpu task alive tid=11 comm=\"a, \"b\"\" tgid=9 namespaced_tid=11"));
}

TEST(CsvTranslator, TellsTwoLivesOfATidApart) {
  const Translated result =
      Translate({"0,-1,thread,10,10,old", "5,0,exit,10,-", "7,0,create,1,10"});
  EXPECT_THAT(
      result.events,
      ElementsAre("5 cpu0 task exit tid=10 comm=\"old\" tgid=10 namespaced_tid=10",
                  "7 cpu0 task new tid=10 tgid=10 parent_tid=1 namespaced_tid=10 start_time_ns=7"));
  EXPECT_EQ(CounterValue(result.session, "import_threads_reborn"), 0u);
}

TEST(CsvTranslator, AnswersDiskRequestsOfAThreadInTheirOrder) {
  const Translated result =
      Translate({"1,0,disk_issue,10,vda,1", "2,0,disk_issue,10,vda,2", "3,0,disk_issue,10,vdb,3",
                 "4,0,disk_issue,11,vda,4", "10,0,disk_done,10,vda,1", "20,0,disk_done,11,vda,4",
                 "30,0,disk_done,10,vda,2", "40,0,disk_done,10,vdb,3", "50,0,disk_done,10,vdb,3"});
  ASSERT_TRUE(result.status.ok()) << result.status;
  const std::vector<std::string> done(result.events.begin() + 4, result.events.end());
  EXPECT_THAT(done, ElementsAre(HasSubstr("service_ns=9"), HasSubstr("service_ns=16"),
                                HasSubstr("service_ns=28"), HasSubstr("service_ns=37"),
                                ::testing::Not(HasSubstr("service_ns"))));
  EXPECT_EQ(CounterValue(result.session, "import_disk_done_unmatched"), 1u);
}

TEST(CsvTranslator, DescribesTheRecording) {
  const Translated result = Translate(
      {"100,-1,meta,hostname,node7", "100,-1,meta,kernel,6.1.0", "100,-1,meta,machine,x86_64",
       "100,-1,meta,cpus,8", "100,-1,meta,target_pid,42", "100,-1,meta,target_comm,\"my, app\"",
       "100,-1,meta,realtime_ns,1700000000000000000", "100,-1,meta,duration_ns,900",
       "100,-1,meta,colour,blue", "300,2,switch,0,10,R"});
  ASSERT_TRUE(result.status.ok()) << result.status;
  const pb::Session& session = result.session;
  EXPECT_EQ(session.host().hostname(), "node7");
  EXPECT_EQ(session.host().kernel_release(), "6.1.0");
  EXPECT_EQ(session.host().machine(), "x86_64");
  EXPECT_EQ(session.host().cpus(), 8u);
  ASSERT_EQ(session.targets_size(), 2);
  EXPECT_EQ(session.targets(0).pid(), 42);
  EXPECT_EQ(session.targets(1).comm(), "my, app");
  ASSERT_EQ(session.clocks_size(), 1);
  EXPECT_EQ(session.clocks(0).monotonic_ns(), 100u);
  EXPECT_EQ(session.clocks(0).realtime_ns(), 1700000000000000000);
  EXPECT_EQ(session.start_time_ns(), 100u);
  EXPECT_EQ(session.end_time_ns(), 1000u);
  EXPECT_EQ(CounterValue(session, "import_meta_unknown"), 1u);
}

TEST(CsvTranslator, TakesSpanAndCpusFromTheLinesWhereNobodySaysThem) {
  const Translated result = Translate({"100,0,switch,0,10,R", "700,3,switch,0,11,R"});
  EXPECT_EQ(result.session.start_time_ns(), 100u);
  EXPECT_EQ(result.session.end_time_ns(), 700u);
  EXPECT_EQ(result.session.host().cpus(), 4u);
}

TEST(CsvTranslator, NamesTheDevicesItNumbered) {
  const Translated result =
      Translate({"1,0,disk_issue,10,vda,1", "2,0,disk_issue,10,vdb,1", "3,0,wakeup,0,10,net_rx:lo",
                 "4,0,wakeup,0,10,net_rx:eth0", "5,0,wakeup,0,10,block:vda"});
  const pb::Session& session = result.session;
  ASSERT_EQ(session.disks_size(), 2);
  EXPECT_EQ(session.disks(0).name(), "vda");
  EXPECT_EQ(session.disks(0).device(), DiskId(240, 0));
  EXPECT_EQ(session.disks(1).name(), "vdb");
  EXPECT_EQ(session.disks(1).device(), DiskId(240, 1));
  ASSERT_EQ(session.interfaces_size(), 2);
  EXPECT_EQ(session.interfaces(0).index(), 1u);
  EXPECT_TRUE(session.interfaces(0).loopback());
  EXPECT_EQ(session.interfaces(1).name(), "eth0");
  EXPECT_FALSE(session.interfaces(1).loopback());
}

TEST(CsvTranslator, CountsWhatDoesNotFitTogether) {
  const Translated result = Translate({
      "0,-1,thread,10,10,a",
      "0,-1,thread,11,11,b",
      "0,-1,thread,12,12,c",
      "1,0,switch,0,10,R",
      "2,0,switch,11,12,S",   // 10 ran
      "3,1,switch,11,0,S",    // another CPU's first switch fits anything
      "4,0,create,10,12",     // lives already
      "5,0,softirq_entry,3",  // never left
      "6,0,switch,12,99,S",
      "7,0,wakeup,99,98,thread",
  });
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(CounterValue(result.session, "import_switches_inconsistent"), 1u);
  EXPECT_EQ(CounterValue(result.session, "import_threads_reborn"), 1u);
  EXPECT_EQ(CounterValue(result.session, "import_softirqs_open"), 1u);
  EXPECT_EQ(CounterValue(result.session, "import_threads_unnamed"), 2u);
}

TEST(CsvTranslator, DoesNotCountAThreadThatIsNamedLater) {
  const Translated result = Translate({"1,0,wakeup,0,10,timer", "2,0,thread,10,10,late"});
  EXPECT_EQ(CounterValue(result.session, "import_threads_unnamed"), 0u);
}

TEST(CsvTranslator, PassesOverHeaderCommentsAndEmptyLines) {
  const Translated result =
      Translate({"time_ns,cpu,kind,args", "", "# a comment", "5,0,net_send,10,1"});
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.events, ElementsAre("5 cpu0 net_send bytes=1 tid=10"));
  EXPECT_EQ(result.session.start_time_ns(), 5u);
}

TEST(CsvTranslator, HandsBlocksOnBeforeTheyGrowLarge) {
  std::vector<std::string> lines;
  const size_t events = EventBuffers::kBlockEvents * 2 + 1;
  for (size_t i = 0; i < events; ++i) lines.push_back(std::to_string(i) + ",0,net_send,10,1");
  const Translated result = Translate(lines);
  EXPECT_EQ(result.events.size(), events);
  EXPECT_EQ(result.blocks, 3u);
}

TEST(CsvTranslator, KeepsMemoryBoundedOverManyCpus) {
  // No CPU fills a block of its own, yet all together they hold more than may be held.
  const size_t cpus = 64;
  std::vector<std::string> lines;
  for (size_t i = 0; i < EventBuffers::kTotalEvents + 1; ++i) {
    lines.push_back(std::to_string(i) + "," + std::to_string(i % cpus) + ",net_send,10,1");
  }
  const Translated result = Translate(lines);
  EXPECT_EQ(result.events.size(), lines.size());
  EXPECT_EQ(result.blocks, cpus + 1);
}

TEST(CsvTranslator, StopsWithTheSinksError) {
  CsvTranslator translator(BlockSink{
      .events = [](EventBlock&) { return absl::ResourceExhaustedError("disk full"); },
      .tasks = [](EventBlock&) { return absl::OkStatus(); },
  });
  ASSERT_TRUE(translator.TakeLine("1,0,net_send,10,1").ok());
  pb::Session session;
  EXPECT_EQ(translator.Finish(session), absl::ResourceExhaustedError("disk full"));
}

}  // namespace
}  // namespace gordian
