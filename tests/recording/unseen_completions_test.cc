// SPDX-License-Identifier: Apache-2.0
// Real recordings from which completions of disk requests are taken away: what was not seen is
// unknown, never a fact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "trace/session_reader.h"
#include "trace/session_writer.h"

namespace gordian::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;

// The same recording without `missing` of all completions, drawn at random.
void CopyWithout(double missing, const std::string& from, const std::string& to) {
  const auto reader = SessionReader::Open(from);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto writer = SessionWriter::Create(to, {});
  ASSERT_TRUE(writer.ok()) << writer.status();
  std::mt19937 random(5);
  std::bernoulli_distribution is_missing(missing);
  const auto copy = [&](const EventStream& stream, auto append) {
    EventBlock block;
    for (size_t i = 0; i < stream.blocks().size(); ++i) {
      ASSERT_TRUE(stream.Read(i, block).ok());
      std::erase_if(block.events, [&](const TraceEvent& event) {
        return event.kind == EventKind::kBlockComplete && is_missing(random);
      });
      ASSERT_TRUE(append(block).ok());
    }
  };
  for (const auto& cpu : (*reader)->cpus())
    copy(*cpu, [&](EventBlock& block) { return (*writer)->AppendEvents(block); });
  copy(*(*reader)->tasks(), [&](EventBlock& block) { return (*writer)->AppendTasks(block); });
  ASSERT_TRUE((*writer)->WriteSession((*reader)->session()).ok());
}

pb::Report ReportWithout(double missing, const std::string& trace) {
  const TempDir dir;
  CopyWithout(missing, trace, dir / "copy");
  if (::testing::Test::HasFatalFailure()) return {};
  auto analysis = Analysis::Run(dir / "copy", {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  return analysis.ok() ? analysis->report() : pb::Report();
}

const pb::Finding& First(const pb::Report& report) {
  static const pb::Finding kNone;
  return report.findings_size() > 0 ? report.findings(0) : kNone;
}

const pb::ReportVertex& Disk(const pb::Report& report) {
  static const pb::ReportVertex kNone;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    if (vertex.kind() == "disk" && vertex.busy_s() > 0) return vertex;
  }
  return kNone;
}

// Null if the disk limits nothing.
const pb::Finding* OfDisk(const pb::Report& report) {
  for (const pb::Finding& finding : report.findings())
    for (const auto& member : finding.members())
      if (member == Disk(report).id()) return &finding;
  return nullptr;
}

uint64_t Counter(const pb::Report& report, const std::string& name) {
  for (const pb::ReportCounter& counter : report.counters()) {
    if (counter.name() == name) return counter.value();
  }
  return 0;
}

class UnseenCompletions : public ::testing::Test {
 protected:
  void SetUp() override {
    const ProgramResult recorded = RunProgram(
        {GORDIAN_PROGRAM, "record", "--budget", "none", "-o", trace_, "--", PUPPET_PROGRAM,
         "disk-sync", "--rounds", "400", "--directory", std::filesystem::current_path().string()});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.errors;
    whole_ = ReportWithout(0, trace_);
    // A build folder in memory (tmpfs) or on another machine (NFS) has no disk to write to.
    if (Disk(whole_).busy_s() == 0) GTEST_SKIP() << "the build folder is on no disk";
  }
  const TempDir dir_;
  const std::string trace_ = dir_ / "trace";
  pb::Report whole_;
};

TEST_F(UnseenCompletions, DoNotChangeTheFindingUntilManyAreGone) {
  ASSERT_THAT(First(whole_).members(), Contains(Disk(whole_).id())) << whole_.verdict();
  for (const double missing : {0.002, 0.02, 0.2}) {
    SCOPED_TRACE(missing);
    const pb::Report part = ReportWithout(missing, trace_);
    EXPECT_EQ(First(part).kind(), First(whole_).kind());
    EXPECT_THAT(First(part).members(), ElementsAreArray(First(whole_).members()));
  }
}

TEST_F(UnseenCompletions, TakeAwayTheConfidenceWhenMostAreGone) {
  const pb::Report part = ReportWithout(0.8, trace_);
  const pb::Finding* whole = OfDisk(whole_);
  ASSERT_NE(whole, nullptr) << whole_.verdict();
  const pb::Finding* rest = OfDisk(part);
  if (rest != nullptr) {
    EXPECT_LT(rest->confidence(), whole->confidence() / 2) << part.verdict();
  }
  EXPECT_GT(Counter(part, "requests_without_end"), 100u);
}

}  // namespace
}  // namespace gordian::testing
