// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_requests.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "nodes/test_cluster.h"
#include "tests/support/temp_dir.h"
#include "tests/support/time_literals.h"

namespace gordian {
namespace {

using testing::kDb;
using testing::TempDir;
using testing::TestCluster;
using namespace testing;  // NOLINT: literals of time

// A browser that was not recorded asks the front, which asks the database on another node. Its
// clock is off.
void PlayCluster(TestCluster& cluster) {
  cluster.Node("web").Thread(1, "front");
  cluster.Node("db", {.skew_ns = 40'000'000'000, .bound_ns = 50'000}).Thread(2, "database");
  BeginFrontAndDatabase(cluster);
  for (uint32_t round = 0; round < 20; ++round) {
    const uint64_t begin_ns = 10_ms + round * 20_ms;
    const uint32_t sequence = 1000 + round * 100;
    AskFrontAndDatabase(cluster, begin_ns, sequence);
  }
  cluster.Measure(500_ms, 100_ms);
}

const pb::RequestTime* TimeNamed(const google::protobuf::RepeatedPtrField<pb::RequestTime>& times,
                                 const std::string& kind) {
  for (const pb::RequestTime& time : times)
    if (time.kind() == kind) return &time;
  return nullptr;
}

TEST(RecordedRequests, FollowTheirWayToAnotherNode) {
  TestCluster cluster;
  PlayCluster(cluster);
  const TempDir dir;
  cluster.Write(dir / "run");
  const auto told = RequestsOfRecording({dir / "run"}, {}, {.threads = 1});
  ASSERT_TRUE(told.ok()) << told.status();
  ASSERT_EQ(told->ports_size(), 2);
  const pb::RequestPort& front = told->ports(0);
  EXPECT_EQ(front.port(), kHttp);
  EXPECT_EQ(front.requests(), 20u);
  EXPECT_EQ(front.asked_by(), 0u);
  EXPECT_EQ(front.mean_ns(), 10_ms);
  const pb::RequestTime* const run = TimeNamed(front.times(), "run");
  const pb::RequestTime* const peer = TimeNamed(front.times(), "peer");
  ASSERT_TRUE(run != nullptr && peer != nullptr);
  EXPECT_NEAR(run->share(), 0.3, 0.001);
  EXPECT_NEAR(peer->share(), 0.7, 0.001);
  EXPECT_EQ(peer->who(), "db/database/database");
  // The database worked for five of the seven milliseconds; packets were on their way for two.
  const pb::RequestTime* const there = TimeNamed(peer->causes(), "run");
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(there->who(), "db/database/database");
  EXPECT_NEAR(there->share(), 5.0 / 7, 0.01);
  EXPECT_NE(TimeNamed(peer->causes(), "network"), nullptr);

  const pb::RequestPort& database = told->ports(1);
  EXPECT_EQ(database.port(), kDb);
  EXPECT_EQ(database.asked_by(), kHttp);
  EXPECT_NEAR(static_cast<double>(database.mean_ns()), 5e6, 1e4);
}

// A page asks of a recording that it has read already, and shows the threads themselves.
TEST(RecordedRequests, OfAnAnalysisAreTheSame) {
  TestCluster cluster;
  PlayCluster(cluster);
  const TempDir dir;
  cluster.Write(dir / "run");
  const auto told = RequestsOfRecording({dir / "run"}, {}, {.threads = 1});
  const auto analysis = Analysis::Run(dir / "run", {.threads = 1});
  ASSERT_TRUE(told.ok() && analysis.ok());
  const auto again = RequestsOfAnalysis(*analysis, {}, {.threads = 1});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->SerializeAsString(), told->SerializeAsString());

  const pb::RequestTold& slow = again->ports(0).slowest(0);
  const std::vector<Entity>& entities = analysis->timeline().entities();
  ASSERT_TRUE(slow.has_thread_id());
  EXPECT_EQ(entities.at(slow.thread_id()).name, "front");
  for (const pb::RequestStep& step : slow.steps()) {
    if (step.kind() != "peer") continue;
    EXPECT_EQ(entities.at(step.waits_for_id()).name, "database");
  }
  ASSERT_EQ(again->ports(0).latencies_size(), 1) << "all took about ten milliseconds";
  EXPECT_EQ(again->ports(0).latencies(0).requests(), 20u);

  const auto short_of_steps = RequestsOfAnalysis(*analysis, {.most_steps = 1}, {.threads = 1});
  ASSERT_TRUE(short_of_steps.ok());
  const pb::RequestTold& cut = short_of_steps->ports(0).slowest(0);
  EXPECT_EQ(cut.steps_size(), 1);
  EXPECT_EQ(cut.steps_left_out() + 1, static_cast<uint64_t>(slow.steps_size()));
  EXPECT_EQ(cut.times(0).SerializeAsString(), slow.times(0).SerializeAsString());

  const auto stopped =
      RequestsOfAnalysis(*analysis, {.stop_asked = [] { return true; }}, {.threads = 1});
  EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
}

TEST(RecordedRequests, AreOfTheServerThatTheUserNames) {
  TestCluster cluster;
  PlayCluster(cluster);
  const TempDir dir;
  cluster.Write(dir / "run");
  const auto told =
      RequestsOfRecording({dir / "run"}, {.ports = {kDb}}, {.target = {.comms = {"database"}}});
  ASSERT_TRUE(told.ok()) << told.status();
  ASSERT_EQ(told->ports_size(), 1);
  EXPECT_EQ(told->ports(0).servers(0), "db/database/database");
  const auto none =
      RequestsOfRecording({dir / "run"}, {.ports = {kDb}}, {.target = {.comms = {"front"}}});
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
}

TEST(RecordedRequests, OfNodesInFoldersOfTheirOwnAreThoseOfOneRecording) {
  TestCluster cluster;
  PlayCluster(cluster);
  const TempDir dir;
  cluster.Write(dir / "run");
  auto together = RequestsOfRecording({dir / "run"}, {}, {.threads = 1});
  const auto apart =
      RequestsOfRecording({dir / "run" + "/web", dir / "run" + "/db/"}, {}, {.threads = 1});
  ASSERT_TRUE(together.ok() && apart.ok()) << apart.status();
  for (pb::RequestPort& port : *together->mutable_ports())
    for (pb::RequestTold& slow : *port.mutable_slowest()) slow.clear_critical_path();
  EXPECT_EQ(together->SerializeAsString(), apart->SerializeAsString());
  const auto twice = RequestsOfRecording({dir / "run", dir / "run" + "/web"}, {}, {});
  EXPECT_EQ(twice.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(RecordedRequests, AreTheSameForAnyNumberOfThreads) {
  TestCluster cluster;
  PlayCluster(cluster);
  const TempDir dir;
  cluster.Write(dir / "run");
  const auto one = RequestsOfRecording({dir / "run"}, {}, {.threads = 1});
  const auto many = RequestsOfRecording({dir / "run"}, {}, {.threads = 5});
  ASSERT_TRUE(one.ok() && many.ok());
  EXPECT_EQ(one->SerializeAsString(), many->SerializeAsString());
}

}  // namespace
}  // namespace gordian
