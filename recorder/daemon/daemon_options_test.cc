// SPDX-License-Identifier: Apache-2.0
#include "recorder/daemon/daemon_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

// Reads `words` as gordiand would; the error's text, or empty.
std::string Parse(std::vector<std::string> words, DaemonOptions& options) {
  CLI::App app("", "gordiand");
  AddDaemonOptions(app, options);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

class DaemonOptionsTest : public ::testing::Test {
 protected:
  std::string ConfigFile(const std::string& text) {
    const std::string path = directory_.path() + "/gordiand.conf";
    std::ofstream(path) << text;
    return path;
  }
  TestDirectory directory_;
};

TEST_F(DaemonOptionsTest, TheFileIsReadAndTheCommandLineWins) {
  const std::string file = ConfigFile(
      "# a comment\n"
      "max-size = 2G\n"
      "max-duration = 12h\n"
      "group = \"wheel\"\n"
      "max-sessions = 3\n");
  DaemonOptions options;
  EXPECT_EQ(Parse({"--config", file, "--max-size", "1G", "--min-free=0"}, options), "");
  EXPECT_EQ(options.limits.max_session_bytes, 1u << 30);
  EXPECT_EQ(options.limits.max_duration_ns, 12 * 3'600'000'000'000u);
  EXPECT_EQ(options.limits.max_sessions, 3u);
  EXPECT_EQ(options.limits.min_free_bytes, 0u);
  EXPECT_EQ(options.operators_group, "wheel");
  EXPECT_EQ(options.socket_path, "/run/gordian/gordiand.sock");
}

TEST_F(DaemonOptionsTest, MistakesInTheFileAreNamed) {
  DaemonOptions options;
  EXPECT_THAT(Parse({"--config", ConfigFile("max-size = lots\n")}, options),
              HasSubstr("--max-size"));
  EXPECT_THAT(Parse({"--config", ConfigFile("max-sise = 1G\n")}, options), HasSubstr("max-sise"));
  EXPECT_THAT(Parse({"--config", directory_.path() + "/missing"}, options), HasSubstr("missing"));
}

TEST_F(DaemonOptionsTest, NonsenseIsRefused) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--max-sessions", "0"},
           {"--max-sessions", "1000"},
           {"--max-duration", "0s"},
           {"--max-duration", "5"},
           {"--min-free", "-1"},
           {"extra"},
       }) {
    DaemonOptions options;
    EXPECT_NE(Parse(words, options), "") << words.back();
  }
}

TEST_F(DaemonOptionsTest, ThePackagedConfigurationIsTheDefaults) {
  const DaemonOptions defaults;
  std::string uncommented;  // every example line of the file, switched on
  std::ifstream file(GORDIAN_PACKAGED_CONFIGURATION);
  int settings = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") && line.find(" = ") != std::string::npos) {
      uncommented += line.substr(1) + "\n";
      ++settings;
    }
  }
  EXPECT_EQ(settings, 8);
  DaemonOptions options;
  EXPECT_EQ(Parse({"--config", ConfigFile(uncommented)}, options), "");
  EXPECT_EQ(options.socket_path, defaults.socket_path);
  EXPECT_EQ(options.state_directory, defaults.state_directory);
  EXPECT_EQ(options.operators_group, defaults.operators_group);
  EXPECT_EQ(options.limits.max_session_bytes, defaults.limits.max_session_bytes);
  EXPECT_EQ(options.limits.max_total_bytes, defaults.limits.max_total_bytes);
  EXPECT_EQ(options.limits.min_free_bytes, defaults.limits.min_free_bytes);
  EXPECT_EQ(options.limits.max_sessions, defaults.limits.max_sessions);
  EXPECT_EQ(options.limits.max_duration_ns, defaults.limits.max_duration_ns);
}

}  // namespace
}  // namespace gordian
