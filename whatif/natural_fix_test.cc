// What one would try, by kind of finding.
#include "whatif/natural_fix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Ten seconds on two CPUs: a client outside of the target, two servers, a pool of four, a disk, an
// interface, the clock, and somebody outside who sleeps.
class NaturalFix : public ::testing::Test {
 protected:
  enum Known : uint32_t { kClient, kServer, kOther, kPool, kDisk, kNic, kTimer, kSlow, kArrow };

  NaturalFix() {
    report_.mutable_recording()->set_seconds(10);
    report_.mutable_recording()->set_cpus(2);
    Add("client", "thread", 1, false);
    Add("server", "thread", 1, true);
    Add("other", "thread", 1, true);
    Add("pool", "group", 4, true);
    Add("vda", "disk", 0, false);
    Add("eth0", "nic", 0, false);
    Add("timer", "timer", 0, false);
    Add("slow", "thread", 1, false);
    Add("a->b", "thread", 1, true);
    finding_.set_kind("knot");
  }

  void Add(const std::string& name, const std::string& kind, int threads, bool target) {
    pb::ReportVertex& vertex = *report_.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_kind(kind);
    vertex.set_target(target);
    vertex.set_in_scope(true);
    for (int i = 0; i < threads; ++i) {
      pb::ReportThread& thread = *report_.add_threads();
      thread.set_id(static_cast<uint32_t>(report_.threads_size() - 1));
      thread.set_tid(100 + static_cast<int32_t>(thread.id()));
      thread.set_vertex(vertex.id());
      thread.set_run_s(1);
      thread.set_wait_s(9);
      vertex.add_members(thread.id());
      if (threads == 1) vertex.set_tid(thread.tid());
    }
  }

  void Wait(uint32_t from, uint32_t to, double own_s) {
    pb::ReportEdge& edge = *report_.add_edges();
    edge.set_from(from);
    edge.set_to(to);
    edge.set_own_s(own_s);
  }

  NaturalFixes Knot(uint32_t from, uint32_t to) {
    Wait(from, to, 5);
    finding_.add_members(from);
    if (to != from) finding_.add_members(to);
    finding_.mutable_edge()->set_from(from);
    finding_.mutable_edge()->set_to(to);
    return Find();
  }

  NaturalFixes Of(const std::string& kind, uint32_t member) {
    finding_.set_kind(kind);
    finding_.add_members(member);
    return Find();
  }

  NaturalFixes Find() const {
    const Timeline timeline;
    const StackSums stacks;
    const Code code;
    return FindNaturalFixes({.timeline = timeline,
                             .report = report_,
                             .vertex_of_entity = {},
                             .stacks = stacks,
                             .code = code},
                            finding_);
  }

  static std::vector<std::string> Changes(const NaturalFixes& fixes) {
    std::vector<std::string> changes;
    for (const gordian::NaturalFix& fix : fixes.fixes) changes.push_back(fix.change);
    return changes;
  }

  pb::Report report_;
  pb::Finding finding_;
};

TEST_F(NaturalFix, OfAWaitForADiskIsNotToWaitForIt) {
  const NaturalFixes fixes = Knot(kServer, kDisk);
  EXPECT_THAT(Changes(fixes), ElementsAre("--async 'server->disk vda'"));
  EXPECT_THAT(fixes.fixes[0].request.async, ElementsAre("server->disk vda"));
  EXPECT_EQ(fixes.fixes[0].condition, "if server went on while the disk vda works");
  EXPECT_TRUE(fixes.fixes[0].of_wait);
}

TEST_F(NaturalFix, OfAWaitForAnotherIsAQueueBetweenOrMoreRequestsAtATime) {
  EXPECT_THAT(Changes(Knot(kServer, kOther)),
              ElementsAre("--async 'server->other'", "--in-flight server=2"));
}

TEST_F(NaturalFix, OfACircleIsAlsoThatItsWaitForADiskIsGone) {
  Wait(kOther, kDisk, 2);
  finding_.add_members(kDisk);
  const NaturalFixes fixes = Knot(kServer, kOther);
  EXPECT_THAT(Changes(fixes), ElementsAre("--async 'server->other'", "--async 'other->disk vda'",
                                          "--in-flight server=2"));
  EXPECT_EQ(fixes.fixes[1].condition, "if other went on while the disk vda works");
}

TEST_F(NaturalFix, OfACircleIsNoDiskThatHardlyAnybodyWaitsForOrThatIsNotInIt) {
  Wait(kOther, kDisk, 0.4);
  finding_.add_members(kDisk);
  EXPECT_THAT(Changes(Knot(kServer, kOther)),
              ElementsAre("--async 'server->other'", "--in-flight server=2"));
  finding_.Clear();
  finding_.set_kind("knot");
  Wait(kOther, kDisk, 5);
  EXPECT_THAT(Changes(Knot(kServer, kOther)),
              ElementsAre("--async 'server->other'", "--in-flight server=2"));
}

TEST_F(NaturalFix, OfAWaitForAPoolIsAlsoALargerPool) {
  EXPECT_THAT(Changes(Knot(kServer, kPool)),
              ElementsAre("--async 'server->pool'", "--add-thread pool=4", "--in-flight server=2"));
}

TEST_F(NaturalFix, OfAlikeThreadsAreThoseOfALock) {
  const NaturalFixes fixes = Knot(kPool, kPool);
  EXPECT_THAT(Changes(fixes), ElementsAre("--no-false-wakeups pool", "--lock 'pool->pool'",
                                          "--batch 'pool->pool'"));
  EXPECT_EQ(fixes.fixes[0].if_woken_for_nothing, kPool);
  EXPECT_FALSE(fixes.fixes[1].if_woken_for_nothing.has_value());
}

TEST_F(NaturalFix, OfAlikeThreadsThatWaitForADiskMayBeThatOfTheDisk) {
  Wait(kPool, kDisk, 1);
  EXPECT_THAT(Changes(Knot(kPool, kPool))[1], "--lock 'pool->pool'");
  Wait(kPool, kDisk, 5);
  EXPECT_THAT(Changes(Find()), ElementsAre("--no-false-wakeups pool", "--scale 'disk vda=0'",
                                           "--batch 'pool->pool'"));
}

TEST_F(NaturalFix, IsMoreRequestsWhereSomebodyOutsideAnswersByTheClock) {
  Wait(kSlow, kTimer, 9);
  Wait(kPool, kSlow, 5);
  const NaturalFixes fixes = Knot(kPool, kPool);
  EXPECT_THAT(Changes(fixes), ElementsAre("--in-flight pool=2"));
  EXPECT_EQ(fixes.fixes[0].condition, "with twice as many requests of pool under way");
  EXPECT_FALSE(fixes.fixes[0].of_wait) << "a yardstick orders nothing";
}

TEST_F(NaturalFix, OfWaitsForOutsidersIsMoreRequestsAndNetworksCannotBeReplayed) {
  EXPECT_THAT(Knot(kServer, kNic).none_because, HasSubstr("nothing of the other end"));
  finding_.Clear();
  finding_.set_kind("knot");
  finding_.add_outside(kClient);
  EXPECT_THAT(Changes(Knot(kServer, kClient)), ElementsAre("--in-flight server=2"));
}

TEST_F(NaturalFix, OfASleepIsATenthOfItAndOfAPoolMoreThreads) {
  EXPECT_THAT(Changes(Of("sleep", kServer)), ElementsAre("--timer server=0.1"));
  finding_.clear_members();
  const NaturalFixes fixes = Of("sleep", kPool);
  EXPECT_THAT(Changes(fixes), ElementsAre("--timer pool=0.1", "--add-thread pool=4"));
  EXPECT_THAT(fixes.fixes[0].advice, IsEmpty());
  EXPECT_THAT(fixes.fixes[1].advice, HasSubstr("let more threads do that"));
}

TEST_F(NaturalFix, OfASleepOutsideIsMoreRequestsOfWhoeverWaitsForIt) {
  finding_.add_outside(kSlow);
  EXPECT_THAT(Of("sleep", kSlow).none_because, HasSubstr("nobody of the target"));
  Wait(kPool, kSlow, 1);
  Wait(kServer, kSlow, 2);
  EXPECT_THAT(Changes(Find()), ElementsAre("--in-flight server=2"));
}

TEST_F(NaturalFix, OfWorkAndOfADiskIsHalfTheTimeWhichOrdersNothing) {
  const NaturalFixes sink = Of("sink", kServer);
  EXPECT_THAT(Changes(sink), ElementsAre("--run server=0.5"));
  EXPECT_FALSE(sink.fixes[0].of_wait);
  finding_.clear_members();
  const NaturalFixes disk = Of("device", kDisk);
  EXPECT_THAT(Changes(disk), ElementsAre("--scale 'disk vda=0.5'"));
  EXPECT_FALSE(disk.fixes[0].of_wait);
}

TEST_F(NaturalFix, OfWorkOutsideIsMoreOfThemAndForPartOfTheTimeCannotBeReplayed) {
  report_.mutable_threads(kServer)->set_wait_s(2);
  EXPECT_THAT(Of("sink", kServer).none_because, HasSubstr("only part of the recording"));
  finding_.Clear();
  finding_.add_outside(kClient);
  EXPECT_THAT(Changes(Of("sink", kClient)), ElementsAre("--clients client=2"));
  finding_.Clear();
  EXPECT_THAT(Of("sink", kNic).none_because, HasSubstr("not recorded"));
}

TEST_F(NaturalFix, OfTooFewCpusIsTwiceAsManyUnlessSomeWereFree) {
  EXPECT_THAT(Of("starvation", kServer).none_because, HasSubstr("CPUs were free"));
  for (pb::ReportThread& thread : *report_.mutable_threads()) thread.set_run_s(2.5);
  const NaturalFixes fixes = Find();
  EXPECT_THAT(Changes(fixes), ElementsAre("--cpus 4"));
  EXPECT_FALSE(fixes.fixes[0].of_wait);
}

TEST_F(NaturalFix, IsNotSoughtOfWhatPromisesNothing) {
  const auto nothing = [](const NaturalFixes& fixes) {
    return fixes.fixes.empty() && fixes.none_because.empty();
  };
  EXPECT_TRUE(nothing(Of("background", kServer)));
  finding_.set_apart(true);
  EXPECT_TRUE(nothing(Knot(kServer, kDisk)));
  finding_.set_apart(false);
  finding_.add_phases(1);
  EXPECT_TRUE(nothing(Of("imbalance", kServer)));
}

TEST_F(NaturalFix, NamesAThreadByItsTidWhereItsNameWouldBeMisread) {
  EXPECT_THAT(Changes(Knot(kArrow, kDisk)), ElementsAre("--async '108->disk vda'"));
}

TEST(ShellQuoting, KeepsEveryTextOneWord) {
  EXPECT_EQ(ShellQuoted("/tmp/trace-1"), "/tmp/trace-1");
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("a b"), "'a b'");
  EXPECT_EQ(ShellQuoted("$(x)'y"), "'$(x)'\\''y'");
  EXPECT_EQ(ShellQuoted("worker*"), "'worker*'");
}

}  // namespace
}  // namespace gordian
