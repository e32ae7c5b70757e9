// SPDX-License-Identifier: Apache-2.0
// gordian phases on the output of gordian collect: phases on their nodes, by one clock.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "nodes/test_cluster.h"
#include "schema/report.pb.h"
#include "tests/program.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRealtimeNs = 1'700'000'000'000'000'000;
constexpr int32_t kTid = 10;  // of a thread on each node

class NodesPhases : public ::testing::Test {
 protected:
  // Each node's thread runs its step: web1's in [10, 30] ms of which it is on a CPU from 10 to 25,
  // db1's in [40, 60] ms from 40 to 45. db1's clock is five seconds behind and drifts.
  void SetUp() override {
    cluster_.Node("web1");
    cluster_.Node("db1", {.skew_ns = -5'000'000'000, .drift_ppm = 80, .bound_ns = 1'000});
    for (const char* node : {"web1", "db1"}) {
      pb::ClockPair& pair = *cluster_.At(node, 0).session().add_clocks();
      pair.set_monotonic_ns(cluster_.At(node, 0).session().start_time_ns());
      pair.set_realtime_ns(kRealtimeNs);
    }
    Step("web1", 10_ms, 25_ms, 30_ms);
    Step("db1", 40_ms, 45_ms, 60_ms);
    cluster_.Measure(100_ms, 10_ms);
    cluster_.Write(run_);
    std::ofstream(samples_)
        << "time,resource,value,capacity,node\n"
        << "1700000000.000,cpu,0,2,web1\n1700000000.100,cpu,0.15,2,web1\n"
        << "1700000000.000,cpu,0,2,host-db1\n1700000000.100,cpu,0.05,2,host-db1\n";
  }

  void Step(const std::string& node, uint64_t begin_ns, uint64_t sleep_ns, uint64_t end_ns) {
    cluster_.At(node, 0).Thread(kTid, "worker");
    cluster_.At(node, begin_ns).Run(kTid);
    cluster_.At(node, begin_ns, kNoCpu).PhaseBegin(kTid, "Step", node);
    cluster_.At(node, sleep_ns).Block();
    cluster_.At(node, end_ns, kNoCpu).Probe(kTid, ProbeKind::kPhaseEnd, "Step");
  }

  pb::Report Report() const {
    const std::string json = directory_ / "report.json";
    const ProgramResult told = RunProgram(
        {GORDIAN_PROGRAM, "phases", run_, "--resources", samples_, "--slice", "1", "--json", json});
    EXPECT_EQ(told.exit_code, 0) << told.errors;
    std::ostringstream text;
    text << std::ifstream(json).rdbuf();
    pb::Report report;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text.str(), &report).ok());
    return report;
  }

  TempDir directory_;
  TestCluster cluster_;
  const std::string run_ = directory_ / "run";
  const std::string samples_ = directory_ / "samples.csv";
};

TEST_F(NodesPhases, StandOnTheirNodesByOneClock) {
  const pb::Report report = Report();
  std::map<std::string, const pb::ReportPhase*> phases;
  for (const pb::ReportPhase& phase : report.phases()) phases[phase.path()] = &phase;
  ASSERT_EQ(phases.size(), 3u);
  const pb::ReportPhase& web = *phases.at("/Job/Step[web1]");
  EXPECT_EQ(web.node(), "web1");
  EXPECT_NEAR(web.start_s(), 0.000, 1e-5);
  EXPECT_NEAR(web.end_s(), 0.020, 1e-5);
  const pb::ReportPhase& db = *phases.at("/Job/Step[db1]");
  EXPECT_EQ(db.node(), "db1");
  EXPECT_NEAR(db.start_s(), 0.030, 1e-5);
  EXPECT_NEAR(db.end_s(), 0.050, 1e-5);
}

TEST_F(NodesPhases, CpuIsMeasuredOnEachNode) {
  const pb::Report report = Report();
  ASSERT_EQ(report.resources_size(), 2) << report.DebugString();
  for (const pb::ReportResource& resource : report.resources()) {
    const bool web = resource.node() == "web1";
    EXPECT_TRUE(web || resource.node() == "db1") << resource.node();
    for (const pb::AttributedUse& use : report.attribution()) {
      if (use.resource() != resource.id() || !use.has_phase()) continue;
      const pb::ReportPhase& phase = report.phases(static_cast<int>(use.phase()));
      if (phase.path() == "/Job") continue;
      EXPECT_EQ(phase.node(), resource.node());
      EXPECT_NEAR(use.measured(), web ? 0.015 : 0.005, 1e-4);
    }
    EXPECT_NEAR(resource.measured(), web ? 0.015 : 0.005, 1e-4);
  }
}

TEST_F(NodesPhases, CanBeDrawnAndTakenOut) {
  const std::string drawing = directory_ / "job.pftrace";
  const std::string table = directory_ / "job.csv";
  const ProgramResult told =
      RunProgram({GORDIAN_PROGRAM, "phases", run_, "--resources", samples_, "--slice", "1",
                  "--perfetto", drawing, "--attribution", table});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  std::ostringstream rows, events;
  rows << std::ifstream(table).rdbuf();
  events << std::ifstream(drawing).rdbuf();
  for (const char* words :
       {",cpu,web1,cores,2,/Job/Step[web1],", ",cpu,db1,cores,2,/Job/Step[db1],"})
    EXPECT_THAT(rows.str(), HasSubstr(words));
  EXPECT_THAT(events.str(), HasSubstr("Step[web1]"));
  EXPECT_THAT(events.str(), HasSubstr("db1"));
}

TEST_F(NodesPhases, AreListedAsATree) {
  const ProgramResult told = RunProgram({GORDIAN_PROGRAM, "phases", run_, "--tree"});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_THAT(told.output, HasSubstr("db1"));
  EXPECT_THAT(told.output, HasSubstr("web1"));
}

}  // namespace
}  // namespace gordian::testing
