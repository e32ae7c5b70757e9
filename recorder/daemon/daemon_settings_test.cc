// SPDX-License-Identifier: Apache-2.0
#include "recorder/daemon/daemon_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "recorder/daemon/daemon_options.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DaemonSettingsTest : public ::testing::Test {
 protected:
  absl::StatusOr<DaemonSettings> Read(const std::string& text) {
    std::ofstream(path_) << text;
    return ReadDaemonSettings(path_);
  }
  std::string Mistake(const std::string& text) {
    return std::string(Read(text).status().message());
  }

  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/gordiand.yaml";
};

constexpr const char* kNetwork =
    "network:\n  listen: ['10.0.0.1', '[::1]:99']\n  certificate: c\n  key: k\n  authority: a\n";

TEST_F(DaemonSettingsTest, ThereIsNoNetworkUnlessItIsConfigured) {
  EXPECT_FALSE(Read("")->network.has_value());
  EXPECT_EQ(Read("")->audit_file, "");
  EXPECT_FALSE(ReadDaemonSettings(directory_.path() + "/none").ok()) << "named, and not there";
  const auto settings = Read(kNetwork);
  ASSERT_TRUE(settings.ok()) << settings.status();
  ASSERT_TRUE(settings->network.has_value());
  ASSERT_EQ(settings->network->listen.size(), 2u);
  EXPECT_EQ(settings->network->listen[0].text(), "10.0.0.1:7470");
  EXPECT_EQ(settings->network->listen[1].text(), "[::1]:99");
  EXPECT_EQ(settings->audit_file, "/var/log/gordian/audit.log");
}

TEST_F(DaemonSettingsTest, NoNetworkWithoutCertificates) {
  EXPECT_THAT(Mistake("network:\n"), HasSubstr("'listen' is missing"));
  EXPECT_THAT(Mistake("network:\n  listen: 10.0.0.1\n"), HasSubstr("'certificate' is missing"));
  EXPECT_THAT(Mistake("network:\n  listen: 10.0.0.1\n  certificate: c\n  key: k\n"),
              HasSubstr("'authority' is missing"));
}

TEST_F(DaemonSettingsTest, MistakesAreNamed) {
  EXPECT_THAT(Mistake("netwrok: {}\n"), HasSubstr(":1: unknown setting 'netwrok'"));
  EXPECT_THAT(Mistake("limits:\n  max-sise: 1G\n"), HasSubstr(":2: unknown setting 'max-sise'"));
  EXPECT_THAT(Mistake(std::string(kNetwork) + "  operators: [alice]\n"),
              HasSubstr("'alice' names no certificate"));
  EXPECT_THAT(Mistake("network:\n  listen: 'no such:place'\n"), HasSubstr("is no address"));
}

TEST_F(DaemonSettingsTest, TheStricterLimitCounts) {
  const auto settings = Read("limits:\n  max-size: 1G\n  max-total-size: 900G\n  min-free: 5G\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  const SessionLimits both = Stricter(SessionLimits{}, settings->limits);
  EXPECT_EQ(both.max_session_bytes, 1u << 30);
  EXPECT_EQ(both.max_total_bytes, SessionLimits{}.max_total_bytes);
  EXPECT_EQ(both.min_free_bytes, 5ull << 30);
  EXPECT_EQ(both.max_sessions, SessionLimits{}.max_sessions);
  EXPECT_EQ(both.max_duration_ns, SessionLimits{}.max_duration_ns);
  EXPECT_EQ(both.max_kernel_ring_bytes_per_cpu, SessionLimits{}.max_kernel_ring_bytes_per_cpu);
}

TEST_F(DaemonSettingsTest, TheOwnersShareOfTheCpusHoldsWithoutAFileAndMayBeAnyOther) {
  const SessionLimits options = DaemonOptions{}.limits;
  EXPECT_EQ(Stricter(options, Read("")->limits).max_cpu_ppm, 20'000u);
  const auto settings = Read(
      "limits:\n  max-cpu: 5%\n  max-stacks: sampled\n  max-sample-hz: 49\n  max-memory: 1G\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  const SessionLimits both = Stricter(options, settings->limits);
  EXPECT_EQ(both.max_cpu_ppm, 50'000u);
  EXPECT_EQ(both.max_stacks, StackChoice::kSampled);
  EXPECT_EQ(both.max_sample_hz, 49u);
  EXPECT_EQ(both.max_memory_bytes, 1u << 30);
  EXPECT_EQ(Read("limits: {max-cpu: none}\n")->limits.max_cpu_ppm, kAllCpusPpm);
  EXPECT_THAT(Mistake("limits:\n  max-cpu: lots\n"),
              HasSubstr(":2: limits: 'max-cpu' must be a share"));
  EXPECT_THAT(Mistake("limits:\n  max-cpu: 99%\n"), HasSubstr("from 0.5% to 50%"));
  EXPECT_THAT(Mistake("limits:\n  max-stacks: some\n"), HasSubstr("off, sampled or all"));
  EXPECT_THAT(Mistake("limits:\n  max-sample-hz: 20000\n"), HasSubstr("from 0 to 10000"));
}

TEST_F(DaemonSettingsTest, ThePackagedFileIsOffAndItsExamplesAreGood) {
  const auto packaged = ReadDaemonSettings(GORDIAN_PACKAGED_SETTINGS);
  ASSERT_TRUE(packaged.ok()) << packaged.status();
  EXPECT_FALSE(packaged->network.has_value());

  std::ifstream file(GORDIAN_PACKAGED_SETTINGS);
  std::string uncommented;
  for (std::string line; std::getline(file, line);) {
    const bool setting = line.size() > 1 && line[0] == '#' && line[1] != ' ';
    const bool nested = line.starts_with("#  ");
    if (setting || nested) uncommented += line.substr(1) + "\n";
  }
  const auto settings = Read(uncommented);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_TRUE(settings->network.has_value());
  EXPECT_THAT(settings->network->roles.viewers, ElementsAre("CN:bob"));
  const SessionLimits& limits = settings->limits;
  const SessionLimits defaults;
  EXPECT_EQ(limits.max_session_bytes, defaults.max_session_bytes);
  EXPECT_EQ(limits.max_total_bytes, defaults.max_total_bytes);
  EXPECT_EQ(limits.min_free_bytes, defaults.min_free_bytes);
  EXPECT_EQ(limits.max_sessions, defaults.max_sessions);
  EXPECT_EQ(limits.max_duration_ns, defaults.max_duration_ns);
  EXPECT_EQ(limits.max_kernel_ring_bytes_per_cpu, defaults.max_kernel_ring_bytes_per_cpu);
  EXPECT_EQ(limits.max_cpu_ppm, defaults.max_cpu_ppm);
  EXPECT_EQ(limits.max_stacks, defaults.max_stacks);
  EXPECT_EQ(limits.max_sample_hz, defaults.max_sample_hz);
  EXPECT_EQ(settings->max_collect_bytes_per_second, 200u << 20);
}

}  // namespace
}  // namespace gordian
