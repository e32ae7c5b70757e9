// SPDX-License-Identifier: Apache-2.0
// The real Prometheus asks gordian top, and the dashboard's questions are put to it.
// scripts/setup --nightly installs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "live/metrics/test_dashboard.h"
#include "tests/live/followed_stall.h"
#include "tests/live/http_get.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPrometheus = "/usr/bin/prometheus";

std::string Query(uint16_t port, const std::string& question) {
  return HttpGet(port, "/api/v1/query?query=" + UrlEncoded(question));
}

bool HasSeries(const std::string& answer) {
  return answer.find("\"status\":\"success\"") != std::string::npos &&
         answer.find("\"metric\":") != std::string::npos;
}

class PrometheusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // The real server is for the nightly run; live_services_test checks the same text without it.
    if (access(kPrometheus, X_OK) != 0)
      GTEST_SKIP() << "there is no " << kPrometheus << ": scripts/setup --nightly installs it";
    stall_.Follow({"--metrics", "0"});
    FollowedStall::Until(
        [this] { return (gordian_port_ = PortBehind(stall_.Said(), "metrics at http://")) != 0; });
    ASSERT_NE(gordian_port_, 0) << stall_.Said();
    const std::string config = testing::WriteFile(
        stall_.directory() / "prometheus.yml",
        absl::StrCat("global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: gordian\n"
                     "    static_configs: [{targets: ['127.0.0.1:",
                     gordian_port_, "']}]\n"));
    const std::string log = stall_.directory() / "prometheus.log";
    prometheus_ = std::make_unique<BackgroundProgram>(
        std::vector<std::string>{kPrometheus, "--config.file=" + config,
                                 absl::StrCat("--storage.tsdb.path=", stall_.directory() / "data"),
                                 "--web.listen-address=127.0.0.1:0"},
        std::vector<std::string>{}, log);
    FollowedStall::Until([&] {
      return access(log.c_str(), R_OK) == 0 &&
             (port_ = PortBehind(testing::ReadFile(log), "\"Listening on\" address=")) != 0;
    });
    ASSERT_NE(port_, 0) << testing::ReadFile(log);
  }

  FollowedStall stall_;
  std::unique_ptr<BackgroundProgram> prometheus_;
  uint16_t gordian_port_ = 0;
  uint16_t port_ = 0;
};

TEST_F(PrometheusTest, ReadsTheMetricsAndAnswersTheDashboardsQuestions) {
  EXPECT_TRUE(FollowedStall::Until([this] {
    return HasSeries(Query(port_, "rate(gordian_wait_seconds_total{from=\"server\"}[1m]) > 0"));
  })) << HttpGet(port_, "/api/v1/targets");
  const std::string targets = HttpGet(port_, "/api/v1/targets");
  EXPECT_THAT(targets, HasSubstr("\"health\":\"up\""));
  EXPECT_THAT(targets, HasSubstr("\"lastError\":\"\""));
  EXPECT_THAT(HttpGet(port_, "/api/v1/metadata?metric=gordian_wait_seconds"),
              HasSubstr("\"type\":\"counter\""));
  for (const std::string series : {"gordian_limit_ratio", "gordian_cpus_busy", "gordian_node_up",
                                   "gordian_lost_records_total", "gordian_open_waits"})
    EXPECT_TRUE(HasSeries(Query(port_, series))) << series;
  for (const DashboardQuestion& question : ReadDashboard(GORDIAN_DASHBOARD)) {
    const std::string asked =
        absl::StrReplaceAll(question.expression, {{"$__rate_interval", "1m"}, {"$instance", ".*"}});
    EXPECT_THAT(Query(port_, asked), HasSubstr("\"status\":\"success\"")) << asked;
  }
  EXPECT_EQ(stall_.End(), 0) << stall_.Said();
}

}  // namespace
}  // namespace gordian
