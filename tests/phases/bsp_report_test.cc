// The bsp job with each of its troubles, recorded for real: the first finding names the trouble.
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "proto/report.pb.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class BspReport : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "recording needs root";
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
      GTEST_SKIP() << "two threads that never run side by side hold each other up in no phase";
  }

  pb::Report Run(const std::vector<std::string>& options) {
    const std::string session = directory_ / "session";
    const std::string log = directory_ / "bsp.log";
    const std::string json = directory_ / "report.json";
    std::vector<std::string> words = {GORDIAN_PROGRAM, "record", "-o", session,        "--",
                                      BSP_PROGRAM,     "--log",  log,  "--supersteps", "5"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramResult recorded = RunProgram(words);
    EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
    const ProgramResult told = RunProgram(
        {GORDIAN_PROGRAM, "phases", session, "--log", log, "--model", BSP_MODEL, "--json", json});
    EXPECT_EQ(told.exit_code, 0) << told.errors;
    std::ifstream file(json);
    std::ostringstream text;
    text << file.rdbuf();
    pb::Report report;
    google::protobuf::util::JsonParseOptions lenient;
    lenient.ignore_unknown_fields = true;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text.str(), &report, lenient).ok());
    return report;
  }

  // Other programs may have the CPUs while this test runs; that this is the first finding then is
  // right, and none of the job's troubles.
  static const pb::Finding& First(const pb::Report& report) {
    for (const pb::Finding& finding : report.findings()) {
      const bool cpu = finding.kind() == "bottleneck" &&
                       finding.title().find("limited by cpu") != std::string::npos;
      if (!cpu && finding.kind() != "starvation") return finding;
    }
    ADD_FAILURE() << "nothing is found";
    return pb::Finding::default_instance();
  }

  const TempDir directory_;
};

TEST_F(BspReport, ALockAroundDeliveryBlocks) {
  const pb::Report report = Run({"--workers", "2", "--lock", "--message-work", "3072"});
  EXPECT_EQ(First(report).kind(), "bottleneck");
  EXPECT_THAT(First(report).title(), HasSubstr("blocked by lock"));
}

TEST_F(BspReport, PausesOfTheCollectorBlock) {
  const pb::Report report = Run({"--workers", "2", "--gc"});
  EXPECT_EQ(First(report).kind(), "bottleneck");
  EXPECT_THAT(First(report).title(), HasSubstr("blocked by gc"));
}

TEST_F(BspReport, ASkewedPartitionIsUnevenWork) {
  const pb::Report report = Run({"--workers", "2", "--skew"});
  EXPECT_THAT(First(report).kind(), AnyOf("imbalance", "outlier"));
  EXPECT_THAT(First(report).title(), HasSubstr("Worker"));
}

TEST_F(BspReport, LateMessagesKeepOneThreadBusyWhileTheOthersWait) {
  const pb::Report report = Run({"--workers", "1", "--threads", "2", "--late-messages"});
  EXPECT_THAT(First(report).kind(), AnyOf("imbalance", "outlier"));
  EXPECT_THAT(First(report).title(), HasSubstr("Gather/Worker"));
}

}  // namespace
}  // namespace gordian::testing
