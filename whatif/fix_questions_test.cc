// SPDX-License-Identifier: Apache-2.0
// The natural fixes of findings in the words of gordian whatif.
#include "whatif/fix_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class QuestionsOfFixes : public ::testing::Test {
 protected:
  enum Known : uint32_t { kServer, kOther, kPool, kDisk, kArrow, kTwin, kOtherTwin, kHeldBack };

  QuestionsOfFixes() {
    report_.mutable_recording()->set_seconds(10);
    Add("server", "thread", 101);
    Add("other", "thread", 102);
    Add("pool", "group", 0);
    Add("vda", "disk", 0);
    Add("a->b", "thread", 108);
    Add("->", "group", 0);
    Add("->", "group", 0);
    Add("held-back data of other", "held_back", 0);
  }

  void Add(const std::string& name, const std::string& kind, int32_t tid) {
    pb::ReportVertex& vertex = *report_.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_kind(kind);
    vertex.set_tid(tid);
    vertex.set_in_scope(true);
  }

  pb::NaturalFix& Fix(const std::string& change, uint32_t who) {
    pb::NaturalFix& fix = *finding_.add_natural_fixes();
    fix.set_change(change);
    fix.set_who(who);
    fix.set_of_wait(true);
    return fix;
  }

  FixQuestions Questions() const { return QuestionsOf(report_, finding_); }

  std::vector<std::string> Changes() const {
    std::vector<std::string> changes;
    for (const FixQuestion& question : Questions().questions) changes.push_back(question.change);
    return changes;
  }

  std::string OnlyCondition() const {
    const FixQuestions found = Questions();
    EXPECT_EQ(found.questions.size(), 1u);
    return found.questions.empty() ? "" : found.questions[0].condition;
  }

  pb::Report report_;
  pb::Finding finding_;
};

TEST_F(QuestionsOfFixes, NameWhoWaitsAndForWhom) {
  Fix("async", kServer).set_whom(kDisk);
  const FixQuestions found = Questions();
  EXPECT_THAT(Changes(), ElementsAre("--async 'server->disk vda'"));
  ASSERT_EQ(found.questions[0].request.changes.size(), 1u);
  EXPECT_EQ(found.questions[0].request.changes[0].option, "async");
  EXPECT_EQ(found.questions[0].request.changes[0].text, "server->disk vda");
  EXPECT_EQ(found.questions[0].condition, "if server went on while the disk vda works");
  EXPECT_TRUE(found.questions[0].of_wait);
}

TEST_F(QuestionsOfFixes, NameAllThatMeetAtALockOfAProgramThatLetsFewThrough) {
  Add("worker", "group", 0);
  Add("worker", "thread", 109);
  const auto group = static_cast<uint32_t>(report_.vertices_size() - 2);
  Fix("lock", group).set_whom(group);
  EXPECT_THAT(Changes(), Not(ElementsAre("--lock 'worker->worker'")));
  finding_.mutable_let_through()->set_at_once(1);
  EXPECT_THAT(Changes(), ElementsAre("--lock 'worker->worker'"));
  EXPECT_EQ(OnlyCondition(), "if no worker (2 of that name) ever found that lock taken");
}

TEST_F(QuestionsOfFixes, NameTheFunctionInWhichAThreadSpins) {
  for (const auto& [function, seconds] : {std::pair("Look", 2.0), std::pair("Lock::Take", 3.0)}) {
    pb::Suggestion& spin = *report_.add_suggestions();
    spin.set_kind("spin");
    spin.set_sure("likely");
    spin.set_seconds(seconds);
    spin.set_vertex(kPool);
    spin.set_function(function);
  }
  Fix("function", kPool).set_amount(0);
  EXPECT_THAT(Changes(), ElementsAre("--function Lock::Take=0"));
  EXPECT_EQ(OnlyCondition(), "if pool did not spin in Lock::Take");
}

// Two processes of a server have a thread of that name each: its configuration is theirs.
TEST_F(QuestionsOfFixes, AskForMoreThreadsInAllProcessesAlike) {
  Add("server", "thread", 201);
  Fix("add-thread", kServer).set_amount(3);
  EXPECT_THAT(Changes(), ElementsAre("--add-thread server=6"));
  EXPECT_EQ(OnlyCondition(), "with 6 threads more like server (2 of that name)");
}

TEST_F(QuestionsOfFixes, AskForMoreThreadsOfOneThatIsAlone) {
  Fix("add-thread", kOther).set_amount(3);
  EXPECT_THAT(Changes(), ElementsAre("--add-thread other=3"));
  EXPECT_EQ(OnlyCondition(), "with 3 threads more like other");
}

// A pool of connections is shared by threads that the report tells apart.
TEST_F(QuestionsOfFixes, AskForMoreRequestsOfAProgramThatLetsFewThrough) {
  Add("server", "group", 0);
  Fix("in-flight", kServer).set_amount(8);
  EXPECT_THAT(Changes(), ElementsAre("--in-flight server/101=8"));
  finding_.mutable_let_through()->set_at_once(1);
  EXPECT_THAT(Changes(), ElementsAre("--in-flight server=8"));
  EXPECT_EQ(OnlyCondition(), "with 8 times as many requests of server (2 of that name) under way");
}

TEST_F(QuestionsOfFixes, KeepTheirOrder) {
  Fix("async", kServer).set_whom(kOther);
  Fix("in-flight", kServer).set_amount(2);
  EXPECT_THAT(Changes(), ElementsAre("--async 'server->other'", "--in-flight server=2"));
}

TEST_F(QuestionsOfFixes, TellTheirNumbers) {
  Fix("timer", kPool).set_amount(0.1);
  Fix("add-thread", kPool).set_amount(4);
  Fix("scale", kDisk).set_amount(0);
  Fix("run", kServer).set_amount(0.5);
  EXPECT_THAT(Changes(), ElementsAre("--timer pool=0.1", "--add-thread pool=4",
                                     "--scale 'disk vda=0'", "--run server=0.5"));
}

TEST_F(QuestionsOfFixes, ReadAsConditions) {
  const auto condition_of = [&](const std::string& change, uint32_t who, double amount,
                                uint32_t whom = kOther) {
    finding_.clear_natural_fixes();
    pb::NaturalFix& fix = Fix(change, who);
    fix.set_amount(amount);
    fix.set_whom(whom);
    return OnlyCondition();
  };
  EXPECT_EQ(condition_of("async", kServer, 0),
            "if server did not wait for other (a queue between)");
  EXPECT_EQ(condition_of("async", kServer, 0, kHeldBack),
            "if server did not wait for held-back data of other (TCP_NODELAY, or each message at "
            "once)");
  EXPECT_EQ(condition_of("skip", kPool, 0, kDisk),
            "if pool did not even ask the disk vda (no syncs, or one for many)");
  EXPECT_EQ(condition_of("skip", kServer, 0, kPool), "if server started no pool");
  EXPECT_EQ(condition_of("lock", kPool, 0, kPool), "if no pool ever found that lock taken");
  EXPECT_EQ(condition_of("batch", kPool, 0, kPool),
            "if one pool worked for all that wait (group commit)");
  EXPECT_EQ(condition_of("no-false-wakeups", kPool, 0), "if pool were never woken for nothing");
  EXPECT_EQ(condition_of("scale", kDisk, 0),
            "if the disk vda took no time (no syncs, another disk)");
  EXPECT_EQ(condition_of("scale", kDisk, 0.5),
            "if the disk vda took half the time for its requests");
  EXPECT_EQ(condition_of("timer", kServer, 0.1), "if server slept a tenth as long");
  EXPECT_EQ(condition_of("run", kServer, 0.5), "if server's work took half the time");
  EXPECT_EQ(condition_of("add-thread", kPool, 1), "with 1 thread more like pool");
  EXPECT_EQ(condition_of("in-flight", kServer, 2),
            "with twice as many requests of server under way");
  EXPECT_EQ(condition_of("quota", kServer, 1.5),
            "with a CPU quota of 1.5 for the cgroup of server");
  EXPECT_EQ(condition_of("clients", kServer, 2), "with twice as many of server");
}

TEST_F(QuestionsOfFixes, OfTheMachineNameNobody) {
  pb::NaturalFix& fix = *finding_.add_natural_fixes();
  fix.set_change("cpus");
  fix.set_amount(4);
  EXPECT_THAT(Changes(), ElementsAre("--cpus 4"));
  EXPECT_EQ(Questions().questions[0].request.changes.at(0).text, "4");
  EXPECT_EQ(OnlyCondition(), "with 4 CPUs");
  EXPECT_FALSE(Questions().questions[0].of_wait);
}

TEST_F(QuestionsOfFixes, OfCpusNameTheirNodeWhereThereAreSeveral) {
  pb::NaturalFix& fix = *finding_.add_natural_fixes();
  fix.set_change("cpus");
  fix.set_amount(4);
  fix.set_node("db 1");
  EXPECT_THAT(Changes(), ElementsAre("--cpus 'db 1=4'"));
  EXPECT_EQ(Questions().questions[0].request.changes.at(0).text, "db 1=4");
  EXPECT_EQ(OnlyCondition(), "with 4 CPUs on db 1");
}

TEST_F(QuestionsOfFixes, AreOnlyAskedOfWakesForNothingWhereTheFixSaysSo) {
  Fix("no-false-wakeups", kPool).set_if_woken_for_nothing(true);
  Fix("lock", kPool).set_whom(kPool);
  EXPECT_EQ(Questions().questions[0].if_woken_for_nothing, kPool);
  EXPECT_FALSE(Questions().questions[1].if_woken_for_nothing.has_value());
}

TEST_F(QuestionsOfFixes, NameAThreadByItsTidWhereItsNameWouldBeMisread) {
  Fix("async", kArrow).set_whom(kDisk);
  EXPECT_THAT(Changes(), ElementsAre("--async '108->disk vda'"));
}

TEST_F(QuestionsOfFixes, SayWhoHasNoNameOfItsOwn) {
  Fix("lock", kTwin).set_whom(kTwin);
  Fix("in-flight", kServer).set_amount(2);
  EXPECT_THAT(Changes(), IsEmpty());
  EXPECT_THAT(Questions().none_because, HasSubstr("cannot be told of"));
}

TEST_F(QuestionsOfFixes, SayWhyTheFindingHasNone) {
  finding_.set_no_natural_fix_because("a replay cannot try a faster network");
  EXPECT_EQ(Questions().none_because, "a replay cannot try a faster network");
}

TEST_F(QuestionsOfFixes, LeaveOutWhatALaterVersionMayKnow) {
  Fix("rewrite-it", kServer);
  Fix("run", kServer).set_amount(0.5);
  EXPECT_THAT(Changes(), ElementsAre("--run server=0.5"));
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
