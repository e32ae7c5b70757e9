// SPDX-License-Identifier: Apache-2.0
// An analysis by many ranks says what one of one process says, to the last byte.
#include "mpi/rank_analysis.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/cluster_generator.h"
#include "bench/simulated_cluster.h"
#include "mpi/thread_wires.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

struct Outcome {
  absl::Status status;
  std::string page;
  std::string report;
  std::vector<std::string> lines;  // of units

  size_t Count(const std::string& what) const {
    size_t count = 0;
    for (const std::string& line : lines) count += line.find(what) != std::string::npos ? 1 : 0;
    return count;
  }
};

struct Way {
  int ranks = 1;
  uint32_t seed = 0;
  bool own_folders = false;                   // as on machines of their own
  std::vector<std::string> directories = {};  // by rank; empty: all see the same
  bool needs_flights = true;
  uint64_t unit_recording_bytes = 0;  // 0: each node is a unit of its own
};

// All nodes of these recordings are one unit.
constexpr uint64_t kTogetherBytes = 64 << 20;

class RankAnalysisTest : public ::testing::Test {
 protected:
  void Generate(const ClusterShape& shape) {
    recording_ = dir_ / ("recording" + std::to_string(++recordings_));
    const auto made = GenerateCluster(shape, recording_);
    ASSERT_TRUE(made.ok()) << made.status();
  }

  std::string Expected(const AnalysisOptions& options = {}) const {
    const auto analysis = Analysis::Run(recording_, options);
    EXPECT_TRUE(analysis.ok()) << analysis.status();
    return analysis.ok() ? analysis->Page().SerializeAsString() : "";
  }

  RankRequest RequestOf(const AnalysisOptions& options) const {
    RankRequest request{.program = "test", .directory = recording_, .analysis = options};
    request.analysis.threads = 1;
    return request;
  }

  WorkFolder Folder(const Way& way, const std::string& work, int rank) const {
    auto folder =
        WorkFolder::Open(dir_ / (way.own_folders ? work + std::to_string(rank) : work), 1);
    EXPECT_TRUE(folder.ok()) << folder.status();
    return *std::move(folder);
  }

  Outcome Run(const Way& way, const AnalysisOptions& options = {},
              const std::string& work = "work") const {
    Outcome outcome;
    auto wires = ThreadWires(way.ranks);
    std::vector<std::jthread> others;
    for (int rank = 1; rank < way.ranks; ++rank) {
      others.emplace_back([&, rank] {
        Ranks ranks(std::move(wires[static_cast<size_t>(rank)]), {});
        RankRequest request = RequestOf(options);
        if (!way.directories.empty())
          request.directory = way.directories[static_cast<size_t>(rank)];
        const absl::Status status = ServeRankZero(ranks, Folder(way, work, rank), request);
        EXPECT_TRUE(status.ok()) << status;
      });
    }
    RankRequest request = RequestOf(options);
    if (!way.directories.empty()) request.directory = way.directories.front();
    request.needs_flights = way.needs_flights;
    request.unit_recording_bytes = way.unit_recording_bytes;
    request.crew = {.tell = [&](const std::string& line) { outcome.lines.push_back(line); },
                    .seed = way.seed};
    Ranks ranks(std::move(wires[0]), {});
    outcome.status =
        AnalyzeOnRanks(ranks, Folder(way, work, 0), request, [&](const Analysis& analysis) {
          outcome.report = analysis.report().SerializeAsString();
          outcome.page = analysis.Page().SerializeAsString();
          return absl::OkStatus();
        });
    return outcome;
  }

  const testing::TempDir dir_;
  std::string recording_;
  int recordings_ = 0;
};

ClusterShape SmallCluster(uint32_t seed, int nodes = 4) {
  return {
      .events = 60'000,
      .nodes = nodes,
      .cpus_per_node = 2,
      .groups = 9,
      .packets_lost_percent = 3,
      .sends_unrecorded_percent = 2,
      .outside_percent = 10,
      .clocks = {{}, {.skew_ns = 7'000'000, .drift_ppm = 20, .error_ns = 900, .bound_ns = 2'000}},
      .events_per_block = 512,
      .seed = seed};
}

TEST_F(RankAnalysisTest, SaysWhatOneProcessSays) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    Generate(SmallCluster(static_cast<uint32_t>(ranks), 1 + ranks % 5));
    const Outcome outcome = Run({.ranks = ranks,
                                 .seed = static_cast<uint32_t>(100 + ranks),
                                 .unit_recording_bytes = ranks % 2 == 0 ? 100'000u : 0},
                                {}, "work" + std::to_string(ranks));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.page, Expected()) << ranks;
  }
}

TEST_F(RankAnalysisTest, SaysItForAllOptions) {
  Generate(SmallCluster(21));
  const std::vector<std::function<void(AnalysisOptions&)>> changes = {
      [](AnalysisOptions& o) { o.graph.no_merge = true; },
      [](AnalysisOptions& o) { o.graph.assume_false_wakeups = true; },
      [](AnalysisOptions& o) { o.target.nodes = {"n1"}; },
      [](AnalysisOptions& o) { o.finding.threshold = 0.01; },
      [](AnalysisOptions& o) { o.range = {.from_ns = 1'000'000, .to_ns = 9'000'000}; },
      [](AnalysisOptions& o) { o.predictions = FixOptions{.command = "gordian whatif x"}; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    AnalysisOptions options;
    changes[i](options);
    const Outcome outcome = Run({.ranks = 3, .seed = static_cast<uint32_t>(i + 1)}, options);
    ASSERT_TRUE(outcome.status.ok()) << i << ": " << outcome.status;
    EXPECT_EQ(outcome.page, Expected(options)) << i;
  }
}

// Neither text nor JSON asks for single messages; so rank 0 need not hold them.
TEST_F(RankAnalysisTest, SaysItWithoutSingleMessages) {
  Generate(SmallCluster(25));
  const auto alone = Analysis::Run(recording_);
  ASSERT_TRUE(alone.ok()) << alone.status();
  for (const char* how : {" made join", " found join"}) {
    const Outcome outcome = Run({.ranks = 3, .seed = 6, .needs_flights = false});
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.report, alone->report().SerializeAsString());
    EXPECT_EQ(outcome.Count(how), 1u);
  }
}

// What the others sweep they have opened while rank 0 put it together.
TEST_F(RankAnalysisTest, OpensTheTimelineOnEachRank) {
  Generate(SmallCluster(26));
  const Outcome outcome = Run({.ranks = 3});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.Count(" made opening"), 2u);
  EXPECT_EQ(outcome.Count("rank 2 made opening by rank 2"), 1u);
}

TEST_F(RankAnalysisTest, SaysItOfOneNode) {
  recording_ = dir_ / "alone";
  ASSERT_TRUE(GenerateAsOneNode(SmallCluster(31), recording_).ok());
  const Outcome outcome = Run({.ranks = 3, .own_folders = true});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.page, Expected());
}

TEST_F(RankAnalysisTest, SaysItIfNoFolderIsShared) {
  Generate(SmallCluster(41));
  const std::string expected = Expected();
  for (const uint64_t unit_recording_bytes : {uint64_t{0}, kTogetherBytes}) {
    const Outcome outcome = Run(
        {.ranks = 4, .seed = 3, .own_folders = true, .unit_recording_bytes = unit_recording_bytes},
        {}, "work" + std::to_string(unit_recording_bytes) + "of");
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.page, expected);
  }
}

TEST_F(RankAnalysisTest, MakesSmallNodesTogether) {
  Generate(SmallCluster(52));
  const std::string expected = Expected();
  for (const char* how : {" made ", " found "}) {
    const Outcome outcome =
        Run({.ranks = 2, .unit_recording_bytes = kTogetherBytes}, {}, "together");
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.page, expected);
    EXPECT_EQ(outcome.Count(how + std::string("settle n0 to n3")), 1u);
  }
  const Outcome apart = Run({.ranks = 2}, {}, "together");
  EXPECT_EQ(apart.Count(" made settle"), 4u);
  EXPECT_EQ(apart.page, expected);
}

// As on machines of their own: each rank sees its own node's recording, and no folder is shared.
TEST_F(RankAnalysisTest, GoesToTheData) {
  Generate(SmallCluster(45, 3));
  const std::string expected = Expected();
  const std::string whole = recording_;
  std::vector<std::string> own;
  for (int rank = 0; rank < 3; ++rank) {
    own.push_back(dir_ / ("machine" + std::to_string(rank)));
    std::filesystem::create_directory(own.back());
    std::filesystem::rename(whole + "/n" + std::to_string(rank),
                            own.back() + "/n" + std::to_string(rank));
  }
  const Way way{.ranks = 3, .own_folders = true, .directories = own};
  for (const char* how : {" made settle", " found settle"}) {
    const Outcome outcome = Run(way);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.page, expected);
    EXPECT_EQ(outcome.Count(how), 3u);
    EXPECT_EQ(outcome.Count("rank 2" + std::string(how) + " n2"), 1u);
  }
}

TEST_F(RankAnalysisTest, FindsWhatOtherRanksMade) {
  Generate(SmallCluster(51));
  const Outcome first = Run({.ranks = 2});
  EXPECT_GT(first.Count(" made sweep"), 4u);
  EXPECT_EQ(first.Count(" made settle"), 4u);
  EXPECT_EQ(first.Count(" made devices"), 4u);
  EXPECT_EQ(first.Count(" found"), 0u);
  for (const int ranks : {1, 3, 7}) {
    const Outcome again = Run({.ranks = ranks, .seed = 9});
    EXPECT_EQ(again.Count(" made "), 0u) << ranks;
    EXPECT_EQ(again.page, first.page);
  }
}

// A recording that changed is another one.
TEST_F(RankAnalysisTest, MakesAllAgainOfAChangedNode) {
  Generate(SmallCluster(61));
  Run({.ranks = 2});
  std::ofstream(recording_ + "/n1/cpu-000.trace", std::ios::app) << "more";
  const Outcome again = Run({.ranks = 2});
  EXPECT_EQ(again.Count(" made settle"), 1u);
  EXPECT_EQ(again.Count(" made join"), 1u);
  EXPECT_EQ(again.Count(" found sweep"), 0u);
  EXPECT_EQ(again.page, Expected());
}

TEST_F(RankAnalysisTest, MakesDamagedUnitsAgain) {
  Generate(SmallCluster(71));
  const std::string expected = Expected();
  std::mt19937 chance(7);
  for (int round = 0; round < 6; ++round) {
    const uint64_t unit_recording_bytes = round % 2 == 0 ? 0 : kTogetherBytes;
    ASSERT_TRUE(Run({.ranks = 2, .unit_recording_bytes = unit_recording_bytes}).status.ok());
    size_t damaged = 0;
    for (const auto& file : std::filesystem::directory_iterator(dir_ / "work")) {
      if (chance() % 3 != 0) continue;
      std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
      const auto at = static_cast<int64_t>(chance() % file.file_size());
      bytes.seekg(at);
      const char wrong = static_cast<char>(bytes.get() ^ 0x20);
      bytes.seekp(at);
      bytes.put(wrong);
      ++damaged;
    }
    ASSERT_GT(damaged, 0u);
    const Outcome again =
        Run({.ranks = 3, .seed = 5, .unit_recording_bytes = unit_recording_bytes});
    ASSERT_TRUE(again.status.ok()) << again.status;
    EXPECT_EQ(again.page, expected) << round;
  }
}

TEST_F(RankAnalysisTest, LeavesOutNodesThatCannotBeRead) {
  Generate(SmallCluster(81));
  std::ofstream(recording_ + "/n2/session.pb", std::ios::trunc) << "no session";
  std::filesystem::remove_all(recording_ + "/n1");
  std::filesystem::create_directory(recording_ + "/n1");
  std::filesystem::copy(recording_ + "/n0/session.pb", recording_ + "/n1/session.pb");
  const std::string expected = Expected();
  for (const uint64_t unit_recording_bytes : {uint64_t{0}, kTogetherBytes}) {
    const Outcome outcome =
        Run({.ranks = 3, .seed = 2, .unit_recording_bytes = unit_recording_bytes});
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.page, expected);
  }
}

TEST_F(RankAnalysisTest, EndsInOneLineIfThereIsNoRecording) {
  recording_ = dir_ / "nothing";
  const Outcome outcome = Run({.ranks = 3});
  EXPECT_TRUE(absl::IsNotFound(outcome.status)) << outcome.status;
  EXPECT_NE(outcome.status.message().find("rank 0"), std::string::npos) << outcome.status;
  EXPECT_EQ(outcome.status.message().find('\n'), std::string::npos);
}

TEST_F(RankAnalysisTest, EndsInOneLineIfNothingCanBeRead) {
  Generate(SmallCluster(91, 2));
  for (const char* node : {"/n0", "/n1"}) {
    for (const auto& file : std::filesystem::directory_iterator(recording_ + node))
      if (file.path().filename() != "session.pb") std::filesystem::remove_all(file.path());
  }
  const Outcome outcome = Run({.ranks = 2});
  const auto alone = Analysis::Run(recording_);
  EXPECT_FALSE(outcome.status.ok());
  EXPECT_EQ(outcome.status, alone.status());
}

TEST_F(RankAnalysisTest, EndsInOneLineIfAWorkFolderCannotBeUsed) {
  Generate(SmallCluster(93, 2));
  for (const int without : {0, 1}) {
    auto wires = ThreadWires(2);
    const auto folder_of = [&](int rank) {
      return rank == without ? WorkFolder::Open("/etc/hostname", 1)
                             : absl::StatusOr<WorkFolder>(Folder({}, "work", rank));
    };
    std::jthread other([&] {
      Ranks ranks(std::move(wires[1]), {});
      EXPECT_TRUE(ServeRankZero(ranks, folder_of(1), RequestOf({})).ok());
    });
    Ranks ranks(std::move(wires[0]), {});
    const absl::Status status = AnalyzeOnRanks(ranks, folder_of(0), RequestOf({}),
                                               [](const Analysis&) { return absl::OkStatus(); });
    EXPECT_NE(status.message().find("the work folder '/etc/hostname'"), std::string::npos)
        << status;
  }
}

TEST_F(RankAnalysisTest, RefusesRanksOfAnotherVersion) {
  Generate(SmallCluster(95, 2));
  auto wires = ThreadWires(2);
  std::jthread other([&] {
    Ranks ranks(std::move(wires[1]), {});
    RankRequest request = RequestOf({});
    request.program = "another";
    EXPECT_TRUE(ServeRankZero(ranks, Folder({}, "work", 1), request).ok());
  });
  Ranks ranks(std::move(wires[0]), {});
  const absl::Status status = AnalyzeOnRanks(ranks, Folder({}, "work", 0), RequestOf({}),
                                             [](const Analysis&) { return absl::OkStatus(); });
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

// Pauses, lost records, a wrong clock, an absent node, an old recorder, replaced addresses.
TEST_F(RankAnalysisTest, SaysItOfDisturbedClusters) {
  recording_ = dir_ / "disturbed";
  const SimulatedShape shape{.nodes = 9,
                             .threads = 300,
                             .events_per_node = 10'000,
                             .disturbances = {.pausing = {1},
                                              .losing = {2, 3},
                                              .wrong_clocks = {4},
                                              .absent = {7},
                                              .old = {6},
                                              .packets_lost = 0.01}};
  ASSERT_TRUE(GenerateSimulatedCluster(shape, recording_).ok());
  const std::string expected = Expected();
  for (const bool own_folders : {false, true}) {
    const Outcome outcome =
        Run({.ranks = 3, .seed = 4, .own_folders = own_folders}, {}, own_folders ? "own" : "work");
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(outcome.Count(" made match again without wrong clocks"), 8u);
    EXPECT_EQ(outcome.page, expected);
  }
}

TEST_F(RankAnalysisTest, SaysItOfReplacedAddresses) {
  recording_ = dir_ / "racks";
  const SimulatedShape shape{
      .nodes = 6, .threads = 120, .events_per_node = 8'000, .disturbances = {.nodes_per_rack = 2}};
  ASSERT_TRUE(GenerateSimulatedCluster(shape, recording_).ok());
  const Outcome outcome = Run({.ranks = 2, .seed = 7, .unit_recording_bytes = kTogetherBytes});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.page, Expected());
}

// Each unit of a node stays where its timeline lies.
TEST_F(RankAnalysisTest, MovesNoTimelineToBeMatched) {
  Generate(SmallCluster(98, 3));
  const Outcome outcome = Run({.ranks = 3, .seed = 2, .own_folders = true});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  for (const std::string node : {"n0", "n1", "n2"}) {
    for (int rank = 0; rank < 3; ++rank) {
      const std::string who = "rank " + std::to_string(rank);
      EXPECT_EQ(outcome.Count(who + " made settle " + node),
                outcome.Count(who + " made move " + node));
    }
  }
}

TEST(RankSessions, OfDifferentVersionsAreTold) {
  SeenSession old{.node = "a", .version = "0.1.0"};
  const SeenSession one{.node = "b", .version = "1.0.0"};
  const SeenSession other{.node = "c", .version = "1.0.0"};
  const std::string told = MixedVersionsOf({old, one, other});
  EXPECT_NE(told.find("0.1.0 (a), 1.0.0 (b and 1 more)"), std::string::npos) << told;
  EXPECT_EQ(told.find('\n'), std::string::npos);
  EXPECT_EQ(MixedVersionsOf({one, other}), "");
  old.version = "";  // not told
  EXPECT_EQ(MixedVersionsOf({old, one, other}), "");
}

pb::RankHello HelloOfBuild(const std::string& program, const std::string& build) {
  pb::RankHello hello;
  hello.set_program(program);
  hello.set_build(build);
  hello.set_host("other");
  return hello;
}

TEST(Crew, RefusesAnotherBuildOfTheSameVersion) {
  auto wires = ThreadWires(2);
  Ranks other(std::move(wires[1]), {});
  Ranks ranks(std::move(wires[0]), {});
  ASSERT_TRUE(
      other.Send(0, RankMessageKind::kHello, HelloOfBuild("1.0", "b").SerializeAsString()).ok());
  const testing::TempDir dir;
  const auto folder = WorkFolder::Open(dir / "work", 1);
  ASSERT_TRUE(folder.ok()) << folder.status();
  UnitMaker own(ranks, *folder, 1, {});
  Crew crew(ranks, own, {});
  const absl::Status status = crew.Gather(HelloOfBuild("1.0", "a"));
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_NE(status.message().find("rank 1 on other is another build of 1.0"), std::string::npos)
      << status;
}

}  // namespace
}  // namespace gordian
