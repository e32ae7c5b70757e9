// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/recorded_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "whatif/ask/change_table.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Backends, a checkpointer and a writer, all called postgres; pay, a program in Python with two
// kinds of threads.
class NamesOfARecording : public ::testing::Test {
 protected:
  enum Known : uint32_t { kBackends, kCheckpointer, kElsewhere, kPay, kPayWorkers, kDisk, kTimer };

  NamesOfARecording() {
    Add("postgres", "group", 0, "postgres", 4);
    Add("postgres", "thread", 21, "postgres", 1);
    Add("postgres", "thread", 22, "postgres", 1, /*in_scope=*/false);
    Add("pay", "thread", 31, "pay", 1);
    Add("worker", "group", 0, "pay", 3);
    Add("vda", "disk", 0, "", 0);
    Add("timer", "timer", 0, "", 0);
    Edge(kBackends, kDisk, 2);
    Edge(kCheckpointer, kDisk, 1);
    Edge(kBackends, kBackends, 3);
    Edge(kElsewhere, kTimer, 1);
    Edge(kPayWorkers, kDisk, 1);
  }

  void Add(const std::string& name, const std::string& kind, int32_t tid,
           const std::string& process, int threads, bool in_scope = true) {
    pb::ReportVertex& vertex = *report_.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_kind(kind);
    vertex.set_tid(tid);
    vertex.set_process(process);
    vertex.set_in_scope(in_scope);
    for (int i = 0; i < threads; ++i) vertex.add_members(tid + i);
  }

  void Edge(uint32_t from, uint32_t to, double own_s) {
    pb::ReportEdge& edge = *report_.add_edges();
    edge.set_from(from);
    edge.set_to(to);
    edge.set_own_s(own_s);
  }

  RecordedNames Names() const { return RecordedNames(recording_); }
  absl::StatusOr<NamedChanges> Read(const std::string& option, const std::string& text) const {
    return ReadChanges(recording_, {.changes = {{option, text}}, .progress = ""});
  }
  static std::string MessageOf(const absl::StatusOr<NamedChanges>& changes) {
    return std::string(changes.status().message());
  }
  std::vector<uint32_t> Threads(const std::string& name) const {
    const RecordedNames names = Names();
    const auto found = names.Find(name, [&](uint32_t vertex) { return names.IsThread(vertex); });
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->ids : std::vector<uint32_t>();
  }

  Timeline timeline_;
  pb::Report report_;
  StackSums stacks_;
  Code code_;
  const AnalyzedRecording recording_ = {.timeline = timeline_,
                                        .report = report_,
                                        .vertex_of_entity = {},
                                        .stacks = stacks_,
                                        .code = code_};
};

// A program's first thread only starts the others, but has the program's name.
TEST_F(NamesOfARecording, MeanThreadsThatGoRoundAndNotWhoStartedThem) {
  Add("teller", "thread", 71, "teller", 1);
  Add("teller-*", "group", 0, "teller", 8);
  report_.mutable_vertices(7)->set_run_s(1);
  report_.mutable_vertices(8)->set_run_s(2);
  Edge(7, 8, 0.1);
  report_.mutable_edges()->rbegin()->set_count(8);
  Edge(8, 8, 30);
  report_.mutable_edges()->rbegin()->set_count(3000);
  const auto waits = Names().FindWaits("teller", "teller");
  ASSERT_TRUE(waits.ok()) << waits.status();
  ASSERT_EQ(waits->waits.size(), 1u);
  EXPECT_EQ(waits->waits[0].from, 8u);
  const auto asks = Names().FindGoingRound("teller", [](uint32_t) { return true; });
  ASSERT_TRUE(asks.ok()) << asks.status();
  EXPECT_THAT(asks->ids, ElementsAre(8));
}

TEST_F(NamesOfARecording, AreThoseOfTheProgramsCodeToo) {
  Add("lookup-*", "group", 0, "shop", 8);
  Add("lookup-9", "thread", 61, "shop", 1);
  Add("ForkJoinPool.co", "group", 0, "shop", 2);
  EXPECT_THAT(Threads("lookup"), ElementsAre(7, 8));
  EXPECT_THAT(Threads("ForkJoinPool.commonPool-worker"), ElementsAre(9));
  EXPECT_FALSE(Names().Find("look", [](uint32_t) { return true; }).ok());
}

TEST_F(NamesOfARecording, MeanAllOfThatNameInTheScope) {
  EXPECT_THAT(Threads("postgres"), ElementsAre(kBackends, kCheckpointer));
}

TEST_F(NamesOfARecording, MeanTheOneOfThatLabel) {
  EXPECT_THAT(Threads("postgres (4 threads)"), ElementsAre(kBackends));
  EXPECT_THAT(Threads("postgres/21"), ElementsAre(kCheckpointer));
  EXPECT_THAT(Threads("22"), ElementsAre(kElsewhere));
  EXPECT_THAT(Threads("worker"), ElementsAre(kPayWorkers));
}

// A title adds the groups of one name up.
TEST_F(NamesOfARecording, AreTakenAsTitlesTellThem) {
  EXPECT_THAT(Threads("postgres (5 threads)"), ElementsAre(kBackends, kCheckpointer));
}

TEST_F(NamesOfARecording, MeanTheWholeProcessWhereItsMainThreadDoesNotWaitSo) {
  const auto waits = Names().FindWaits("pay", "vda");
  ASSERT_TRUE(waits.ok()) << waits.status();
  ASSERT_EQ(waits->waits.size(), 1u);
  EXPECT_EQ(waits->waits.front().from, kPayWorkers);
  EXPECT_EQ(waits->from.name, "worker");
}

TEST_F(NamesOfARecording, MeanOthersThanThoseInScopeIfOnlyTheseWaitSo) {
  const auto changes = Read("timer", "postgres=0.5");
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.timers.size(), 1u);
  EXPECT_EQ(changes->changes.timers.front().vertex, kElsewhere);
}

TEST_F(NamesOfARecording, ChangeAllOfThatNameAtOnce) {
  const auto changes = Read("skip", "postgres->disk vda");
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.waits.size(), 2u);
  EXPECT_EQ(changes->changes.waits[0].from, kBackends);
  EXPECT_EQ(changes->changes.waits[1].from, kCheckpointer);
  EXPECT_THAT(changes->texts.front().text(), HasSubstr("postgres (2 of that name) not waiting"));
  EXPECT_THAT(changes->texts.front().from_all(),
              ElementsAre("postgres (4 threads)", "postgres/21"));

  const auto one = Read("skip", "postgres/21->disk vda");
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->changes.waits.size(), 1u);
  EXPECT_EQ(one->changes.waits[0].from, kCheckpointer);
  EXPECT_THAT(one->texts.front().from_all(), IsEmpty());
}

TEST_F(NamesOfARecording, SayHowManyOfADisksOperationsStay) {
  const auto changes = Read("skip", "postgres/21->disk vda=64");
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.waits.size(), 1u);
  EXPECT_EQ(changes->changes.waits[0].keeps_one_in, 64u);
  EXPECT_FALSE(changes->changes.waits[0].keeps_up);
  EXPECT_THAT(changes->texts.front().text(), HasSubstr("but for one in 64"));

  const auto none = Read("skip", "postgres/21->disk vda");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->changes.waits[0].keeps_one_in, 0u);
  EXPECT_THAT(MessageOf(Read("skip", "postgres/21->disk vda=1")), HasSubstr("N from 2 to"));
  EXPECT_THAT(MessageOf(Read("skip", "postgres/21->disk vda=many")), HasSubstr("N from 2 to"));
}

TEST_F(NamesOfARecording, SayHowManyQuestionsStay) {
  const auto changes = Read("skip", "postgres (4 threads)->postgres (4 threads)=6");
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.waits.size(), 1u);
  EXPECT_EQ(changes->changes.waits[0].keeps_one_in, 6u);
}

// Who is asked may be called like who asks, and may be outside of the scope.
TEST_F(NamesOfARecording, MeanPartnersOutsideOfTheScopeToo) {
  Edge(kBackends, kElsewhere, 1);
  const auto questions = Read("skip", "postgres->postgres");
  ASSERT_TRUE(questions.ok()) << questions.status();
  ASSERT_EQ(questions->changes.waits.size(), 1u);
  EXPECT_EQ(questions->changes.waits[0].to, kElsewhere);
  const auto lock = Read("lock", "postgres->postgres");
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_EQ(lock->changes.waits.size(), 1u);
}

TEST_F(NamesOfARecording, BringMoreRequestsTogether) {
  const auto changes = Read("in-flight", "postgres=4");
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.more_at_once.size(), 1u);
  EXPECT_TRUE(changes->changes.more_at_once.front().Holds(kBackends));
  EXPECT_TRUE(changes->changes.more_at_once.front().Holds(kCheckpointer));
  EXPECT_FALSE(changes->changes.more_at_once.front().Holds(kElsewhere));
}

TEST_F(NamesOfARecording, BringNoMoreRequestsThanWait) {
  pb::Finding& finding = *report_.add_findings();
  finding.mutable_let_through()->set_kept(6);
  pb::NaturalFix& fix = *finding.add_natural_fixes();
  fix.set_change("in-flight");
  fix.set_who(kPayWorkers);
  fix.set_amount(4);
  EXPECT_EQ(Read("in-flight", "pay=8")->changes.more_at_once[0].most, 4);
  EXPECT_GT(Read("clients", "pay=8")->changes.more_at_once[0].most, 8);
  EXPECT_GT(Read("in-flight", "postgres=8")->changes.more_at_once[0].most, 8);
}

// It waited for one of its threads twice, as it started them.
TEST_F(NamesOfARecording, OfWaitsMeanTheManyAndNotAFewOfANarrowerMeaning) {
  Edge(kPay, kPayWorkers, 0.1);
  report_.mutable_edges()->rbegin()->set_count(2);
  Edge(kPayWorkers, kPayWorkers, 3);
  report_.mutable_edges()->rbegin()->set_count(96);
  const auto waits = Names().FindWaits("pay", "pay");
  ASSERT_TRUE(waits.ok()) << waits.status();
  ASSERT_FALSE(waits->waits.empty());
  EXPECT_TRUE(std::any_of(waits->waits.begin(), waits->waits.end(), [](const RemovedEdge& wait) {
    return wait.from == kPayWorkers && wait.to == kPayWorkers;
  }));
}

// Who holds a lock gains nothing when others find it free.
TEST_F(NamesOfARecording, CountThoseThatWaitAtALock) {
  for (const char* const option : {"lock", "batch"}) {
    const auto at_lock = Read(option, "postgres->postgres");
    ASSERT_TRUE(at_lock.ok()) << at_lock.status();
    EXPECT_THAT(at_lock->count_cycles_of, ElementsAre(kBackends)) << option;
  }
  EXPECT_THAT(Read("async", "postgres->postgres")->count_cycles_of, IsEmpty());
  EXPECT_THAT(Read("lock", "worker->disk")->count_cycles_of, IsEmpty());
}

TEST_F(NamesOfARecording, ListTheNearestWaitsWhereThereAreNone) {
  EXPECT_THAT(
      MessageOf(Read("async", "worker->timers")),
      HasSubstr("worker -> timers: no such waits were recorded; there are 'worker->vda', "));
  EXPECT_THAT(MessageOf(Read("async", "postgres->pay")),
              HasSubstr("there are 'postgres (4 threads)"));
}

TEST_F(NamesOfARecording, ListTheNearestNamesWhereThereIsNoSuchName) {
  EXPECT_THAT(MessageOf(Read("run", "wroker=2")),
              HasSubstr("no thread, group or device is called wroker; there are worker"));
}

// A stranger does not know what the disk is called.
TEST_F(NamesOfARecording, MeanAllDevicesByTheirKind) {
  const RecordedNames names = Names();
  for (const char* disk : {"disk", "disks", "the disk"}) {
    const auto waits = names.FindWaits("pay", disk);
    ASSERT_TRUE(waits.ok()) << disk << waits.status();
    ASSERT_EQ(waits->waits.size(), 1u) << disk;
    EXPECT_EQ(waits->waits[0].from, kPayWorkers);
    EXPECT_EQ(waits->waits[0].to, kDisk);
    EXPECT_EQ(waits->to.name, "vda");
  }
}

// The program's first thread has the program's name, and only waits for the others to end.
TEST_F(NamesOfARecording, OfMoreRequestsMeanThreadsThatWait) {
  const auto changes = Read("in-flight", "pay=8");
  ASSERT_TRUE(changes.ok()) << changes.status();
  ASSERT_EQ(changes->changes.more_at_once.size(), 1u);
  EXPECT_EQ(changes->changes.more_at_once[0].vertex, kPayWorkers);
}

// "pay" is a thread, too, which does wait now and then.
TEST_F(NamesOfARecording, MoreOfAProgramIsMoreOfItsThreadsThatWork) {
  Edge(kPay, kTimer, 1);
  report_.mutable_vertices(kPay)->set_run_s(0.001);
  report_.mutable_vertices(kPayWorkers)->set_run_s(2);
  for (const char* const option : {"in-flight", "clients"}) {
    const auto changes = Read(option, "pay=4");
    ASSERT_TRUE(changes.ok()) << changes.status();
    EXPECT_EQ(changes->changes.more_at_once[0].vertex, kPayWorkers);
    EXPECT_THAT(changes->changes.more_at_once[0].others, IsEmpty());
  }
  const auto added = Read("add-thread", "pay=4");
  ASSERT_TRUE(added.ok()) << added.status();
  ASSERT_EQ(added->changes.added_threads.size(), 1u);
  EXPECT_EQ(added->changes.added_threads[0].vertex, kPayWorkers);
  report_.mutable_vertices(kPay)->set_run_s(1);
  const auto its = Read("in-flight", "pay=4");
  ASSERT_TRUE(its.ok()) << its.status();
  EXPECT_EQ(its->changes.more_at_once[0].vertex, kPay);
}

// A server's first threads have its name and accept its connections; its report names those that
// ask.
TEST_F(NamesOfARecording, OfMoreRequestsMeanThoseThatAFindingAsksItOf) {
  Edge(kPay, kTimer, 1);
  for (const uint32_t vertex : {kPay, kPayWorkers})
    report_.mutable_vertices(static_cast<int>(vertex))->set_run_s(1);
  for (pb::ReportEdge& edge : *report_.mutable_edges()) edge.set_count(100);
  const auto first = Read("in-flight", "pay=2");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_FALSE(first->changes.more_at_once[0].Holds(kPayWorkers));
  pb::NaturalFix& fix = *report_.add_findings()->add_natural_fixes();
  fix.set_who(kPayWorkers);
  fix.set_change("in-flight");
  const auto more = Read("in-flight", "pay=2");
  ASSERT_TRUE(more.ok()) << more.status();
  EXPECT_TRUE(more->changes.more_at_once[0].Holds(kPayWorkers));
}

// "14 threads more" are fourteen, whichever of them have which name.
TEST_F(NamesOfARecording, DealOutTheThreadsThatAreAdded) {
  for (const uint32_t vertex : {kBackends, kCheckpointer})
    report_.mutable_vertices(static_cast<int>(vertex))->set_run_s(1);
  const auto added = Read("add-thread", "postgres=14");
  ASSERT_TRUE(added.ok()) << added.status();
  ASSERT_EQ(added->changes.added_threads.size(), 2u);
  EXPECT_EQ(added->changes.added_threads[0].vertex, kBackends);
  EXPECT_EQ(added->changes.added_threads[0].count, 11u);
  EXPECT_EQ(added->changes.added_threads[1].count, 3u);
  const auto one = Read("add-thread", "postgres=1");
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->changes.added_threads.size(), 1u);
  EXPECT_EQ(one->changes.added_threads[0].count, 1u);
}

}  // namespace
}  // namespace gordian
