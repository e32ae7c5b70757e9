// SPDX-License-Identifier: Apache-2.0
// The analysis of clusters whose truth is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "bench/simulated_cluster.h"
#include "nodes/joined_nodes.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

struct SimulatedRun {
  SimulatedTruth truth;
  std::vector<SimulatedHandOver> hand_overs;
  std::unique_ptr<Analysis> analysis;
};

class SimulatedClusters : public ::testing::Test {
 protected:
  SimulatedRun Analyze(const SimulatedShape& shape, const std::vector<std::string>& comms = {}) {
    const std::string folder = absl::StrCat(dir_ / "run", runs_++);
    SimulatedRun run;
    auto truth = GenerateSimulatedCluster(shape, folder);
    EXPECT_TRUE(truth.ok()) << truth.status();
    run.truth = *std::move(truth);
    run.hand_overs = *ReadHandOvers(folder);
    AnalysisOptions options;
    options.target.comms = comms;
    options.threads = 1;
    auto analysis = Analysis::Run(folder, options);
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    run.analysis = std::make_unique<Analysis>(*std::move(analysis));
    return run;
  }

  testing::TempDir dir_;
  int runs_ = 0;
};

// How the waits that ended by packets of other services' threads were told.
struct NamedSenders {
  uint64_t right = 0;
  uint64_t wrong = 0;
  uint64_t unknown = 0;
};

using ThreadOnNode = std::pair<int, int32_t>;

int NumberOf(const std::string& node) { return std::stoi(node.substr(1)); }

uint64_t ShownAt(const SimulatedRun& run, int node, uint64_t true_ns) {
  return static_cast<uint64_t>(static_cast<int64_t>(true_ns) - run.truth.OffsetAt(node, true_ns));
}

// Who ended the wait that ended then: of one that is cut, the first part's.
struct ToldWait {
  EntityId first = kNobody;
};

ToldWait WaitUntil(const Timeline& timeline, EntityId thread, uint64_t woken_ns) {
  constexpr uint64_t kRoundedNs = 16;  // clocks are computed in different ways
  ToldWait wait;
  const uint64_t from_ns = woken_ns - 20'000'000;  // longer than any wait
  bool is_waiting = false;
  for (auto at = timeline.SegmentsFrom(thread, from_ns); !at.done(); at.Next()) {
    if (at.segment().kind != SegmentKind::kWait) {
      is_waiting = false;
      continue;
    }
    if (!std::exchange(is_waiting, true)) wait.first = at.segment().waker;
    if (at.end_ns() + kRoundedNs < woken_ns) continue;
    if (at.end_ns() <= woken_ns + kRoundedNs) return wait;
    break;
  }
  return {};
}

// Of each wait that truth tells of: whether the timeline names the thread that sent the packet. A
// wait all of which is for the way names no thread, but then its link's node is the sender's.
NamedSenders Compare(const SimulatedRun& run) {
  const Timeline& timeline = run.analysis->timeline();
  const JoinedNodes& joined = *run.analysis->nodes();
  std::map<ThreadOnNode, EntityId> threads;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& entity = timeline.entities()[id];
    threads[{NumberOf(timeline.nodes()[entity.node]), entity.tid}] = id;
  }
  std::map<EntityId, uint32_t> sender_of_link;
  for (const NodeLink& link : joined.links) sender_of_link[link.entity] = link.from;
  NamedSenders named;
  for (const SimulatedHandOver& row : run.hand_overs) {
    const auto receiver = threads.find({row.receiver_node, row.receiver_tid});
    const auto sender = threads.find({row.sender_node, row.sender_tid});
    const uint32_t node = timeline.entities()[receiver->second].node;
    const uint64_t woken_ns =
        joined.clocks[node].ToReference(ShownAt(run, row.receiver_node, row.woken_ns));
    const ToldWait wait = WaitUntil(timeline, receiver->second, woken_ns);
    const auto link = sender_of_link.find(wait.first);
    const bool is_right = link == sender_of_link.end()
                              ? sender != threads.end() && wait.first == sender->second
                              : NumberOf(timeline.nodes()[link->second]) == row.sender_node;
    const bool is_wrong =
        wait.first != kNobody && wait.first < timeline.thread_count() && !is_right;
    named.right += is_right;
    named.wrong += is_wrong;
    named.unknown += !is_right && !is_wrong;
  }
  return named;
}

// Sums of ended waits by service, as the timeline has them.
std::map<std::string, SimulatedWaits> SumsOf(const SimulatedRun& run) {
  const Timeline& timeline = run.analysis->timeline();
  std::map<std::string, SimulatedWaits> sums;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& thread = timeline.entities()[id];
    SimulatedWaits& own = sums[thread.process_name];
    for (auto at = timeline.SegmentsFrom(id, 0); !at.done(); at.Next()) {
      const EntityId waker = at.segment().waker;
      if (at.segment().kind != SegmentKind::kWait || waker == kNobody) continue;
      const uint64_t length_ns = at.end_ns() - at.start_ns();
      const Entity& other = timeline.entities()[waker];
      if (other.kind == EntityKind::kDisk) {
        own.for_disk_ns += length_ns;
      } else if (waker < timeline.thread_count() && other.tgid == thread.tgid) {
        own.for_lock_ns += length_ns;
      } else {
        own.for_caller_ns += length_ns;  // callers, callees and the way
      }
    }
  }
  return sums;
}

void ExpectNear(uint64_t told_ns, uint64_t true_ns, const std::string& what) {
  EXPECT_NEAR(static_cast<double>(told_ns), static_cast<double>(true_ns),
              0.01 * static_cast<double>(true_ns) + 1e5)
      << what;
}

// Whether each node's clock, as the analysis has it, is within its bound of the truth.
void ExpectClocksAreTrue(const SimulatedRun& run) {
  const JoinedNodes& joined = *run.analysis->nodes();
  for (size_t i = 0; i < joined.nodes.size(); ++i) {
    const JoinedNode& node = joined.nodes[i];
    const int number = NumberOf(node.name);
    for (uint64_t step = 0; step <= 64; ++step) {
      const uint64_t true_ns =
          kSimulatedStartNs + (run.truth.end_ns - kSimulatedStartNs) * step / 64;
      const uint64_t shown_ns = ShownAt(run, number, true_ns);
      const auto off_ns = static_cast<int64_t>(joined.clocks[i].ToReference(shown_ns) - true_ns);
      EXPECT_LE(std::abs(off_ns), static_cast<int64_t>(node.bound_ns) + 2)
          << node.name << " at " << true_ns;
    }
  }
}

uint64_t CountOf(const SimulatedRun& run, const std::string& name) {
  for (const pb::ReportCounter& counter : run.analysis->report().counters()) {
    if (counter.name() != name) continue;
    EXPECT_FALSE(counter.advice().empty()) << name;
    return counter.value();
  }
  return 0;
}

const std::string& TitleOf(const SimulatedRun& run) {
  static const std::string kNone;
  const pb::Report& report = run.analysis->report();
  return report.findings().empty() ? kNone : report.findings(0).title();
}

TEST_F(SimulatedClusters, TheLockOfAServiceIsFound) {
  const SimulatedRun run = Analyze({.nodes = 6, .events_per_node = 20'000});
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "cart-*")) << TitleOf(run);
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "hold each other up")) << TitleOf(run);
}

TEST_F(SimulatedClusters, TheDiskOfTheLastServiceIsFound) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 20'000, .limit = SimulatedLimit::kDisk});
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "sda is saturated")) << TitleOf(run);
}

TEST_F(SimulatedClusters, TheCpusOfAServiceAreFound) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 20'000, .limit = SimulatedLimit::kCpu});
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "cart-*")) << TitleOf(run);
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "get no CPU")) << TitleOf(run);
}

TEST_F(SimulatedClusters, AnotherServiceIsFoundWhereItIsTheLimit) {
  const SimulatedRun run =
      Analyze({.nodes = 8, .events_per_node = 20'000, .services = 4, .limit_service = 2});
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "stock-*")) << TitleOf(run);
}

TEST_F(SimulatedClusters, EachPacketWaitNamesItsSenderAndClocksAreTrue) {
  const SimulatedRun run = Analyze({.nodes = 9, .events_per_node = 10'000, .seed = 7});
  const NamedSenders named = Compare(run);
  EXPECT_GT(named.right, 1000U);
  EXPECT_EQ(named.wrong, 0U);
  EXPECT_EQ(named.unknown, 0U);
  const MatchedWaits& waits = run.analysis->nodes()->waits;
  EXPECT_EQ(waits.matched, waits.waits);
  ExpectClocksAreTrue(run);
}

TEST_F(SimulatedClusters, SumsOfWaitsAreTrue) {
  const SimulatedRun run = Analyze({.nodes = 6, .events_per_node = 20'000, .seed = 5});
  std::map<std::string, SimulatedWaits> sums = SumsOf(run);
  for (size_t i = 0; i < run.truth.waits.size(); ++i) {
    const std::string& service = run.truth.service_names[i];
    const SimulatedWaits& truth = run.truth.waits[i];
    const SimulatedWaits& told = sums[service];
    ExpectNear(told.for_lock_ns, truth.for_lock_ns, service + " for locks");
    ExpectNear(told.for_disk_ns, truth.for_disk_ns, service + " for disks");
    ExpectNear(told.for_caller_ns, truth.for_caller_ns + truth.for_callee_ns + truth.on_way_ns,
               service + " for packets");
  }
}

TEST_F(SimulatedClusters, PacketsThatTheKernelSentAgainNameTheThread) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 10'000, .disturbances = {.packets_lost = 0.02}});
  const NamedSenders named = Compare(run);
  EXPECT_EQ(named.wrong, 0U);
  EXPECT_EQ(named.unknown, 0U);
  ExpectClocksAreTrue(run);
}

TEST_F(SimulatedClusters, LostRecordsAreCountedAndBlameNobody) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 20'000, .disturbances = {.losing = {2, 4}}});
  EXPECT_GT(run.truth.lost, 0U);
  EXPECT_EQ(CountOf(run, "records_lost_switch") + CountOf(run, "records_lost_wake") +
                CountOf(run, "records_lost_net_send") + CountOf(run, "records_lost_net_receive") +
                CountOf(run, "records_lost_block_issue") +
                CountOf(run, "records_lost_block_complete"),
            run.truth.lost);
  const NamedSenders named = Compare(run);
  EXPECT_GT(named.right, 50 * (named.unknown + named.wrong) / 3);
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "cart-*")) << TitleOf(run);
}

TEST_F(SimulatedClusters, PausesAreToldAndTheRestIsJoined) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 60'000, .disturbances = {.pausing = {1}}});
  EXPECT_GT(run.analysis->report().recording().pauses(), 0U);
  const MatchedWaits& waits = run.analysis->nodes()->waits;
  EXPECT_GT(waits.matched, waits.waits * 9 / 10);
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "cart-*")) << TitleOf(run);
}

TEST_F(SimulatedClusters, ANodeWithoutARecordingIsTheOutside) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 20'000, .disturbances = {.absent = {5}}});
  EXPECT_EQ(run.analysis->nodes()->nodes.size(), 5U);
  const MatchedWaits& waits = run.analysis->nodes()->waits;
  EXPECT_EQ(CountOf(run, "messages_from_outside"), waits.waits - waits.matched);
  EXPECT_GT(waits.matched, waits.waits / 2);
  ExpectClocksAreTrue(run);
}

TEST_F(SimulatedClusters, ReplacedAddressesAreToldAndRacksAreJoinedWithin) {
  // Racks of four: nodes 0 to 3 and 4 to 7. The second service is on both sides of the border.
  const SimulatedRun run =
      Analyze({.nodes = 8, .events_per_node = 20'000, .disturbances = {.nodes_per_rack = 4}});
  const MatchedWaits& waits = run.analysis->nodes()->waits;
  EXPECT_GT(waits.matched, 0U);
  EXPECT_GT(CountOf(run, "messages_from_outside"), 0U);
  EXPECT_EQ(CountOf(run, "messages_from_outside"), waits.waits - waits.matched);
  ExpectClocksAreTrue(run);
}

TEST_F(SimulatedClusters, AWrongClockIsNamedAndItsNodeIsJoined) {
  const SimulatedRun run =
      Analyze({.nodes = 9, .events_per_node = 10'000, .disturbances = {.wrong_clocks = {4}}});
  EXPECT_EQ(CountOf(run, "nodes_with_wrong_clock"), 1U);
  const JoinedNodes& joined = *run.analysis->nodes();
  for (const JoinedNode& node : joined.nodes) {
    EXPECT_EQ(node.is_clock_measured, node.name != "n0004") << node.name;
    EXPECT_EQ(node.contradictions > 0, node.name == "n0004") << node.name;
  }
  EXPECT_EQ(joined.waits.matched, joined.waits.waits);
  const NamedSenders named = Compare(run);
  EXPECT_EQ(named.wrong, 0U);
  EXPECT_EQ(named.unknown, 0U);
  ExpectClocksAreTrue(run);
}

TEST_F(SimulatedClusters, AnOlderRecordersNodeIsPlacedByItsMessages) {
  const SimulatedRun run =
      Analyze({.nodes = 6, .events_per_node = 20'000, .disturbances = {.old = {3}}});
  EXPECT_EQ(CountOf(run, "nodes_without_clock"), 1U);
  EXPECT_EQ(CountOf(run, "nodes_with_wrong_clock"), 0U);
  EXPECT_EQ(CountOf(run, "nodes_of_other_versions"), 1U);
  const MatchedWaits& waits = run.analysis->nodes()->waits;
  EXPECT_EQ(waits.matched, waits.waits);
  ExpectClocksAreTrue(run);
}

TEST_F(SimulatedClusters, AllDisturbancesAtOnceAreTold) {
  const SimulatedRun run = Analyze(
      {.nodes = 12,
       .threads = 600,
       .events_per_node = 50'000,
       .disturbances = {
           .pausing = {1}, .losing = {2, 3}, .wrong_clocks = {11}, .absent = {10}, .old = {9}}});
  EXPECT_GT(run.analysis->report().recording().pauses(), 0U);
  for (const char* name : {"records_lost_switch", "nodes_with_wrong_clock", "nodes_without_clock",
                           "messages_from_outside"})
    EXPECT_GT(CountOf(run, name), 0U) << name;
  EXPECT_TRUE(absl::StrContains(TitleOf(run), "cart-*")) << TitleOf(run);
}

TEST_F(SimulatedClusters, ASeedMakesTheSameCluster) {
  const SimulatedShape shape{.nodes = 4, .events_per_node = 5'000, .seed = 3};
  const SimulatedRun one = Analyze(shape);
  const SimulatedRun other = Analyze(shape);
  EXPECT_EQ(one.truth.end_ns, other.truth.end_ns);
  EXPECT_EQ(one.hand_overs.size(), other.hand_overs.size());
  EXPECT_EQ(one.analysis->report().findings(0).SerializeAsString(),
            other.analysis->report().findings(0).SerializeAsString());
}

TEST_F(SimulatedClusters, ShapesThatCannotBeAreRefused) {
  EXPECT_TRUE(
      absl::IsInvalidArgument(GenerateSimulatedCluster({.nodes = 0}, dir_ / "none").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      GenerateSimulatedCluster({.disturbances = {.absent = {0}}}, dir_ / "none").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      GenerateSimulatedCluster({.services = 3, .limit_service = 3}, dir_ / "none").status()));
}

}  // namespace
}  // namespace gordian
