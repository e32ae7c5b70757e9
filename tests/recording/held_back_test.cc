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
  const ProgramResult recorded = RunProgram({GORDIAN_PROGRAM, "record", "-o", dir / "trace", "--",
                                             PUPPET_PROGRAM, piece, "--rounds", rounds});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
  auto analysis = Analysis::Run(dir / "trace", {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? analysis->report() : pb::Report();
}

TEST(HeldBackData, IsTheLimitOfAClientThatSendsInPieces) {
  const pb::Report report = ReportOf("tcp-pieces", "50");
  ASSERT_GT(report.findings_size(), 0);
  const pb::Finding& first = report.findings(0);
  EXPECT_EQ(first.kind(), "held_back") << report.verdict();
  EXPECT_GT(first.share(), 0.7);
  EXPECT_THAT(first.title(), HasSubstr("waits"));
  EXPECT_THAT(first.title(), HasSubstr("held-back data of puppet"));
}

TEST(HeldBackData, IsNoneOfAClientThatSendsAtOnce) {
  const pb::Report report = ReportOf("tcp-echo", "500");
  for (const pb::Finding& finding : report.findings()) EXPECT_NE(finding.kind(), "held_back");
}

}  // namespace
}  // namespace gordian::testing
