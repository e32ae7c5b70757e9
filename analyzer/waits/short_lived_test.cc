// SPDX-License-Identifier: Apache-2.0
// Which threads become a virtual thread, and its segments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"
#include "analyzer/waits/waits.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Thread 1, main, creates these threads one after the other, with `apart_ns` from birth to birth,
// each on a CPU of its own.
struct Worker {
  std::string name = "work";
  int process = 1;  // 0: the first thread of a process of its own
  uint64_t lives_ns = 5;
};
std::string WorkersInTurn(const std::vector<Worker>& workers, uint64_t apart_ns = 10,
                          uint64_t end_ns = 100) {
  std::multimap<uint64_t, std::string> moments;
  for (size_t i = 0; i < workers.size(); ++i) {
    const auto& [name, process, lives_ns] = workers[i];
    const size_t tid = 10 + i;
    const size_t cpu = 1 + i;
    const uint64_t born_ns = 5 + i * apart_ns;
    const uint64_t dies_ns = born_ns + lives_ns;
    moments.emplace(born_ns, absl::StrCat("0 new ", tid, " ", name, " of 1 in ",
                                          process == 0 ? tid : static_cast<size_t>(process)));
    moments.emplace(born_ns + 1, absl::StrCat(cpu, " switch 0 ", tid));
    moments.emplace(dies_ns, absl::StrCat(cpu, " exit ", tid));
    moments.emplace(dies_ns, absl::StrCat(cpu, " switch ", tid, " 0 X"));
  }
  std::string lines = absl::StrCat("end ", end_ns, "\nthread 1 main R\n0 0 switch 0 1\n");
  for (const auto& [time_ns, what] : moments) absl::StrAppend(&lines, time_ns, " ", what, "\n");
  return lines;
}
std::vector<Worker> Alike(size_t count, uint64_t lives_ns) {
  return std::vector<Worker>(count, {.lives_ns = lives_ns});
}

// The virtual threads of a scenario, each as its name and how many it stands for.
std::vector<std::string> VirtualThreads(const std::string& scenario, bool merge = true) {
  const ScenarioTimeline recorded(scenario);
  const Waits waits(recorded.timeline(), {.merge_short_lived = merge});
  std::map<EntityId, int> members;
  for (const Entity& entity : waits.entities()) {
    if (entity.merged_into != kNobody) ++members[entity.merged_into];
  }
  std::vector<std::string> found;
  for (const auto& [id, count] : members)
    found.push_back(absl::StrCat(waits.entities()[id].name, " x", count));
  return found;
}

TEST(ShortLivedThreads, ThatFollowEachOtherAreOne) {
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{}, {}, {}})), ElementsAre("work x3"));
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{}, {}, {}}), /*merge=*/false), IsEmpty());
}

TEST(ShortLivedThreads, AreNoneIfThereAreOnlyTwo) {
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{}, {}})), IsEmpty());
}

TEST(ShortLivedThreads, AreNoneIfTheyWorkSideBySide) {
  EXPECT_THAT(VirtualThreads(WorkersInTurn(Alike(3, 10), /*apart_ns=*/1)), IsEmpty());
}

TEST(ShortLivedThreads, FollowEachOtherIfTheyAreTwiceAsManyAsEverLivedAtATime) {
  // Each is born before the one before dies: two live at a time.
  EXPECT_THAT(VirtualThreads(WorkersInTurn(Alike(4, 15))), ElementsAre("work x4"));
  EXPECT_THAT(VirtualThreads(WorkersInTurn(Alike(3, 15))), IsEmpty());
  // Three do.
  EXPECT_THAT(VirtualThreads(WorkersInTurn(Alike(5, 25))), IsEmpty());
}

TEST(ShortLivedThreads, AreThoseThatLiveForHalfOfTheRecordingAtMost) {
  std::vector<Worker> workers = Alike(4, 5);
  workers[0].lives_ns = 50;
  EXPECT_THAT(VirtualThreads(WorkersInTurn(workers, 52, 200)), ElementsAre("work x4"));
  EXPECT_THAT(VirtualThreads(WorkersInTurn(workers, 52, 190)), ElementsAre("work x4"));
  workers[0].lives_ns = 101;
  EXPECT_THAT(VirtualThreads(WorkersInTurn(workers, 30, 200)), ElementsAre("work x3"))
      << "one is long-lived, the other three follow each other";
}

TEST(ShortLivedThreads, OfOneProcessAreOneWhateverTheirNames) {
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{"a"}, {"b"}, {"c"}})), ElementsAre("a x3"));
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{"a", 1}, {"a", 1}, {"a", 2}})), IsEmpty());
}

TEST(ShortLivedThreads, ThatAreProcessesAreOneIfTheyAreNamedAlike) {
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{"cc", 0}, {"cc", 0}, {"cc", 0}})),
              ElementsAre("cc x3"));
  EXPECT_THAT(VirtualThreads(WorkersInTurn({{"cc", 0}, {"ld", 0}, {"cc", 0}})), IsEmpty());
}

TEST(ShortLivedThreads, ThatSomebodyWaitsForAreOneToWaitFor) {
  // main makes and joins a worker three times.
  const ScenarioTimeline recorded(ReadScenario(GORDIAN_SCENARIOS "/short_lived.txt"));
  const Waits waits(recorded.timeline(), {});
  const EntityId main = recorded.Id("main");
  std::vector<WaitInterval> collected;
  waits.Collect(recorded.timeline().start_ns(), recorded.timeline().end_ns(), collected);
  std::vector<EntityId> whom_main_waits_for;
  for (const WaitInterval& wait : collected) {
    if (wait.waiter == main) whom_main_waits_for.push_back(wait.waker);
    EXPECT_EQ(waits.Representative(wait.waiter), wait.waiter) << "no member waits by itself";
  }
  ASSERT_THAT(whom_main_waits_for, SizeIs(3));
  EXPECT_EQ(waits.entities()[whom_main_waits_for[0]].kind, EntityKind::kVirtual);
  EXPECT_THAT(whom_main_waits_for, ::testing::Each(whom_main_waits_for[0]));
}

TEST(ShortLivedThreads, KeepTheirOwnLedgersAndTheirVirtualOneLivesAsLongAsTheRecording) {
  const ScenarioTimeline recorded(WorkersInTurn({{}, {}, {}}));
  const Waits waits(recorded.timeline(), {});
  for (EntityId id = 0; id < recorded.timeline().thread_count(); ++id) {
    EXPECT_EQ(waits.entities()[id].run_ns, recorded.timeline().entities()[id].run_ns);
    EXPECT_EQ(waits.entities()[id].end_ns, recorded.timeline().entities()[id].end_ns);
  }
  const Entity& all = waits.entities().back();
  ASSERT_EQ(all.kind, EntityKind::kVirtual);
  EXPECT_EQ(all.run_ns, 12u) << "each of three runs for 4 of its 5 ns";
  EXPECT_EQ(all.runnable_ns, 3u);
  EXPECT_EQ(all.wait_ns, 85u);
  EXPECT_EQ(all.end_ns - all.begin_ns, 100u);
}

TEST(ShortLivedThreads, MakeTheSameVirtualOnesWithAnyNumberOfThreads) {
  const ScenarioTimeline recorded(
      WorkersInTurn({{"a", 0}, {"b", 1}, {"a", 0}, {"b", 1}, {"a", 0}, {"b", 1}}));
  const Waits one(recorded.timeline(), {.threads = 1});
  const Waits many(recorded.timeline(), {.threads = 4});
  ASSERT_EQ(one.entities().size(), many.entities().size());
  std::vector<WaitInterval> of_one, of_many;
  one.Collect(0, UINT64_MAX, of_one);
  many.Collect(0, UINT64_MAX, of_many);
  EXPECT_EQ(of_one, of_many);
}

}  // namespace
}  // namespace gordian
