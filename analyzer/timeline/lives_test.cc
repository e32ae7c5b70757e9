// SPDX-License-Identifier: Apache-2.0
// Who belongs to whom, of the records of births and execs.
#include "analyzer/timeline/lives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;

constexpr int32_t kRecorder = 10;

TimedTask Alive(int32_t tid, int32_t parent, std::string comm) {
  return {0,
          {.change = TaskChange::kAlive,
           .recorder = tid == kRecorder,
           .tid = tid,
           .tgid = tid,
           .parent_tid = parent,
           .comm = std::move(comm)}};
}
TimedTask Born(uint64_t time_ns, int32_t tid, int32_t tgid, int32_t parent, std::string comm) {
  return {time_ns,
          {.change = TaskChange::kNew,
           .tid = tid,
           .tgid = tgid,
           .parent_tid = parent,
           .comm = std::move(comm)}};
}
TimedTask Exec(uint64_t time_ns, int32_t tid, std::string comm) {
  return {time_ns, {.change = TaskChange::kExec, .tid = tid, .tgid = tid, .comm = std::move(comm)}};
}

std::set<int32_t> RecordersOf(const std::vector<TimedTask>& tasks,
                              const std::vector<pb::Target>& targets = {}) {
  Lives lives;
  lives.Build(tasks, {}, 0, {}, ToldStates::kAtTheBeginning);
  std::vector<Entity> entities = ThreadEntities(lives);
  MarkTargets(targets, entities, lives);
  MarkRecordersHelpers(entities, lives);
  std::set<int32_t> tids;
  for (const Entity& entity : entities) {
    if (entity.recorder) tids.insert(entity.tid);
  }
  return tids;
}

TEST(RecordersHelpers, AreItsChildrenThatRunItsProgram) {
  EXPECT_THAT(RecordersOf({Alive(kRecorder, 1, "gordian"), Born(5, 20, 20, kRecorder, "unwind"),
                           Born(6, 21, 20, 20, "unwind"), Born(7, 22, 22, 21, "unwind"),
                           Alive(30, 1, "server"), Born(8, 31, 31, 30, "server")}),
              ElementsAre(kRecorder, 20, 21, 22));
}

TEST(RecordersHelpers, AreNoProgramsThatTheRecorderStarted) {
  EXPECT_THAT(RecordersOf({Alive(kRecorder, 1, "gordian"), Alive(20, kRecorder, "gordian"),
                           Exec(5, 20, "make"), Born(6, 21, 21, 20, "make")}),
              ElementsAre(kRecorder));
}

// A script without the execute bit, or one that /usr/bin/env starts, has its interpreter's name.
std::set<std::string> MarkedOf(const std::vector<std::pair<std::string, std::string>>& programs,
                               const std::string& comm) {
  std::vector<TimedTask> tasks;
  for (size_t i = 0; i < programs.size(); ++i)
    tasks.push_back(Alive(static_cast<int32_t>(20 + i), 1, programs[i].first));
  Lives lives;
  lives.Build(tasks, {}, 0, {}, ToldStates::kAtTheBeginning);
  std::vector<Entity> entities = ThreadEntities(lives);
  for (size_t i = 0; i < programs.size(); ++i) entities[i].command = programs[i].second;
  pb::Target target;
  target.set_comm(comm);
  MarkTargets(std::vector{target}, entities, lives);
  std::set<std::string> marked;
  for (const Entity& entity : entities) {
    if (entity.target) marked.insert(entity.command);
  }
  EXPECT_EQ(NamesOfUnseen(std::vector{target}, entities).empty(), !marked.empty());
  return marked;
}

TEST(Targets, OfANameMayBeScriptsThatAreCalledSo) {
  EXPECT_THAT(MarkedOf({{"python3", "python3 /srv/shop.py 80"}, {"python3", "python3 /srv/pay.py"}},
                       "shop.py"),
              ElementsAre("python3 /srv/shop.py 80"));
}

TEST(Targets, OfANameAreNoScriptsIfAProgramHasIt) {
  EXPECT_THAT(
      MarkedOf({{"shop.py", "/usr/bin/python3 ./shop.py"}, {"vi", "vi shop.py"}}, "shop.py"),
      ElementsAre("/usr/bin/python3 ./shop.py"));
}

TEST(Targets, ThatAreNotThereAreTold) {
  EXPECT_TRUE(MarkedOf({{"python3", "python3 /srv/shop.py"}}, "till.py").empty());
}

TEST(Targets, OfAGroupAreThoseOfTheGroupsBelowToo) {
  pb::Session session;
  const auto add = [&](uint64_t id, const char* path) {
    pb::Cgroup& group = *session.add_cgroups();
    group.set_id(id);
    group.set_path(path);
  };
  add(7, "/pod/app");
  add(5, "/pod");
  add(6, "/pod2");
  pb::Target pod;
  pod.set_cgroup_id(5);
  std::vector<uint64_t> ids;
  for (const pb::Target& target : WithGroupsBelow({pod}, session))
    ids.push_back(target.cgroup_id());
  EXPECT_THAT(ids, ElementsAre(5, 7));
  EXPECT_TRUE(WithGroupsBelow({}, session).empty());
}

TEST(RecordersHelpers, AreNoTargets) {
  pb::Target target;
  target.set_pid(20);
  // Its exec was lost.
  EXPECT_THAT(RecordersOf({Alive(kRecorder, 1, "gordian"), Alive(20, kRecorder, "gordian"),
                           Born(6, 21, 21, 20, "make")},
                          {target}),
              ElementsAre(kRecorder));
}

// A flight recorder's, or that of a follower who joined in the middle.
// The kernel's start of the second life lies behind the record that tells of it, and behind a pause
// that is not known to its end while the recording goes on.
TEST(Lives, BeginNoLaterThanTheyAreToldOf) {
  TimedTask first = Alive(20, 1, "server");
  first.task.start_time_ns = 1;
  TimedTask second = first;
  second.time_ns = 11;
  second.task.start_time_ns = 40;
  Lives finished;
  finished.Build(std::vector{first, second}, {}, 3, {}, ToldStates::kAtTheBeginning);
  ASSERT_EQ(finished.CountOf(20), 2u);
  EXPECT_EQ(finished.lives()[finished.LifeOf(20, 1)].begin_ns, 11u);
  Lives growing;
  const Pauses none;
  growing.BeginGrowing(3, none, ToldStates::kAtTheBeginning);
  growing.Take(first, 0);
  const EntityId id = growing.Take(second, 0);
  ASSERT_EQ(growing.CountOf(20), 2u);
  EXPECT_EQ(growing.lives()[id].begin_ns, 11u);
}

TEST(ToldStates, OfIdentitiesAreBelievedFromTheirTimeOnAndOnlyThoseOfSleep) {
  const auto told = [](uint64_t time_ns, uint32_t state, ToldStates believed) {
    Lives lives;
    lives.Build(std::vector<TimedTask>{{time_ns, {.tid = 7, .tgid = 7, .state = state}}}, {}, 100,
                {}, believed);
    const Life& life = lives.lives()[0];
    return life.state_told ? std::optional(life.told_ns) : std::nullopt;
  };
  EXPECT_EQ(told(150, 1, ToldStates::kInIdentities), 150u);
  EXPECT_EQ(told(150, 0, ToldStates::kInIdentities), std::nullopt) << "it may not have been asked";
  EXPECT_EQ(told(99, 1, ToldStates::kInIdentities), std::nullopt) << "of a time that is not there";
  EXPECT_EQ(told(150, 1, ToldStates::kNone), std::nullopt);
  EXPECT_EQ(told(99, 0, ToldStates::kAtTheBeginning), 99u);
}

TEST(ToldStates, AreThoseThatTheRecordingTells) {
  pb::Session session;
  EXPECT_EQ(ToldStatesOf(session, false), ToldStates::kAtTheBeginning);
  EXPECT_EQ(ToldStatesOf(session, true), ToldStates::kNone) << "an older recorder's";
  session.set_identities_tell_states(true);
  EXPECT_EQ(ToldStatesOf(session, true), ToldStates::kInIdentities);
  session.set_backend("import");
  EXPECT_EQ(ToldStatesOf(session, true), ToldStates::kNone);
}

}  // namespace
}  // namespace gordian
