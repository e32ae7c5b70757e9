// SPDX-License-Identifier: Apache-2.0
#include "cli/report_outputs.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// The arguments of a command line of `gordian analyze` (or phases).
OutputArguments Parsed(const std::string& command_line,
                       void (*add)(CLI::App&, OutputArguments&) = AddOutputOptions) {
  CLI::App app;
  OutputArguments arguments;
  add(app, arguments);
  app.parse(command_line);
  return arguments;
}

// While it lives, standard output is a terminal.
class TerminalOutput {
 public:
  TerminalOutput() : kept_(dup(STDOUT_FILENO)), master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    const int terminal = open(ptsname(master_), O_RDWR | O_NOCTTY);
    EXPECT_EQ(dup2(terminal, STDOUT_FILENO), STDOUT_FILENO);
    close(terminal);
  }
  ~TerminalOutput() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
    close(master_);
  }

 private:
  int kept_;
  int master_;
};

TEST(ReportOutputs, EveryFormatIsAnOptionWithItsHelp) {
  CLI::App app;
  OutputArguments arguments;
  AddOutputOptions(app, arguments);
  for (const OutputFormat& format : OutputFormats()) {
    if (!format.of_recordings) continue;
    EXPECT_THAT(app.help(), HasSubstr("--" + format.name + " FILE"));
    EXPECT_EQ(app.get_option("--" + format.name)->get_description(), format.help);
  }
}

TEST(ReportOutputs, PhasesHaveThoseThatNeedNoRecording) {
  CLI::App app;
  OutputArguments arguments;
  AddPhaseOutputOptions(app, arguments);
  EXPECT_THAT(app.help(), HasSubstr("--json FILE"));
  EXPECT_THAT(app.help(), HasSubstr("--html FILE"));
  EXPECT_THAT(app.help(), HasSubstr("--attribution FILE"));
  EXPECT_THAT(app.help(), HasSubstr("--perfetto FILE"));
  EXPECT_THAT(app.help(), Not(HasSubstr("--pprof")));
}

TEST(ReportOutputs, RecordingsAloneHaveNoneOfPhasesOnly) {
  CLI::App app;
  OutputArguments arguments;
  AddOutputOptions(app, arguments);
  EXPECT_THAT(app.help(), Not(HasSubstr("--attribution")));
}

TEST(ReportOutputs, SeveralMayBeWrittenAtOnce) {
  EXPECT_THAT(OutputConflict(Parsed("--json a --html b --dot - --pprof c")), IsEmpty());
  EXPECT_THAT(OutputConflict(Parsed("")), IsEmpty());
}

TEST(ReportOutputs, TwoInOnePlaceAreRefused) {
  EXPECT_EQ(OutputConflict(Parsed("--json a --pprof a")), "two outputs cannot be one file: a");
  EXPECT_EQ(OutputConflict(Parsed("--dot - --folded -")),
            "only one output can be standard output (-)");
  EXPECT_EQ(OutputConflict(Parsed("--json - --html -", AddPhaseOutputOptions)),
            "only one output can be standard output (-)");
}

TEST(ReportOutputs, ATerminalIsSparedFromBinaryOnes) {
  const TerminalOutput terminal;
  EXPECT_THAT(OutputConflict(Parsed("--pprof -")), StartsWith("--pprof is binary"));
  EXPECT_THAT(OutputConflict(Parsed("--perfetto -")), StartsWith("--perfetto is binary"));
  EXPECT_THAT(OutputConflict(Parsed("--json -")), IsEmpty());
  EXPECT_THAT(OutputConflict(Parsed("--pprof file")), IsEmpty());
}

}  // namespace
}  // namespace gordian
