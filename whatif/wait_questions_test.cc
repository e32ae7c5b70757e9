// SPDX-License-Identifier: Apache-2.0
#include "whatif/wait_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class QuestionsOfThePicked : public ::testing::Test {
 protected:
  enum Known : uint32_t { kServer, kPool, kDisk, kClock, kRemote, kNobodyThere };

  QuestionsOfThePicked() {
    report_.mutable_recording()->set_cpus(4);
    Add("server", "thread");
    Add("pool", "group");
    Add("vda", "disk");
    Add("timer", "timer");
    Add("elsewhere", "remote");
  }
  void Add(const std::string& name, const std::string& kind) {
    pb::ReportVertex& vertex = *report_.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report_.vertices_size() - 1));
    vertex.set_name(name);
    vertex.set_kind(kind);
    vertex.set_in_scope(true);
  }
  pb::ReportEdge& Waits(uint32_t from, uint32_t to) {
    pb::ReportEdge& edge = *report_.add_edges();
    edge.set_from(from);
    edge.set_to(to);
    return edge;
  }
  static std::vector<std::string> ChangesOf(const FixQuestions& found) {
    std::vector<std::string> changes;
    for (const FixQuestion& question : found.questions) {
      changes.push_back(question.change);
      EXPECT_FALSE(question.condition.empty()) << question.change;
      EXPECT_EQ(question.request.changes.size(), 1u);
    }
    return changes;
  }

  pb::Report report_;
};

TEST_F(QuestionsOfThePicked, AreAboutTheDiskThatIsWaitedFor) {
  Waits(kServer, kDisk);
  EXPECT_THAT(ChangesOf(QuestionsOfWait(report_, kServer, kDisk)),
              ElementsAre("--async 'server->disk vda'", "--skip 'server->disk vda'",
                          "--scale 'disk vda=0.5'", "--scale 'disk vda=0'"));
}

TEST_F(QuestionsOfThePicked, AreAboutALockWhereTheWaitMayBeForOne) {
  pb::ReportEdge& edge = Waits(kPool, kPool);
  EXPECT_THAT(ChangesOf(QuestionsOfWait(report_, kPool, kPool)),
              ElementsAre("--lock 'pool->pool'", "--split 'pool->pool=4'", "--batch 'pool->pool'",
                          "--async 'pool->pool'", "--run pool=0.5", "--add-thread pool=1",
                          "--no-false-wakeups pool"));
  edge.add_reasons()->set_reason("pipe");
  EXPECT_THAT(ChangesOf(QuestionsOfWait(report_, kPool, kPool)),
              Not(Contains("--lock 'pool->pool'")));
  edge.add_reasons()->set_reason("futex");
  EXPECT_THAT(ChangesOf(QuestionsOfWait(report_, kPool, kPool)), Contains("--lock 'pool->pool'"));
}

TEST_F(QuestionsOfThePicked, AreAboutSleep) {
  Waits(kServer, kClock);
  EXPECT_THAT(ChangesOf(QuestionsOfWait(report_, kServer, kClock)),
              ElementsAre("--timer server=0.5", "--timer server=0.1"));
  EXPECT_THAT(ChangesOf(QuestionsOfVertex(report_, kServer)), Contains("--timer server=0.5"));
  EXPECT_THAT(ChangesOf(QuestionsOfVertex(report_, kPool)), Not(Contains("--timer pool=0.5")));
}

TEST_F(QuestionsOfThePicked, AreNoneAboutWhatWasNotRecorded) {
  Waits(kServer, kRemote);
  const FixQuestions found = QuestionsOfWait(report_, kServer, kRemote);
  EXPECT_THAT(found.questions, IsEmpty());
  EXPECT_THAT(found.none_because, HasSubstr("not recorded"));
}

TEST_F(QuestionsOfThePicked, AreNoneAboutWhatIsNotThere) {
  Waits(kServer, kDisk);
  for (const FixQuestions& found :
       {QuestionsOfWait(report_, kDisk, kServer), QuestionsOfWait(report_, kServer, 4'000'000'000),
        QuestionsOfWait(report_, kNobodyThere, kDisk), QuestionsOfVertex(report_, kNobodyThere)}) {
    EXPECT_THAT(found.questions, IsEmpty());
    EXPECT_THAT(found.none_because, HasSubstr("no such wait or vertex"));
  }
}

TEST_F(QuestionsOfThePicked, AreAboutTheMachinesCpus) {
  EXPECT_THAT(ChangesOf(QuestionsOfMachine(report_)), ElementsAre("--cpus 8"));
  for (const char* name : {"web", "db"}) {
    pb::ReportNode& node = *report_.mutable_cluster()->add_nodes();
    node.set_name(name);
    node.set_cpus(2);
  }
  EXPECT_THAT(ChangesOf(QuestionsOfMachine(report_)), ElementsAre("--cpus web=4", "--cpus db=4"));
}

}  // namespace
}  // namespace gordian
