// SPDX-License-Identifier: Apache-2.0
// A client that sends its questions in two pieces, with and without TCP_NODELAY, recorded and
// analyzed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analysis/analysis.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::HasSubstr;

pb::Report ReportOf(const std::string& piece, const std::string& rounds) {
  const TempDir dir;
  const ProgramResult recorded =
      RunProgram({GORDIAN_PROGRAM, "record", "--budget", "none", "-o", dir / "trace", "--",
                  PUPPET_PROGRAM, piece, "--rounds", rounds});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
  auto analysis = Analysis::Run(dir / "trace", {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? analysis->report() : pb::Report();
}

const pb::ReportEdge& EdgeToAttack(const pb::Report& report) {
  static const pb::ReportEdge kNone;
  const pb::EdgeRef& attack = report.findings(0).edge();
  for (const pb::ReportEdge& edge : report.edges()) {
    if (edge.from() == attack.from() && edge.to() == attack.to()) return edge;
  }
  return kNone;
}

// The first few segments of a connection are acknowledged at once. How much of the recording the
// waits are depends on the machine; how many there are, and that each lasts as long as a delayed
// acknowledgement, does not.
TEST(HeldBackData, IsTheLimitOfAClientThatSendsInPieces) {
  const pb::Report report = ReportOf("tcp-pieces", "50");
  ASSERT_GT(report.findings_size(), 0);
  const pb::Finding& first = report.findings(0);
  EXPECT_EQ(first.kind(), "held_back") << report.verdict();
  const pb::ReportEdge& waits = EdgeToAttack(report);
  EXPECT_GE(waits.count(), 35u);
  EXPECT_LE(waits.count(), 50u);
  EXPECT_GT(waits.own_s(), 0.035 * static_cast<double>(waits.count()));
  EXPECT_THAT(first.title(), HasSubstr("waits"));
  EXPECT_THAT(first.title(), HasSubstr("held-back data of puppet"));
}

TEST(HeldBackData, IsNoneOfAClientThatSendsAtOnce) {
  const pb::Report report = ReportOf("tcp-echo", "500");
  for (const pb::Finding& finding : report.findings()) EXPECT_NE(finding.kind(), "held_back");
}

}  // namespace
}  // namespace gordian::testing
