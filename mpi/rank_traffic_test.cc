// SPDX-License-Identifier: Apache-2.0
// Traffic by many ranks is that of one process, to the last byte.
#include "mpi/rank_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "mpi/test_ranks.h"
#include "output/traffic_json.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

class TrafficByRanks : public AskedRanks {
 protected:
  std::string Expected(TrafficRequest request) const {
    request.directory = recording_;
    request.threads = 1;
    const auto traffic = MeasureRecordedTraffic(request);
    EXPECT_TRUE(traffic.ok()) << traffic.status();
    return traffic.ok() ? TrafficJson(*traffic, request.level) : "";
  }

  std::pair<std::string, TestRanksOutcome> Told(const TestRanks& way,
                                                const TrafficRequest& request = {}) const {
    std::string told;
    auto outcome = Ask(way, [&](const RankWork& work) {
      const auto traffic = TrafficOnRanks(work, request);
      if (traffic.ok()) told = TrafficJson(*traffic, request.level);
      return traffic.status();
    });
    return {told, std::move(outcome)};
  }
};

TEST_F(TrafficByRanks, IsThatOfOneProcess) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const auto seed = static_cast<uint32_t>(ranks);
    const int nodes = 1 + ranks % 5;
    ranks % 2 == 0 ? GenerateSimulated(seed, nodes + 1) : GenerateCluster(seed, nodes);
    const std::string expected = Expected({});
    const auto [told, outcome] = Told({.ranks = ranks, .seed = 100 + seed});
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(told, expected) << ranks;
    EXPECT_THAT(expected, HasSubstr("payload_bytes"));
  }
}

TEST_F(TrafficByRanks, IsItForAllOptions) {
  GenerateSimulated(5);
  std::vector<TrafficRequest> requests(4);
  requests[0].level = TrafficLevel::kHost;
  requests[1].level = TrafficLevel::kRack;
  requests[1].racks = {{"n0", "first"}, {"n1", "first"}, {"n2", "second"}};
  requests[2].per = "7ms";
  requests[3].level = TrafficLevel::kContainer;
  for (size_t i = 0; i < requests.size(); ++i) {
    const auto [told, outcome] =
        Told({.ranks = 3, .seed = static_cast<uint32_t>(i + 1)}, requests[i]);
    ASSERT_TRUE(outcome.status.ok()) << i << ": " << outcome.status;
    EXPECT_EQ(told, Expected(requests[i])) << i;
  }
}

TEST_F(TrafficByRanks, IsItByPhase) {
  GeneratePhases();
  TrafficRequest request;
  request.per = "Even";
  const std::string expected = Expected(request);
  EXPECT_THAT(expected, HasSubstr("Even"));
  for (const int ranks : {1, 3}) {
    const auto [told, outcome] = Told({.ranks = ranks, .seed = 7}, request);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status;
    EXPECT_EQ(told, expected);
  }
}

TEST_F(TrafficByRanks, NamesThePhasesThereAre) {
  GeneratePhases();
  TrafficRequest request;
  request.per = "Neither";
  request.directory = recording_;
  const auto alone = MeasureRecordedTraffic(request);
  const auto outcome = Told({.ranks = 2}, request).second;
  EXPECT_EQ(outcome.status, alone.status());
  EXPECT_THAT(std::string(outcome.status.message()), HasSubstr("Neither"));
}

// Each rank sees its own node's recording, and no folder is shared.
TEST_F(TrafficByRanks, GoesToTheData) {
  GeneratePhases();
  TrafficRequest request;
  request.per = "Odd";
  const std::string expected = Expected(request);
  const std::vector<std::string> machines = MoveToMachines();
  ASSERT_EQ(machines.size(), 2u);
  const auto [told, outcome] =
      Told({.ranks = 2, .own_folders = true, .directories = machines}, request);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(told, expected);
  EXPECT_EQ(outcome.Count("rank 1 made traffic"), 1u);
}

TEST_F(TrafficByRanks, FindsWhatWasReadBefore) {
  GenerateSimulated(6);
  const std::string expected = Expected({});
  EXPECT_EQ(Told({.ranks = 2}).second.Count(" made traffic"), 4u);
  const auto [told, again] = Told({.ranks = 3, .seed = 3});
  EXPECT_EQ(again.Count(" found traffic"), 4u);
  EXPECT_EQ(told, expected);
  // Other spans are another question.
  TrafficRequest request;
  request.per = "3ms";
  EXPECT_EQ(Told({.ranks = 3}, request).second.Count(" made traffic"), 4u);
}

TEST_F(TrafficByRanks, ReadsDamagedResultsAgain) {
  GenerateSimulated(9);
  const std::string expected = Expected({});
  ASSERT_TRUE(Told({.ranks = 2}).second.status.ok());
  for (const auto& file : std::filesystem::directory_iterator(dir_ / "work")) {
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<int64_t>(file.file_size() / 2);
    bytes.seekg(middle);
    const char wrong = static_cast<char>(bytes.get() ^ 0x20);
    bytes.seekp(middle);
    bytes.put(wrong);
  }
  const auto [told, again] = Told({.ranks = 2});
  ASSERT_TRUE(again.status.ok()) << again.status;
  EXPECT_EQ(told, expected);
}

TEST_F(TrafficByRanks, EndsInOneLineIfANodeCannotBeRead) {
  GenerateSimulated(8);
  std::filesystem::remove_all(recording_ + "/n2");
  std::filesystem::create_directory(recording_ + "/n2");
  std::ofstream(recording_ + "/n2/session.pb") << "no session";
  TrafficRequest request;
  request.directory = recording_;
  const auto alone = MeasureRecordedTraffic(request);
  const auto outcome = Told({.ranks = 2}, request).second;
  EXPECT_EQ(outcome.status, alone.status());
}

}  // namespace
}  // namespace gordian::testing
