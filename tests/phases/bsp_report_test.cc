// The bsp job with each of its troubles, recorded for real: the first finding names the trouble.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "schema/report.pb.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

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
    std::vector<std::string> words = {GORDIAN_PROGRAM, "record", "--budget",  "none",  "-o",
                                      session,         "--",     BSP_PROGRAM, "--log", log,
                                      "--supersteps",  "5"};
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

  // The finding of the job's trouble, which is the first; but where other programs had the CPUs
  // meanwhile, that is what limits it, and makes its phases uneven, too: then one of them.
  static void ExpectFound(const pb::Report& report, const std::vector<std::string>& kinds,
                          const std::string& words) {
    bool disturbed = false;
    for (const pb::Finding& finding : report.findings())
      disturbed |= finding.kind() == "starvation";
    const int most = disturbed ? report.findings_size() : std::min(1, report.findings_size());
    for (int i = 0; i < most; ++i) {
      const pb::Finding& finding = report.findings(i);
      if (std::find(kinds.begin(), kinds.end(), finding.kind()) != kinds.end() &&
          finding.title().find(words) != std::string::npos)
        return;
    }
    ADD_FAILURE() << "no " << words << " in " << report.verdict()
                  << (disturbed ? " (others had the CPUs)" : "");
  }

  const TempDir directory_;
};

TEST_F(BspReport, ALockAroundDeliveryBlocks) {
  ExpectFound(Run({"--workers", "2", "--lock", "--message-work", "3072"}), {"bottleneck"},
              "blocked by lock");
}

TEST_F(BspReport, PausesOfTheCollectorBlock) {
  ExpectFound(Run({"--workers", "2", "--gc"}), {"bottleneck"}, "blocked by gc");
}

TEST_F(BspReport, ASkewedPartitionIsUnevenWork) {
  ExpectFound(Run({"--workers", "2", "--skew"}), {"imbalance", "outlier"}, "Worker");
}

TEST_F(BspReport, LateMessagesKeepOneThreadBusyWhileTheOthersWait) {
  ExpectFound(Run({"--workers", "1", "--threads", "2", "--late-messages"}),
              {"imbalance", "outlier"}, "Gather/Worker");
}

}  // namespace
}  // namespace gordian::testing
