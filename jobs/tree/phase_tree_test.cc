// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "jobs/tree/phase_collector.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kModel[] = R"(model: demo
resources: {cpu: , gc: {kind: blocking}}
phases:
  Job:
    phases:
      Load: {}
      Step:
        repeat: sequential
        after: Load
        phases:
          Worker:
            repeat: concurrent
            place: node
            phases: {Compute: {place: thread}}
      Loose: {repeat: observed, discover: thread}
logs: {format: probes}
)";

// The parts that tell phases of a type apart; keys from below the root on.
struct Keys {
  std::vector<std::string_view> keys;
  std::string_view node = {};
  int32_t tid = 0;
};

class PhaseTree : public testing::Test {
 protected:
  PhaseTree() : model_(*ParseModel(kModel, "m")), collector_(model_, tally_) {}

  PhaseMark Mark(std::string_view path, const Keys& keys = {}) {
    keys_ = keys.keys;
    keys_.insert(keys_.begin(), "");
    for (PhaseTypeId type = 0; type < collector_.types().size(); ++type) {
      if (PathOf(collector_.types().ToModel(), type) == path)
        return {.type = type, .keys = keys_, .node = keys.node, .pid = 0, .tid = keys.tid};
    }
    ADD_FAILURE() << "no type " << path;
    return {};
  }

  // "PATH start..end", with "?" behind an end that is assumed.
  std::vector<std::string> Tree() {
    job_ = collector_.Finish();
    std::vector<std::string> lines;
    for (PhaseId id = 0; id < job_.phases.size(); ++id) {
      const Phase& phase = job_.phases[id];
      lines.push_back(absl::StrCat(PathOf(job_, id), " ", phase.start_ns, "..", phase.end_ns,
                                   phase.end_assumed ? "?" : ""));
      EXPECT_TRUE(id == 0 ? phase.parent == kNoId : phase.parent < id);
    }
    return lines;
  }
  // "name value" of all that was counted.
  std::vector<std::string> Counted() const {
    std::vector<std::string> lines;
    for (const TalliedCounter& counter : tally_.Counters())
      lines.push_back(absl::StrCat(counter.name, " ", counter.value));
    return lines;
  }

  Tally tally_;
  PhaseModel model_;
  PhaseCollector collector_;
  std::vector<std::string_view> keys_;
  Job job_;
};

TEST_F(PhaseTree, NestsPhasesByTheirKeysWhateverTheOrderOfTheLines) {
  collector_.Add(Mark("/Job/Step/Worker", {{"2", "b"}}), 60, 90);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", "b"}}), 20, 45);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", "a"}}), 20, 40);
  collector_.Add(Mark("/Job/Step", {{"2"}}), 50, 100);
  collector_.Add(Mark("/Job/Step", {{"1"}}), 20, 50);
  collector_.Add(Mark("/Job/Load"), 5, 20);
  collector_.Add(Mark("/Job"), 0, 100);
  EXPECT_THAT(Tree(), ElementsAre("/Job 0..100", "/Job/Load 5..20", "/Job/Step[1] 20..50",
                                  "/Job/Step[1]/Worker[a] 20..40", "/Job/Step[1]/Worker[b] 20..45",
                                  "/Job/Step[2] 50..100", "/Job/Step[2]/Worker[b] 60..90"));
  EXPECT_THAT(Counted(), IsEmpty());
}

TEST_F(PhaseTree, FindsParentsByTimeWhereKeysAreNotTold) {
  collector_.Add(Mark("/Job"), 0, 100);
  collector_.Add(Mark("/Job/Step", {{"1"}}), 0, 50);
  collector_.Add(Mark("/Job/Step", {{"2"}}), 50, 100);
  collector_.Add(Mark("/Job/Step/Worker", {{"", "a"}}), 50, 60);  // begins with the second
  collector_.Add(Mark("/Job/Step/Worker", {{"", "a"}}), 10, 20);
  EXPECT_THAT(Tree(),
              ElementsAre("/Job 0..100", "/Job/Step[1] 0..50", "/Job/Step[1]/Worker[a] 10..20",
                          "/Job/Step[2] 50..100", "/Job/Step[2]/Worker[a] 50..60"));
}

TEST_F(PhaseTree, MakesParentsThatNothingTellsOf) {
  collector_.Add(Mark("/Job/Step/Worker/Compute", {{"1", "a"}, "n1", 7}), 10, 20);
  collector_.Add(Mark("/Job/Step/Worker/Compute", {{"1", "a"}, "n1", 8}), 15, 30);
  collector_.Add(Mark("/Job/Step/Worker/Compute", {{"1", "b"}, "n2", 9}), 12, 25);
  EXPECT_THAT(
      Tree(),
      ElementsAre("/Job 10..30", "/Job/Step[1] 10..30", "/Job/Step[1]/Worker[a] 10..30",
                  "/Job/Step[1]/Worker[a]/Compute[1] 10..20",
                  "/Job/Step[1]/Worker[a]/Compute[2] 15..30", "/Job/Step[1]/Worker[b] 12..25",
                  "/Job/Step[1]/Worker[b]/Compute 12..25"));
  EXPECT_EQ(job_.phases[0].node, "");
  EXPECT_EQ(job_.phases[2].node, "n1");
  EXPECT_EQ(job_.phases[2].tid, 0) << "two threads";
  EXPECT_EQ(job_.phases[5].tid, 9);
  EXPECT_THAT(Counted(), ElementsAre("phases_against_model 1", "phases_implied 3"));
}

TEST_F(PhaseTree, EndsWhatHasNoEndWithTheNextOfASequenceOrTheParent) {
  collector_.Begin(Mark("/Job"), 0);
  collector_.Begin(Mark("/Job/Step", {{"1"}}), 10);
  collector_.Begin(Mark("/Job/Step/Worker", {{"1", "a"}}), 12);
  collector_.Begin(Mark("/Job/Step", {{"2"}}), 50);
  collector_.Add(Mark("/Job/Load"), 70, 80);
  EXPECT_THAT(Tree(),
              ElementsAre("/Job 0..80?", "/Job/Step[1] 10..50?", "/Job/Step[1]/Worker[a] 12..50?",
                          "/Job/Step[2] 50..80?", "/Job/Load 70..80"));
  EXPECT_THAT(Counted(), ElementsAre("phase_ends_assumed 4"));
}

TEST_F(PhaseTree, CountsEndsWithoutBeginsAndBeginsSaidAgain) {
  collector_.Begin(Mark("/Job"), 0);
  collector_.End(Mark("/Job/Load"), 10);
  collector_.Begin(Mark("/Job/Step", {{"1"}}), 20);
  collector_.Begin(Mark("/Job/Step", {{"1"}}), 20);  // the very same line
  collector_.Begin(Mark("/Job/Step", {{"1"}}), 40);
  collector_.End(Mark("/Job/Step", {{"1"}}), 60);
  collector_.End(Mark("/Job"), 100);
  EXPECT_THAT(Tree(), ElementsAre("/Job 0..100", "/Job/Step[1] 20..40?", "/Job/Step[1] 40..60"));
  EXPECT_THAT(Counted(), ElementsAre("phase_begins_repeated 2", "phase_ends_without_begin 1"));
}

TEST_F(PhaseTree, CutsPhasesToTheirParentAndLeavesOutWhatLiesOutside) {
  collector_.Add(Mark("/Job"), 10, 100);
  collector_.Add(Mark("/Job/Step", {{"1"}}), 20, 50);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", "a"}}), 15, 60);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", "b"}}), 70, 80);
  collector_.Add(Mark("/Job/Step/Worker/Compute", {{"1", "b"}}), 71, 72);
  collector_.Add(Mark("/Job/Load"), 200, 300);
  EXPECT_THAT(Tree(),
              ElementsAre("/Job 10..100", "/Job/Step[1] 20..50", "/Job/Step[1]/Worker[a] 20..50"));
  EXPECT_THAT(Counted(), ElementsAre("phases_clipped 1", "phases_outside_parent 3"));
}

TEST_F(PhaseTree, CountsWhatIsSaidTwiceOnce) {
  for (int i = 0; i < 3; ++i) collector_.Add(Mark("/Job/Step", {{"1"}}), 20, 50);
  collector_.Add(Mark("/Job/Step", {{"1"}}), 20, 51);
  EXPECT_EQ(Tree().size(), 3u);
  EXPECT_EQ(tally_.Value("phases_duplicate"), 2u);
}

TEST_F(PhaseTree, CountsTimesThatRunBackwards) {
  collector_.Add(Mark("/Job/Step", {{"1"}}), 50, 20);
  collector_.Begin(Mark("/Job/Step", {{"2"}}), 60);
  collector_.End(Mark("/Job/Step", {{"2"}}), 55);
  collector_.Add(Mark("/Job"), 0, 100);
  EXPECT_THAT(Tree(), ElementsAre("/Job 0..100", "/Job/Step[2] 60..60?"));
  EXPECT_THAT(Counted(), ElementsAre("phase_times_backwards 2"));
}

TEST_F(PhaseTree, HasOneRootWhereTheLogsTellOfSeveralJobs) {
  collector_.Add(Mark("/Job"), 0, 40);
  collector_.Add(Mark("/Job"), 60, 100);
  collector_.Add(Mark("/Job/Load"), 70, 80);
  EXPECT_THAT(Tree(), ElementsAre("/Job 0..100", "/Job/Load 70..80"));
  EXPECT_THAT(Counted(), ElementsAre("phase_roots_joined 1"));
}

TEST_F(PhaseTree, KeepsNodesApartWherePhasesAreBoundToThem) {
  collector_.Add(Mark("/Job/Step/Worker", {{"1", ""}, "n1"}), 0, 100);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", ""}, "n2"}), 1, 100);
  collector_.Add(Mark("/Job/Step/Worker/Compute", {{"1", ""}, "n1", 5}), 50, 60);
  Tree();
  ASSERT_EQ(job_.phases.size(), 5u);
  EXPECT_EQ(job_.phases[2].node, "n1");
  EXPECT_EQ(job_.phases[3].parent, 2u);
  EXPECT_EQ(job_.phases[3].node, "n1");
}

TEST_F(PhaseTree, PutsBlockedTimesOnEveryPhaseTheyOverlapWith) {
  collector_.Add(Mark("/Job"), 0, 100);
  collector_.Add(Mark("/Job/Step", {{"1"}}), 0, 50);
  collector_.Add(Mark("/Job/Step", {{"2"}}), 50, 100);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", "a"}}), 0, 50);
  collector_.Add(Mark("/Job/Step/Worker", {{"1", "b"}}), 0, 50);
  collector_.Add(Mark("/Job/Step/Worker", {{"2", "a"}}), 50, 100);
  collector_.Blocked(Mark("/Job/Step/Worker", {{"", "a"}}), "gc", 40, 60);
  collector_.BlockedBegin(Mark("/Job/Step", {{"2"}}), "gc", 90);
  collector_.Blocked(Mark("/Job/Step/Worker", {{"", "c"}}), "gc", 40, 60);
  collector_.Blocked(Mark("/Job"), "cpu", 40, 60);
  Tree();
  std::vector<std::string> blocked;
  for (const BlockedInterval& interval : job_.blocked)
    blocked.push_back(absl::StrCat(PathOf(job_, interval.phase), " ", interval.start_ns, "..",
                                   interval.end_ns, " ", job_.resources[interval.resource].name));
  EXPECT_THAT(blocked, ElementsAre("/Job/Step[1]/Worker[a] 40..50 gc",
                                   "/Job/Step[2]/Worker[a] 50..60 gc", "/Job/Step[2] 90..100 gc"));
  EXPECT_THAT(Counted(), ElementsAre("blocked_ends_assumed 1", "blocked_resource_unknown 1",
                                     "blocked_without_phase 1"));
}

TEST_F(PhaseTree, ObservesRepeatsKeysAndOrderOfWhatTheModelDoesNotName) {
  const PhaseTypeId loose = collector_.types().Unique("Loose");
  const PhaseTypeId read = collector_.types().ChildOrNew(loose, "read");
  const PhaseTypeId write = collector_.types().ChildOrNew(loose, "write");
  const PhaseTypeId poll = collector_.types().ChildOrNew(loose, "poll");
  for (const uint64_t base : {0, 100}) {
    const uint32_t outer = collector_.AddWithin(kNoId, {.type = loose}, base, base + 60);
    collector_.AddWithin(outer, {.type = read}, base + 0, base + 10);
    collector_.AddWithin(outer, {.type = read}, base + 5, base + 12);
    collector_.AddWithin(outer, {.type = write}, base + 12, base + 40);
    collector_.AddWithin(outer, {.type = poll}, base == 0 ? 45 : 105, base == 0 ? 50 : 125);
  }
  EXPECT_THAT(Tree(), testing::Contains("/Job/Loose[2]/read[1] 100..110"));
  EXPECT_EQ(job_.model.types[loose].repeat, PhaseRepeat::kSequential);
  EXPECT_EQ(job_.model.types[read].repeat, PhaseRepeat::kConcurrent);
  EXPECT_EQ(job_.model.types[write].repeat, PhaseRepeat::kOnce);
  EXPECT_EQ(job_.model.types[read].place, PhasePlace::kThread);
  EXPECT_THAT(job_.model.types[write].after, ElementsAre(read));
  EXPECT_THAT(job_.model.types[poll].after, IsEmpty()) << "once it came before the write ended";
  EXPECT_EQ(job_.model.rules.size(), job_.model.types.size() * job_.model.resources.size());
}

TEST_F(PhaseTree, KeepsTheOrderThatTheLogTellsAmongSiblingsThatBeganEarlier) {
  const uint32_t one = collector_.Add(Mark("/Job/Step", {{"1"}}), 0, 50);
  const uint32_t two = collector_.Add(Mark("/Job/Step", {{"2"}}), 50, 90);
  collector_.SetAfter(two, {one, one});
  collector_.SetAfter(one, {two});  // would be a circle
  Tree();
  EXPECT_THAT(job_.phases[2].after, ElementsAre(1));
  EXPECT_THAT(job_.phases[1].after, IsEmpty());
}

TEST_F(PhaseTree, BoundsHowManyTypesAreDiscovered) {
  const PhaseTypeId loose = collector_.types().Unique("Loose");
  PhaseTypeId last = 0;
  for (size_t i = 0; i < PhaseTypes::kMaxDiscovered + 10; ++i)
    last = collector_.types().ChildOrNew(loose, absl::StrCat("request ", i));
  EXPECT_EQ(collector_.types()[last].name, "other");
  EXPECT_EQ(tally_.Value("phase_types_over_limit"), 10u);
  PhaseTypeId deep = loose;
  while (deep != kNoId) deep = collector_.types().ChildOrNew(deep, "other");
  EXPECT_LT(collector_.types().size(), PhaseTypes::kMaxDiscovered + 100);
}

TEST_F(PhaseTree, GivesMeasurementsTheTimeSinceTheOneBefore) {
  MeasuredResources& resources = collector_.resources();
  const ResourceId cpu = resources.Instance(0, "cpu", "n1");
  for (const uint64_t time : {300, 200, 400, 400}) resources.AddMeasurement(cpu, time, 1, 4);
  const ResourceId lone = resources.Instance(0, "cpu", "n2");
  resources.AddMeasurement(lone, 100, 1, 0);
  resources.AddMeasurement(lone, 100, -1, 0);
  resources.AddSample(lone, {100, 200, 2}, 0);
  resources.AddSample(lone, {150, 250, 2}, 0);
  collector_.Add(Mark("/Job"), 0, 40);
  Tree();
  ASSERT_EQ(job_.resources.size(), 2u);
  EXPECT_EQ(job_.resources[0].capacity, 4);
  std::vector<std::pair<uint64_t, uint64_t>> intervals;
  for (const ResourceSample& sample : job_.samples[0])
    intervals.emplace_back(sample.start_ns, sample.end_ns);
  EXPECT_THAT(intervals,
              ElementsAre(std::pair(100, 200), std::pair(200, 300), std::pair(300, 400)));
  EXPECT_EQ(job_.samples[1].size(), 1u);
  EXPECT_THAT(Counted(),
              ElementsAre("resource_samples_malformed 2", "resource_samples_overlapping 2"));
}

}  // namespace
}  // namespace gordian
