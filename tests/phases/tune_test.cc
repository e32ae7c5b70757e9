// SPDX-License-Identifier: Apache-2.0
// gordian model tune as people run it: a log and samples of a job whose rules are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "recorder/sessions/test_directory.h"
#include "tests/program.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kSteps = 30;

std::string Second(double at) {
  std::ostringstream text;
  text << std::fixed << 1'700'000'000.0 + at;
  return text.str();
}

// Each step loads with one core, computes with four, and waits; each part for a time of its own. A
// sample a second.
class TunedModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(File("job.yaml"))
        << "# A job of steps.\n"
           "model: steps\n"
           "resources: {cpu: {unit: cores}}  # lost\n"
           "phases:\n"
           "  Job:\n"
           "    phases:\n"
           "      Load: {repeat: sequential}\n"
           "      Compute: {repeat: sequential, uses: {cpu: variable}}\n"
           "      Never: {uses: {cpu: exact 1500e-3 cores}}\n"
           "logs:\n"
           "  format: json\n"
           "  rules:\n"
           "    - when: {phase: }\n"
           "      phase: '{phase}'\n"
           "      start_time: '{start}'\n"
           "      end_time: '{end}'\n";
    std::ofstream log(File("job.log"));
    std::vector<double> cores(kSteps * 10);
    double at = 0;
    const auto phase = [&](const std::string& name, int step, int seconds, double use) {
      log << R"({"phase":"/Job/)" << name << "[" << step << R"(]","start":")" << Second(at)
          << R"(","end":")" << Second(at + seconds) << "\"}\n";
      for (int second = 0; second < seconds; ++second)
        cores[static_cast<size_t>(at) + static_cast<size_t>(second)] = use;
      at += seconds;
    };
    for (int step = 0; step < kSteps; ++step) {
      phase("Load", step, 1 + step % 3, 1);
      phase("Compute", step, 1 + step % 4, 4);
      at += 1 + step % 2;
    }
    std::ofstream samples(File("use.csv"));
    samples << "time,resource,value\n" << Second(0) << ",cpu,0\n";
    for (int second = 0; second < static_cast<int>(at); ++second)
      samples << Second(second + 1) << ",cpu," << cores[static_cast<size_t>(second)] << "\n";
  }

  std::string File(const std::string& name) const { return directory_.path() + "/" + name; }

  ProgramResult Tune(const std::string& model, const std::string& output) const {
    return RunProgram({GORDIAN_PROGRAM, "model", "tune", "--log", File("job.log"), "--model", model,
                       "--resources", File("use.csv"), "--slice", "100", "-o", output});
  }
  static std::string Contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

 private:
  TestDirectory directory_;
};

TEST_F(TunedModelFile, SaysTheRulesByWhichTheJobWasMade) {
  const ProgramResult tuned = Tune(File("job.yaml"), File("tuned.yaml"));
  ASSERT_EQ(tuned.exit_code, 0) << tuned.errors;
  EXPECT_THAT(tuned.output, HasSubstr("Error on time held back, of samples of 8 s: "));
  EXPECT_THAT(tuned.output, HasSubstr("No evidence, so their rules stay: /Job/Never\n"));
  const std::string yaml = Contents(File("tuned.yaml"));
  EXPECT_THAT(yaml, StartsWith("# A job of steps.\nmodel: steps\n"));
  EXPECT_THAT(yaml, HasSubstr("exact 1500e-3 cores"));
  EXPECT_THAT(yaml, Not(HasSubstr("cpu: variable}")));
  const ProgramResult checked = RunProgram({GORDIAN_PROGRAM, "model", "check", File("tuned.yaml")});
  EXPECT_EQ(checked.exit_code, 0) << checked.errors;
}

TEST_F(TunedModelFile, IsTheSameWhenTunedAgain) {
  ASSERT_EQ(Tune(File("job.yaml"), File("once.yaml")).exit_code, 0);
  ASSERT_EQ(Tune(File("once.yaml"), File("twice.yaml")).exit_code, 0);
  EXPECT_EQ(Contents(File("twice.yaml")), Contents(File("once.yaml")));
}

TEST_F(TunedModelFile, GoesToStandardOutputWithoutTheTable) {
  const ProgramResult tuned = Tune(File("job.yaml"), "-");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.errors;
  EXPECT_THAT(tuned.output, StartsWith("# A job of steps.\nmodel: steps\n"));
  EXPECT_THAT(tuned.errors, HasSubstr("Error on time held back"));
}

TEST_F(TunedModelFile, DoesNotAppearIfTheModelIsWrong) {
  std::ofstream(File("bad.yaml")) << "model: steps\nresources: {cpu: {unit: cores}}\n"
                                     "phases: {Job: {uses: {cpu: exact 5 MB/s}}}\n"
                                     "logs: {format: spark}\n";
  const ProgramResult tuned = Tune(File("bad.yaml"), File("tuned.yaml"));
  EXPECT_EQ(tuned.exit_code, 1);
  EXPECT_THAT(tuned.errors,
              HasSubstr("bad.yaml:3: uses: 'exact 5 MB/s' for cpu: its amounts are in "
                        "cores, and 'MB/s' is no such unit"));
  EXPECT_FALSE(std::filesystem::exists(File("tuned.yaml")));
}

}  // namespace
}  // namespace gordian
