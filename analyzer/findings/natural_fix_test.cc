// SPDX-License-Identifier: Apache-2.0
// The first thing to try, by kind of finding.
#include "analyzer/findings/evidence/natural_fix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/kinds/kinds.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kSecond = 1'000'000'000;

// Ten seconds on two CPUs: a client outside of the target, two servers, a pool of four, a disk, an
// interface, the clock, a thread outside that sleeps, and a kernel thread that passes completions
// on.
class NaturalFixes : public ::testing::Test {
 protected:
  enum Known : uint32_t { kClient, kServer, kOther, kPool, kDisk, kNic, kTimer, kSlow, kRelay };

  NaturalFixes() {
    recording_.end_ns = 10 * kSecond;
    recording_.cpus = 2;
    Add("client", VertexKind::kThread, 1, false);
    Add("server", VertexKind::kThread, 1, true);
    Add("other", VertexKind::kThread, 1, true);
    Add("pool", VertexKind::kGroup, 4, true);
    Add("vda", VertexKind::kDisk, 0, false);
    Add("eth0", VertexKind::kNic, 0, false);
    Add("timer", VertexKind::kTimer, 0, false);
    Add("slow", VertexKind::kThread, 1, false);
    Add("kworker", VertexKind::kThread, 1, false);
    graph_.vertices[kRelay].kernel_thread = true;
  }

  void Add(const std::string& name, VertexKind kind, uint32_t threads, bool target) {
    graph_.vertices.push_back(
        {.kind = kind, .name = name, .strands = std::max(1u, threads), .threads = threads});
    target_.is_target.push_back(target ? 1 : 0);
    for (uint32_t i = 0; i < threads; ++i) {
      graph_.vertex_of_entity.push_back(static_cast<uint32_t>(graph_.vertices.size() - 1));
      recording_.entities.push_back({.run_ns = kSecond, .wait_ns = 9 * kSecond});
    }
  }

  void Wait(uint32_t from, uint32_t to, double own_s) {
    const auto own_ns = static_cast<uint64_t>(own_s * kSecond);
    graph_.edges.push_back({from, to, own_ns, own_ns, 1000, own_ns / 1000});
    std::sort(graph_.edges.begin(), graph_.edges.end(), [](const Edge& a, const Edge& b) {
      return a.from != b.from ? a.from < b.from : a.to < b.to;
    });
  }

  gordian::NaturalFixes Of(Limit limit) const {
    std::sort(limit.members.begin(), limit.members.end());
    const Measures measures(recording_, graph_);
    const VertexWords words(graph_);
    const Scope scope{.contains = std::vector<char>(graph_.vertices.size())};
    const FindingOptions options;
    const Evidence evidence(recording_, measures, words, scope, target_, options);
    return RowOf(limit.kind).fixes({evidence, limit});
  }

  gordian::NaturalFixes Of(FindingKind kind, uint32_t member) const {
    return Of(Limit{.kind = kind, .members = {member}});
  }

  // Its members are these two and those besides.
  gordian::NaturalFixes OfKnot(uint32_t from, uint32_t to, std::vector<uint32_t> besides = {}) {
    if (Measures(recording_, graph_).FindEdge(from, to) == nullptr) Wait(from, to, 5);
    Limit limit{.members = std::move(besides), .attack = ScopeEdge{.from = from, .to = to}};
    limit.members.push_back(from);
    if (to != from) limit.members.push_back(to);
    return Of(std::move(limit));
  }

  // "async server vda", "add-thread pool 4"
  std::vector<std::string> Changes(const gordian::NaturalFixes& found) const {
    std::vector<std::string> changes;
    for (const NaturalFix& fix : found.fixes) {
      std::string text = FixChangeName(fix.change);
      if (fix.who) absl::StrAppend(&text, " ", graph_.vertices[*fix.who].name);
      if (fix.whom) absl::StrAppend(&text, " ", graph_.vertices[*fix.whom].name);
      if (fix.amount != 0) absl::StrAppend(&text, " ", fix.amount);
      changes.push_back(text);
    }
    return changes;
  }

  WaitForGraph recording_;
  MergedGraph graph_;
  Target target_;
};

TEST_F(NaturalFixes, OfAWaitForADiskIsNotToWaitForIt) {
  const auto found = OfKnot(kServer, kDisk);
  EXPECT_THAT(Changes(found), ElementsAre("async server vda"));
  EXPECT_TRUE(found.fixes[0].of_wait);
}

TEST_F(NaturalFixes, OfAWaitForAThreadThatTellsOfADisksCompletionsIsThatOfTheDisk) {
  Wait(kServer, kDisk, 1);
  Wait(kRelay, kDisk, 5);
  EXPECT_THAT(Changes(OfKnot(kServer, kRelay)), ElementsAre("async server vda"));
}

TEST_F(NaturalFixes, OfAWaitForAnotherIsAQueueBetweenOrMoreRequestsAtATime) {
  EXPECT_THAT(Changes(OfKnot(kServer, kOther)),
              ElementsAre("async server other", "in-flight server 2"));
}

TEST_F(NaturalFixes, OfACircleIsAlsoThatItsWaitForADiskIsGone) {
  Wait(kOther, kDisk, 2);
  EXPECT_THAT(Changes(OfKnot(kServer, kOther, {kDisk})),
              ElementsAre("async server other", "async other vda", "in-flight server 2"));
}

TEST_F(NaturalFixes, OfACircleIsNoDiskThatHardlyAnybodyWaitsFor) {
  Wait(kOther, kDisk, 0.4);
  EXPECT_THAT(Changes(OfKnot(kServer, kOther, {kDisk})),
              ElementsAre("async server other", "in-flight server 2"));
}

TEST_F(NaturalFixes, OfACircleIsNoDiskThatIsNotInIt) {
  Wait(kOther, kDisk, 5);
  EXPECT_THAT(Changes(OfKnot(kServer, kOther)),
              ElementsAre("async server other", "in-flight server 2"));
}

TEST_F(NaturalFixes, OfAWaitForAPoolIsAlsoALargerPool) {
  EXPECT_THAT(Changes(OfKnot(kServer, kPool)),
              ElementsAre("async server pool", "add-thread pool 4", "in-flight server 2"));
}

TEST_F(NaturalFixes, OfAlikeThreadsAreThoseOfALock) {
  const auto found = OfKnot(kPool, kPool);
  EXPECT_THAT(Changes(found),
              ElementsAre("no-false-wakeups pool", "lock pool pool", "batch pool pool"));
  EXPECT_TRUE(found.fixes[0].if_woken_for_nothing);
  EXPECT_FALSE(found.fixes[1].if_woken_for_nothing);
}

TEST_F(NaturalFixes, OfAlikeThreadsThatHardlyWaitForADiskAreThoseOfALock) {
  Wait(kPool, kDisk, 1);
  EXPECT_THAT(Changes(OfKnot(kPool, kPool))[1], "lock pool pool");
}

TEST_F(NaturalFixes, OfAlikeThreadsThatWaitForADiskMayBeThatOfTheDisk) {
  Wait(kPool, kDisk, 6);
  EXPECT_THAT(Changes(OfKnot(kPool, kPool)),
              ElementsAre("no-false-wakeups pool", "skip pool vda", "batch pool pool"));
}

// One at a time waits for the disk, for half of the recording: 4 % of all their lives.
TEST_F(NaturalFixes, OfManyAlikeThreadsThatTakeTurnsAtADiskIsThatOfTheDiskOrTheLock) {
  Add("writers", VertexKind::kGroup, 12, true);
  const auto writers = static_cast<uint32_t>(graph_.vertices.size() - 1);
  Wait(writers, kDisk, 5);
  EXPECT_THAT(Changes(OfKnot(writers, writers)),
              ElementsAre("no-false-wakeups writers", "skip writers vda", "lock writers writers",
                          "batch writers writers"));
}

TEST_F(NaturalFixes, IsMoreRequestsWhereAThreadOutsideAnswersByTheClock) {
  Wait(kSlow, kTimer, 9);
  Wait(kPool, kSlow, 5);
  const auto found = OfKnot(kPool, kPool);
  EXPECT_THAT(Changes(found), ElementsAre("in-flight pool 2"));
  EXPECT_FALSE(found.fixes[0].of_wait) << "a yardstick orders nothing";
}

TEST_F(NaturalFixes, OfWaitsForOutsidersIsMoreRequests) {
  EXPECT_THAT(Changes(OfKnot(kServer, kClient)), ElementsAre("in-flight server 2"));
}

TEST_F(NaturalFixes, OfAHelperThatTheTargetBeganAlsoAskForMoreHelpers) {
  Wait(kServer, kSlow, 2);
  const auto entity_of = [&](uint32_t vertex) -> Entity& {
    const auto first = std::find(graph_.vertex_of_entity.begin(), graph_.vertex_of_entity.end(),
                                 static_cast<uint32_t>(vertex));
    return recording_.entities[static_cast<size_t>(first - graph_.vertex_of_entity.begin())];
  };
  entity_of(kServer).tid = 10;
  entity_of(kSlow).parent_tid = 10;
  EXPECT_THAT(Changes(Of(FindingKind::kSleep, kSlow)),
              ElementsAre("in-flight server 2", "add-thread slow 1"));
  // In packets it is seen how many at once it answers.
  graph_.questions.push_back({.asker = kServer, .answerer = kSlow, .count = 1000});
  EXPECT_THAT(Changes(Of(FindingKind::kSleep, kSlow)), ElementsAre("in-flight server 2"));
}

TEST_F(NaturalFixes, OfNetworksCannotBeReplayed) {
  EXPECT_THAT(OfKnot(kServer, kNic).none_because, HasSubstr("nothing of the other end"));
}

TEST_F(NaturalFixes, OfASleepIsATenthOfItAndOfAPoolMoreThreads) {
  EXPECT_THAT(Changes(Of(FindingKind::kSleep, kServer)), ElementsAre("timer server 0.1"));
  const auto found = Of(FindingKind::kSleep, kPool);
  EXPECT_THAT(Changes(found), ElementsAre("timer pool 0.1", "add-thread pool 4"));
  EXPECT_THAT(found.fixes[0].advice, IsEmpty());
  EXPECT_THAT(found.fixes[1].advice, HasSubstr("let more threads do that"));
}

TEST_F(NaturalFixes, OfASleepOutsideIsMoreRequestsOfTheThreadThatWaitsLongestForIt) {
  EXPECT_THAT(Of(FindingKind::kSleep, kSlow).none_because, HasSubstr("no thread of the target"));
  Wait(kPool, kSlow, 1);
  Wait(kServer, kSlow, 2);
  EXPECT_THAT(Changes(Of(FindingKind::kSleep, kSlow)), ElementsAre("in-flight server 2"));
}

TEST_F(NaturalFixes, OfWorkAndOfADiskIsHalfTheTimeWhichOrdersNothing) {
  const auto sink = Of(FindingKind::kSink, kServer);
  EXPECT_THAT(Changes(sink), ElementsAre("run server 0.5"));
  EXPECT_FALSE(sink.fixes[0].of_wait);
  const auto disk = Of(FindingKind::kDevice, kDisk);
  EXPECT_THAT(Changes(disk), ElementsAre("scale vda 0.5"));
  EXPECT_FALSE(disk.fixes[0].of_wait);
}

TEST_F(NaturalFixes, OfWorkThatAPoolWaitsForMayBeFewerWakes) {
  const auto found = Of(Limit{.kind = FindingKind::kSink,
                              .members = {kClient},
                              .attack = ScopeEdge{.from = kPool, .to = kClient}});
  EXPECT_THAT(Changes(found), ElementsAre("clients client 2", "no-false-wakeups pool"));
  EXPECT_TRUE(found.fixes[1].if_woken_for_nothing);
  const auto of_one = Of(Limit{.kind = FindingKind::kSink,
                               .members = {kClient},
                               .attack = ScopeEdge{.from = kServer, .to = kClient}});
  EXPECT_THAT(Changes(of_one), ElementsAre("clients client 2"));
}

TEST_F(NaturalFixes, OfWorkForPartOfTheRecordingCannotBeReplayed) {
  recording_.entities[kServer].wait_ns = 2 * kSecond;
  EXPECT_THAT(Of(FindingKind::kSink, kServer).none_because,
              HasSubstr("only part of the recording"));
}

TEST_F(NaturalFixes, OfWorkOutsideIsMoreOfThem) {
  EXPECT_THAT(Changes(Of(FindingKind::kSink, kClient)), ElementsAre("clients client 2"));
}

TEST_F(NaturalFixes, OfWhatWasNotRecordedCannotBeReplayed) {
  graph_.vertices[kNic].kind = VertexKind::kRemote;
  EXPECT_THAT(Of(FindingKind::kOutside, kNic).none_because, HasSubstr("not recorded"));
}

TEST_F(NaturalFixes, OfTheWayBetweenNodesIsLeftToWhoeverAsks) {
  graph_.vertices[kNic].kind = VertexKind::kLink;
  for (const auto& found : {OfKnot(kServer, kNic), Of(FindingKind::kOutside, kNic)})
    EXPECT_THAT(found.none_because, HasSubstr("gordian whatif --scale"));
}

TEST_F(NaturalFixes, OfTooFewCpusIsTwiceAsManyUnlessSomeWereFree) {
  EXPECT_THAT(Of(FindingKind::kStarvation, kServer).none_because, HasSubstr("CPUs were free"));
  for (Entity& entity : recording_.entities) entity.run_ns = 5 * kSecond / 2;
  const auto found = Of(FindingKind::kStarvation, kServer);
  EXPECT_THAT(Changes(found), ElementsAre("cpus 4"));
  EXPECT_FALSE(found.fixes[0].of_wait);
}

TEST_F(NaturalFixes, OfTooFewCpusIsMoreOnTheNodeThatHasTooFew) {
  recording_.nodes = {"db", "web"};
  recording_.node_cpus = {2, 4};
  for (Entity& entity : recording_.entities) entity.node = 1;
  recording_.entities[kServer].node = 0;
  recording_.entities[kServer].run_ns = 19 * kSecond;
  graph_.vertices[kServer].node = "db";
  graph_.vertices[kOther].node = "web";
  const auto found = Of(FindingKind::kStarvation, kServer);
  EXPECT_THAT(Changes(found), ElementsAre("cpus 4"));
  EXPECT_EQ(found.fixes[0].node, "db");
  EXPECT_THAT(Of(FindingKind::kStarvation, kOther).none_because, HasSubstr("CPUs were free"));
}

TEST_F(NaturalFixes, IsNotSoughtOfBackground) {
  const auto found = Of(FindingKind::kBackground, kServer);
  EXPECT_THAT(found.fixes, IsEmpty());
  EXPECT_THAT(found.none_because, IsEmpty());
}

TEST(FixChanges, AreNamedAsTheOptionsOfGordianWhatif) {
  EXPECT_STREQ(FixChangeName(FixChange::kNoFalseWakeups), "no-false-wakeups");
  for (int i = 0; i <= static_cast<int>(FixChange::kQuota); ++i) {
    const auto change = static_cast<FixChange>(i);
    EXPECT_STRNE(FixChangeName(change), "");
    EXPECT_EQ(FixChangeOf(FixChangeName(change)), change);
  }
  EXPECT_EQ(FixChangeOf("rewrite-it"), std::nullopt);
}

}  // namespace
}  // namespace gordian
