// SPDX-License-Identifier: Apache-2.0
// Puppets, recorded and analyzed: these things hold for any program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using Edges = std::set<std::pair<uint32_t, uint32_t>>;

void ExpectLedger(const WaitForGraph& graph) {
  for (const Entity& entity : graph.entities) {
    if (entity.kind != EntityKind::kThread && entity.kind != EntityKind::kVirtual) continue;
    EXPECT_EQ(
        entity.run_ns + entity.runnable_ns + entity.wait_ns + entity.spin_ns + entity.unknown_ns,
        entity.end_ns - entity.begin_ns)
        << entity.name;
  }
}

void ExpectWeights(const WaitForGraph& graph) {
  EXPECT_FALSE(graph.edges.empty());
  for (const Edge& edge : graph.edges) {
    EXPECT_GE(edge.weight_ns, edge.own_ns);
    EXPECT_GE(edge.own_ns, edge.longest_ns);
    EXPECT_GT(edge.count, 0u);
  }
}

// The result of refinement is a part of the graph it began with.
void ExpectFindingsWithin(const pb::Report& report) {
  Edges all;
  for (const pb::ReportEdge& edge : report.edges()) all.insert({edge.from(), edge.to()});
  for (const pb::Finding& finding : report.findings()) {
    SCOPED_TRACE(finding.title());
    const std::set<uint32_t> members(finding.members().begin(), finding.members().end());
    EXPECT_FALSE(members.empty());
    EXPECT_LT(*members.rbegin(), static_cast<uint32_t>(report.vertices_size()));
    for (const pb::EdgeRef& edge : finding.edges()) {
      EXPECT_EQ(all.count({edge.from(), edge.to()}), 1u);
      EXPECT_EQ(members.count(edge.from()) + members.count(edge.to()), 2u);
    }
    EXPECT_GE(finding.upper_bound_gain(), 1);
    EXPECT_GT(finding.confidence(), 0);
    EXPECT_LE(finding.confidence(), 1);
  }
}

class AnalyzedPuppet : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(AnalyzedPuppet, AddsUpAndTheSameRecordingGivesTheSameReport) {
  const TempDir dir;
  const std::string trace = dir / "trace";
  std::vector<std::string> command = {GORDIAN_PROGRAM, "record", "-o", trace, "--", PUPPET_PROGRAM};
  command.insert(command.end(), GetParam().begin(), GetParam().end());
  const ProgramResult recorded = RunProgram(command);
  ASSERT_EQ(recorded.exit_code, 0) << recorded.errors;

  std::vector<std::string> reports;
  for (const int threads : {1, 3}) {
    const auto analysis = Analysis::Run(trace, {.threads = threads});
    ASSERT_TRUE(analysis.ok()) << analysis.status();
    ExpectLedger(analysis->wait_for_graph());
    ExpectWeights(analysis->wait_for_graph());
    EXPECT_EQ(analysis->report().scope().chosen_by(), "recording");
    ExpectFindingsWithin(analysis->report());
    reports.push_back(analysis->report().SerializeAsString());
  }
  EXPECT_EQ(reports[0], reports[1]);
}

std::string NameOf(const ::testing::TestParamInfo<std::vector<std::string>>& info) {
  std::string name = info.param[0];
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Pieces, AnalyzedPuppet,
    ::testing::Values(std::vector<std::string>{"pipe-ping-pong", "--rounds", "1000"},
                      std::vector<std::string>{"futex-ping-pong", "--rounds", "1000"},
                      std::vector<std::string>{"mutex", "--rounds", "200"},
                      std::vector<std::string>{"timer", "--rounds", "100"},
                      std::vector<std::string>{"broadcast", "--rounds", "500", "--waiters", "8"},
                      std::vector<std::string>{"hogs", "--rounds", "10"},
                      std::vector<std::string>{"tcp-echo", "--rounds", "500"},
                      std::vector<std::string>{"fork-storm"},
                      std::vector<std::string>{"thread-storm"}),
    NameOf);

}  // namespace
}  // namespace gordian::testing
