// SPDX-License-Identifier: Apache-2.0
#include "views/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "views/test_talking.h"

namespace gordian {
namespace {

using Ends = std::pair<std::string, std::string>;

std::map<Ends, MatrixEntry> TableOf(const Matrix& matrix) {
  std::map<Ends, MatrixEntry> table;
  for (const MatrixEntry& entry : matrix.entries) {
    const bool is_new =
        table.emplace(Ends(matrix.units[entry.from].name, matrix.units[entry.to].name), entry)
            .second;
    EXPECT_TRUE(is_new) << "one entry per pair";
  }
  return table;
}

MatrixEntry SumOf(const Matrix& matrix) {
  MatrixEntry sum;
  for (const MatrixEntry& entry : matrix.entries) {
    sum.amount += entry.amount;
    sum.weight_ns += entry.weight_ns;
    sum.count += entry.count;
  }
  return sum;
}

WindowTraffic WholeTraffic(const TalkingRecording& talk) {
  auto traffic =
      MeasureWindowTraffic(talk.analysis().recording(), {talk.all().from_ns, talk.all().to_ns});
  EXPECT_TRUE(traffic.ok()) << traffic.status();
  return *std::move(traffic);
}

TEST(MatrixOfWaits, RowsOfVerticesAreTheWeightsOfTheReportOnTheSameRange) {
  const TalkingRecording talk;
  const uint64_t from_ns = talk.all().from_ns;
  for (const TimeRange range :
       {talk.all(), TimeRange{from_ns + 12'345'678, from_ns + 77'000'000}}) {
    const Matrix matrix =
        MatrixOfWaits(talk.analysis(), talk.units(), {.range = range, .by_vertex = true});
    const auto report = talk.analysis().ReportOnPart(range, {});
    ASSERT_TRUE(report.ok()) << report.status();
    std::map<uint32_t, double> told, summed;
    for (const pb::ReportEdge& edge : report->edges())
      if (edge.own_s() > 0) told[edge.from()] += edge.weight_s();
    for (const MatrixEntry& entry : matrix.entries)
      summed[matrix.units[entry.from].number] += static_cast<double>(entry.weight_ns) / 1e9;
    ASSERT_FALSE(told.empty());
    ASSERT_EQ(told.size(), summed.size());
    for (const auto& [vertex, weight_s] : told) EXPECT_NEAR(summed[vertex], weight_s, 1e-9);
  }
}

TEST(MatrixOfWaits, TellsWhoWaitsForWhom) {
  const TalkingRecording talk;
  const auto table = TableOf(MatrixOfWaits(talk.analysis(), talk.units(), {.range = talk.all()}));
  const auto waits = table.find({"web: front/10", "db: store/20"});
  ASSERT_NE(waits, table.end());
  EXPECT_EQ(waits->second.count, 10u);
  EXPECT_EQ(waits->second.amount, 30'000'000u) << "from 1 to 4 ms of each round";
}

TEST(MatrixOfWaits, HasTheSameSumOnEachLevel) {
  const TalkingRecording talk;
  const MatrixEntry threads = SumOf(MatrixOfWaits(
      talk.analysis(), talk.units(), {.range = talk.all(), .level = UnitLevel::kThread}));
  for (const UnitLevel level :
       {UnitLevel::kProcess, UnitLevel::kContainer, UnitLevel::kNode, UnitLevel::kRack}) {
    EXPECT_EQ(
        SumOf(MatrixOfWaits(talk.analysis(), talk.units(), {.range = talk.all(), .level = level})),
        threads)
        << NameOf(level);
  }
}

TEST(MatrixOfWaits, UnitsBeyondTheBoundAreOthersAndNothingIsLost) {
  const TalkingRecording talk;
  MatrixRequest request{.range = talk.all(), .level = UnitLevel::kThread};
  const Matrix all = MatrixOfWaits(talk.analysis(), talk.units(), request);
  request.most_units = 2;
  const Matrix two = MatrixOfWaits(talk.analysis(), talk.units(), request);
  ASSERT_EQ(two.units.size(), 3u);
  EXPECT_EQ(two.units.back().kind, MatrixUnitKind::kOthers);
  EXPECT_EQ(two.others, all.units.size() - 2);
  EXPECT_EQ(SumOf(two), SumOf(all));
}

TEST(MatrixOfTraffic, TellsWhoSendsHowMuchToWhom) {
  const TalkingRecording talk;
  const WindowTraffic traffic = WholeTraffic(talk);
  const auto by_process = TableOf(MatrixOfTraffic(traffic, {0, 1}, talk.units(), talk.timeline(),
                                                  {.range = {}, .level = UnitLevel::kProcess}));
  ASSERT_EQ(by_process.size(), 2u);
  const MatrixEntry& asked = by_process.at({"web: front/10", "db: store/20"});
  EXPECT_EQ(asked.amount, TalkingRecording::kAskedInAll);
  EXPECT_EQ(asked.count, 10u);
  const auto by_rack = TableOf(MatrixOfTraffic(traffic, {0, 1}, talk.units(), talk.timeline(),
                                               {.range = {}, .level = UnitLevel::kRack}));
  EXPECT_EQ(by_rack.at({"r2", "r1"}).amount, 10 * TalkingRecording::kAnswered);
}

TEST(MatrixOfTraffic, HasTheSumOfTheTraffic) {
  const TalkingRecording talk;
  const WindowTraffic traffic = WholeTraffic(talk);
  for (const UnitLevel level : {UnitLevel::kProcess, UnitLevel::kNode}) {
    const MatrixEntry sum = SumOf(MatrixOfTraffic(traffic, {0, 1}, talk.units(), talk.timeline(),
                                                  {.range = {}, .level = level}));
    EXPECT_EQ(sum.amount, traffic.traffic.total.payload_bytes);
    EXPECT_EQ(sum.count, traffic.traffic.total.messages);
  }
}

}  // namespace
}  // namespace gordian
