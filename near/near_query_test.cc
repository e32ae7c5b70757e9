// SPDX-License-Identifier: Apache-2.0
#include "near/near_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "near/test_asked_folders.h"
#include "nodes/test_cluster.h"

namespace gordian {
namespace {

using testing::AskedFolders;
using testing::AskFrontAndDatabase;
using testing::BeginFrontAndDatabase;
using testing::TempDir;
using testing::TestCluster;
using testing::operator""_ms;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class QueryAcrossTest : public ::testing::Test {
 protected:
  QueryAcrossTest() {
    TestCluster cluster;
    cluster.Node("web");
    cluster.Node("db");
    BeginFrontAndDatabase(cluster);
    AskFrontAndDatabase(cluster, 10_ms, 1000);
    cluster.Measure(40_ms, 10_ms);
    cluster.Write(dir_ / "run");
    asked_ = std::make_unique<AskedFolders>(dir_ / "run");
  }
  absl::StatusOr<NearTable> Ask(const std::string& sql) {
    return QueryAcross(asked_->nodes(), sql);
  }
  static std::string TextOf(const QueryCell& cell) { return std::get<std::string>(cell); }

  TempDir dir_;
  std::unique_ptr<AskedFolders> asked_;
};

TEST_F(QueryAcrossTest, EachNodeAnswersForItself) {
  const auto table = Ask("SELECT tid, run_ns FROM thread WHERE tid > 0");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->titles, ElementsAre("node", "tid", "run_ns"));
  EXPECT_THAT(table->rows,
              ElementsAre(ElementsAre(QueryCell("db"), QueryCell(2), QueryCell(5'000'000)),
                          ElementsAre(QueryCell("web"), QueryCell(1), QueryCell(3'000'000))));
  EXPECT_THAT(table->notes, ElementsAre());
}

TEST_F(QueryAcrossTest, OneNodesTimelineIsThere) {
  const auto table =
      Ask("SELECT s.kind, s.begin_ns / 1000000, s.end_ns / 1000000 FROM segment s JOIN thread t ON "
          "t.id = s.thread WHERE t.tid = 2 AND s.end_ns > s.begin_ns ORDER BY s.begin_ns");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->rows, ::testing::Contains(ElementsAre(QueryCell("db"), QueryCell("run"),
                                                           QueryCell(12), QueryCell(17))));
}

TEST_F(QueryAcrossTest, ANodeThatIsAwayIsNamedAndTheOthersAnswer) {
  asked_->SetAway("db");
  const auto table = Ask("SELECT count(*) FROM thread");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->rows.size(), 1U);
  EXPECT_THAT(table->notes, ElementsAre("db: nobody listens there"));
}

TEST_F(QueryAcrossTest, FailsIfNobodyAnswers) {
  asked_->SetAway("db");
  asked_->SetAway("web");
  EXPECT_THAT(Ask("SELECT 1").status().message(), HasSubstr("nobody listens"));
}

TEST_F(QueryAcrossTest, SqlThatIsNoneIsTold) {
  EXPECT_TRUE(absl::IsInvalidArgument(Ask("SELECT nothing FROM nowhere").status()));
}

TEST_F(QueryAcrossTest, NothingIsWritten) {
  EXPECT_TRUE(absl::IsPermissionDenied(Ask("CREATE TABLE t (a)").status()));
}

TEST_F(QueryAcrossTest, WhatNeedsAllNodesIsRefused) {
  const absl::Status status = Ask("SELECT * FROM Critical_Path").status();
  EXPECT_THAT(status.message(), HasSubstr("critical_path needs the recordings of all nodes"));
  EXPECT_THAT(status.message(), HasSubstr("gordian-mpi"));
  EXPECT_EQ(asked_->questions("web"), 0U);
}

TEST(TableOfAllNodes, IsANameAndNoText) {
  EXPECT_EQ(TableOfAllNodes("SELECT 'slice' FROM thread"), "");
  EXPECT_EQ(TableOfAllNodes("SELECT slices FROM my_slice"), "");
  EXPECT_EQ(TableOfAllNodes("SELECT * FROM \"slice\""), "slice");
  EXPECT_EQ(TableOfAllNodes("SELECT 'it''s' FROM aggregate('node')"), "aggregate");
  EXPECT_EQ(TableOfAllNodes("SELECT 'open FROM slice"), "");
}

TEST_F(QueryAcrossTest, MoreRowsThanFitAreLeftOffAndTold) {
  const auto table =
      Ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
          "SELECT i, 'and some more text' FROM n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_GT(table->rows.size(), 1000U);
  EXPECT_LT(table->rows.size(), 400'000U);
  EXPECT_THAT(table->notes, ElementsAre(HasSubstr("db has more rows"), HasSubstr("web has more")));
}

// A node that was taken over.
NearTable AnsweredBy(const pb::NearAnswer& second) {
  NearNodes nodes{.names = {"a", "b"}, .hosts = {"", ""}};
  nodes.ask = [&](size_t node, const pb::NearQuestion&) -> absl::StatusOr<pb::NearAnswer> {
    if (node == 1) return second;
    pb::NearAnswer answer;
    answer.mutable_rows()->add_titles("x");
    answer.mutable_rows()->add_rows()->add_cells()->set_number(7);
    return answer;
  };
  auto table = QueryAcross(nodes, "SELECT 7 AS x");
  EXPECT_TRUE(table.ok());
  EXPECT_EQ(table->rows.size(), 1U);
  return *table;
}

TEST(QueryAcross, AnswersThatAreNoneAreLeftOut) {
  EXPECT_THAT(AnsweredBy({}).notes, ElementsAre(HasSubstr("b: it answered something else")));
  pb::NearAnswer other;
  other.mutable_rows()->add_titles("y");
  EXPECT_THAT(AnsweredBy(other).notes, ElementsAre(HasSubstr("b: it answered other columns")));
  pb::NearAnswer short_row;
  short_row.mutable_rows()->add_titles("x");
  short_row.mutable_rows()->add_rows();
  EXPECT_THAT(AnsweredBy(short_row).notes, ElementsAre(HasSubstr("b: its rows do not have")));
}

}  // namespace
}  // namespace gordian
