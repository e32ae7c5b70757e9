// SPDX-License-Identifier: Apache-2.0
#include "analyzer/graph/similar_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <span>

#include "analyzer/graph/code_similarity.h"
#include "analyzer/graph/thresholds.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr int32_t kProcess = 100;

CodeProfile Code(std::vector<CodeProfile::Share> shares, uint64_t samples = 100, double named = 1) {
  return {.shares = std::move(shares), .samples = samples, .named = named};
}
const std::vector<CodeProfile::Share> kServes = {{1, 0.7}, {2, 0.3}};
const std::vector<CodeProfile::Share> kServesBusily = {{1, 0.3}, {2, 0.7}};
const std::vector<CodeProfile::Share> kWaitsToServe = {{1, 1}};
const std::vector<CodeProfile::Share> kFlushes = {{3, 0.5}, {4, 0.5}};

// Threads of one process, and the groups they become.
class Threads {
 public:
  Threads& Add(const std::string& name, const CodeProfile& code = {}, uint64_t run_ns = 0) {
    Entity entity;
    entity.name = name;
    entity.process_name = "program";
    entity.tgid = kProcess;
    entity.tid = kProcess + static_cast<int32_t>(graph_.entities.size());
    entity.end_ns = 10 * kSecondNs;
    entity.run_ns = run_ns;
    entity.wait_ns = entity.end_ns - run_ns;
    graph_.entities.push_back(entity);
    codes_.push_back(code);
    return *this;
  }
  // "name: members"
  std::vector<std::string> Groups(bool with_code = true) {
    std::vector<EntityId> candidates(graph_.entities.size());
    for (EntityId id = 0; id < candidates.size(); ++id) candidates[id] = id;
    notes.clear();
    std::vector<std::string> groups;
    GraphOptions options;
    if (with_code) options.code_profiles = codes_;
    if (!run_in_halves_.empty()) {
      options.halves = [this](std::span<const EntityId> ids) {
        std::vector<std::array<ThreadTimes, 2>> halves;
        for (const EntityId id : ids) halves.push_back(run_in_halves_.at(id));
        return halves;
      };
    }
    for (const SimilarThreads& similar : FindSimilarThreads(graph_, candidates, options, notes)) {
      groups.push_back(similar.name + ":");
      for (const EntityId id : similar.members) groups.back() += " " + std::to_string(id);
    }
    return groups;
  }
  std::vector<MergeNote> notes;

  // `from` waits for `to` for so long. In order of `from`, then of `to`.
  Threads& Wait(EntityId from, EntityId to, double seconds) {
    const auto ns = static_cast<uint64_t>(seconds * kSecondNs);
    graph_.edges.push_back({.from = from, .to = to, .weight_ns = ns, .own_ns = ns, .count = 100});
    return *this;
  }

  // Runs for these shares of the even and the odd eighths; waits for no thread.
  Threads& AddInHalves(const std::string& name, double even, double odd) {
    Add(name, {}, static_cast<uint64_t>((even + odd) / 2 * 10 * kSecondNs));
    std::array<ThreadTimes, 2>& halves =
        run_in_halves_[static_cast<EntityId>(graph_.entities.size() - 1)];
    for (ThreadTimes& half : halves) half.life_ns = 5 * kSecondNs;
    halves[0].run_ns = static_cast<uint64_t>(even * 5 * kSecondNs);
    halves[1].run_ns = static_cast<uint64_t>(odd * 5 * kSecondNs);
    return *this;
  }

 private:
  WaitForGraph graph_;
  std::vector<CodeProfile> codes_;
  std::map<EntityId, std::array<ThreadTimes, 2>> run_in_halves_;
};

Threads Pool() {
  Threads threads;
  threads.Add("program");  // 0: the first thread of the process
  return threads;
}

TEST(CodeSimilarity, IsTheIntersectionAndTheOverlap) {
  EXPECT_DOUBLE_EQ(EqualShare(Code(kServes), Code(kServes)), 1);
  EXPECT_DOUBLE_EQ(EqualShare(Code(kServes), Code(kServesBusily)), 0.6);
  EXPECT_DOUBLE_EQ(EqualShare(Code(kServes), Code(kFlushes)), 0);
  EXPECT_DOUBLE_EQ(EqualShare(Code({}), Code(kFlushes)), 0);
  EXPECT_DOUBLE_EQ(OverlapOf(Code(kWaitsToServe), Code(kServesBusily)), 1);
  EXPECT_DOUBLE_EQ(OverlapOf(Code({{1, 0.1}, {3, 0.9}}), Code({{1, 0.15}, {2, 0.85}})), 0.15);
}

TEST(CodeSimilarity, OfTwoDrawsFromTheSameIsNearlyEqual) {
  std::mt19937 random(1);
  std::discrete_distribution<uint32_t> places{50, 30, 15, 5};
  int nearly_equal = 0;
  for (int round = 0; round < 1000; ++round) {
    CodeProfile drawn[2];
    for (CodeProfile& profile : drawn) {
      std::vector<double> counts(4);
      for (int sample = 0; sample < 200; ++sample) counts[places(random)] += 1.0 / 200;
      for (uint32_t place = 0; place < 4; ++place) profile.shares.push_back({place, counts[place]});
      profile.samples = 200;
      profile.named = 1;
    }
    nearly_equal += AreNearlyEqual(drawn[0], drawn[1]);
    EXPECT_FALSE(ClearlyDiffer(drawn[0], drawn[1]));
  }
  EXPECT_GT(nearly_equal, 990);
}

TEST(CodeSimilarity, AddsUpByNumbersOfSamples) {
  CodeProfile sum;
  Add(Code(kWaitsToServe, 100), sum);
  Add(Code(kFlushes, 300, 0.6), sum);
  EXPECT_EQ(sum.samples, 400u);
  EXPECT_DOUBLE_EQ(sum.named, 0.7);
  ASSERT_EQ(sum.shares.size(), 3u);
  EXPECT_DOUBLE_EQ(sum.shares[0].share, 0.25);
  EXPECT_DOUBLE_EQ(sum.shares[2].share, 0.375);
}

TEST(SimilarThreads, OfOneNameAreOneHoweverBusyEachIs) {
  Threads threads = Pool();
  threads.Add("worker-1", Code(kServes)).Add("worker-2", Code(kServesBusily));
  threads.Add("worker-3", Code(kWaitsToServe));
  EXPECT_THAT(threads.Groups(), ElementsAre("worker-*: 1 2 3"));
}

TEST(SimilarThreads, OfOneNameAreKeptApartWhereTheirCodeHasNothingInCommon) {
  Threads threads = Pool();
  threads.Add("pool-1", Code(kServes)).Add("pool-2", Code(kFlushes)).Add("pool-3", Code(kServes));
  threads.Add("pool-4", Code(kFlushes));
  EXPECT_THAT(threads.Groups(), ElementsAre("pool-*: 1 3", "pool-*: 2 4"));
  ASSERT_FALSE(threads.notes.empty());
  EXPECT_FALSE(threads.notes[0].merged);
  EXPECT_EQ(threads.notes[0].text,
            "pool-1/101 (and 1 like it) and pool-2/102 (and 1 like it) are named alike and kept "
            "apart: 0 % of their time is spent in code they have in common");
}

TEST(SimilarThreads, WithTooFewSamplesGoByTheirNames) {
  Threads threads = Pool();
  threads.Add("pool-1", Code(kServes)).Add("pool-2", Code(kFlushes, kFewestCodeSamples - 1));
  threads.Add("pool-3");
  EXPECT_THAT(threads.Groups(), ElementsAre("pool-*: 1 2 3"));
}

TEST(SimilarThreads, WhoseStacksShowLibrariesOnlyGoByTheirNames) {
  Threads threads = Pool();
  threads.Add("pool-1", Code(kServes, 100, 0.4)).Add("pool-2", Code(kFlushes, 100, 0.4));
  threads.Add("alpha", Code(kServes, 100, 0.4)).Add("beta", Code(kServes, 100, 0.4));
  EXPECT_THAT(threads.Groups(), ElementsAre("pool-*: 1 2"));
}

TEST(SimilarThreads, OfDifferentNamesAreOneWhereTheirCodeIsNearlyEqual) {
  Threads threads;
  threads.Add("program", Code(kServes));  // the first thread stays itself
  threads.Add("reader", Code(kServes)).Add("writer", Code({{1, 0.65}, {2, 0.35}}));
  threads.Add("flusher", Code(kFlushes)).Add("other", Code(kServesBusily));
  EXPECT_THAT(threads.Groups(), ElementsAre("reader+writer: 1 2"));
  ASSERT_EQ(threads.notes.size(), 2u);
  EXPECT_TRUE(threads.notes[0].merged);
  EXPECT_THAT(threads.notes[0].text, HasSubstr("reader and writer are drawn together: 95 %"));
}

TEST(SimilarThreads, ThatNobodyNamedAreOneByTheirTimeOrTheirCode) {
  Threads threads;
  threads.Add("program", {}, 0);
  threads.Add("program", Code(kServes), 9 * kSecondNs).Add("program", Code(kServes), 1 * kSecondNs);
  threads.Add("program", Code(kFlushes), 9 * kSecondNs);
  // Without code: by time alone.
  EXPECT_THAT(threads.Groups(false), ElementsAre("program: 0 2", "program: 1 3"));
  EXPECT_TRUE(threads.notes.empty());
  // With it: the first of the two leads, and has a busier time than 0, of whose code nothing is
  // known.
  EXPECT_THAT(threads.Groups(), ElementsAre("program: 1 2"));
}

// Ten thousand threads, each with code of its own: a comparison of all pairs would take minutes.
TEST(SimilarThreads, AreFoundAmongManyThatAllDiffer) {
  Threads threads = Pool();
  for (uint32_t i = 0; i < 10'000; ++i)
    threads.Add("worker-1", Code({{i, 0.5}, {i + 20'000, 0.5}}));
  EXPECT_TRUE(threads.Groups().empty());
}

TEST(SimilarThreads, WithoutNamesAreToldApartByTheRolesTheyKeep) {
  Threads threads;
  threads.AddInHalves("server", 0.9, 0.8).AddInHalves("server", 0.1, 0.2);
  threads.AddInHalves("server", 0.85, 0.9).AddInHalves("server", 0.2, 0.1);
  EXPECT_THAT(threads.Groups(), ElementsAre("server: 0 2", "server: 1 3"));
}

TEST(SimilarThreads, ThatTakeTurnsAreOne) {
  // A lock that is given in order of arrival: each waits for the one before.
  Threads threads;
  threads.Add("server", {}, kSecondNs).Add("server", {}, kSecondNs).Add("server", {}, kSecondNs);
  threads.Add("server", {}, kSecondNs);
  threads.Wait(0, 3, 8).Wait(1, 0, 8).Wait(2, 0, 1).Wait(2, 1, 7).Wait(3, 2, 8);
  EXPECT_THAT(threads.Groups(), ElementsAre("server: 0 1 2 3"));
}

TEST(SimilarThreads, ThatTakeTurnsAreOneIfTwoChangedPlaces) {
  // First 4, 3, 2, 1, 0 in turn, and then 4, 2, 3, 1, 0: only 1, 2 and 3 wait for another one.
  Threads threads;
  for (int i = 0; i < 5; ++i) threads.Add("server", {}, kSecondNs);
  threads.Wait(0, 4, 8).Wait(1, 0, 8).Wait(2, 1, 5).Wait(2, 3, 3).Wait(3, 1, 3).Wait(3, 2, 5);
  threads.Wait(4, 2, 3).Wait(4, 3, 5);
  EXPECT_THAT(threads.Groups(), ElementsAre("server: 0 1 2 3 4"));
}

TEST(SimilarThreads, OfStagesThatWaitBothWaysAreNoRing) {
  // Each waits for what comes in and for room behind it; the ends for one side only.
  Threads threads;
  for (int i = 0; i < 4; ++i) threads.Add("stage", {}, kSecondNs);
  threads.Wait(0, 1, 8).Wait(1, 0, 4).Wait(1, 2, 4).Wait(2, 1, 4).Wait(2, 3, 4).Wait(3, 2, 8);
  EXPECT_THAT(threads.Groups(), ElementsAre("stage: 1 2"));
}

TEST(SimilarThreads, ThatTakeTurnsAreKeptApartWhereTheirCodeHasNothingInCommon) {
  Threads threads;
  threads.Add("server", Code(kServes)).Add("server", Code(kFlushes)).Add("server", Code({{5, 1}}));
  threads.Wait(0, 2, 9).Wait(1, 0, 9).Wait(2, 1, 9);
  EXPECT_TRUE(threads.Groups().empty());
}

TEST(SimilarThreads, OfAChainAreNoRing) {
  // The last stage waits for nobody of its name, and a pair has roles.
  Threads threads;
  threads.Add("stage").Add("stage").Add("stage").Add("stage", {}, 10 * kSecondNs);
  threads.Wait(0, 1, 9).Wait(1, 2, 9).Wait(2, 3, 9);
  EXPECT_TRUE(threads.Groups().empty());
  Threads pair;
  pair.Add("peer").Add("peer").Wait(0, 1, 9).Wait(1, 0, 9);
  EXPECT_TRUE(pair.Groups().empty());
}

TEST(SimilarThreads, ThatWaitForARingHaveAPlaceOfTheirOwn) {
  Threads threads;
  threads.Add("server", {}, kSecondNs).Add("server", {}, kSecondNs).Add("server", {}, kSecondNs);
  threads.Add("server");  // behind the ring
  threads.Wait(0, 2, 8).Wait(1, 0, 8).Wait(2, 1, 8).Wait(3, 0, 9);
  EXPECT_THAT(threads.Groups(), ElementsAre("server: 0 1 2"));
}

TEST(SimilarThreads, ThatStandInForEachOtherAreOne) {
  // Each works while another one rests, by turns that differ from part to part.
  Threads threads;
  threads.AddInHalves("server", 0.9, 0.2).AddInHalves("server", 0.1, 0.3);
  threads.AddInHalves("server", 0.8, 0.6).AddInHalves("server", 0.2, 0.9);
  EXPECT_THAT(threads.Groups(), ElementsAre("server: 0 1 2 3"));
}

TEST(SimilarThreads, ThatStandInForEachOtherLeaveThoseWithARoleAlone) {
  Threads threads;
  threads.AddInHalves("server", 1, 1);  // a collector, say
  threads.AddInHalves("server", 0.6, 0.1).AddInHalves("server", 0.1, 0.3);
  threads.AddInHalves("server", 0.1, 0.6);
  EXPECT_THAT(threads.Groups(), ElementsAre("server: 1 2 3"));
}

}  // namespace
}  // namespace gordian
