// Recordings as text, from event to edge: analyzer/testdata.
#include "analyzer/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/scenario.h"
#include "proto/test_sessions.h"

namespace gordian {
namespace {

std::vector<std::string> Analyze(const Scenario& scenario, size_t events_per_block,
                                 size_t events_per_window, int threads) {
  TemporaryDirectory directory;
  WriteScenario(scenario, directory / "session", events_per_block);
  auto session = SessionReader::Open(directory / "session");
  if (!session.ok()) return {session.status().ToString()};
  const auto timeline =
      LoadTimeline(**session, {.threads = threads, .events_per_window = events_per_window});
  if (!timeline.ok()) return {timeline.status().ToString()};
  return ResultsOf(*timeline, BuildWaitForGraph(*timeline, {.threads = threads}));
}

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GORDIAN_TESTDATA)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Scenarios : public testing::TestWithParam<std::string> {
 protected:
  Scenario scenario_ = ReadScenario(std::string(GORDIAN_TESTDATA "/") + GetParam() + ".txt");
};

TEST_P(Scenarios, AreAnalyzedAsExpected) {
  EXPECT_THAT(Analyze(scenario_, 1000, 0, 1), testing::ElementsAreArray(scenario_.expected));
}

TEST_P(Scenarios, DoNotDependOnBlocksWindowsAndThreads) {
  EXPECT_EQ(Analyze(scenario_, 1, 1, 2), scenario_.expected);
  EXPECT_EQ(Analyze(scenario_, 3, 2, 3), scenario_.expected);
}

INSTANTIATE_TEST_SUITE_P(Testdata, Scenarios, testing::ValuesIn(ScenarioNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gordian
