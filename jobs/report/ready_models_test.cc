// SPDX-License-Identifier: Apache-2.0
// What the report finds in the sample logs of the ready models: each has the trouble that the
// system which wrote it is known for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "jobs/phases/read_job.h"
#include "jobs/report/job_report.h"

namespace gordian {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The titles of all findings, the costliest first.
std::vector<std::string> FindingsOf(const std::string& model,
                                    const std::vector<std::string>& logs) {
  JobInputs inputs;
  const auto loaded = LoadModel(model);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  inputs.model = *loaded;
  for (const std::string& log : logs) inputs.logs.push_back(GORDIAN_TESTDATA "/" + log);
  auto reading = ReadJob(inputs);
  EXPECT_TRUE(reading.ok()) << reading.status();
  const auto analysis = AnalyzeJob(std::move(reading->job), {}, {});
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  pb::Report report;
  AddJob(*analysis, {}, report);
  std::vector<std::string> titles;
  for (const pb::Finding& finding : report.findings()) titles.push_back(finding.title());
  return titles;
}

TEST(ReadyModelFindings, GiraphWaitsForItsMessageQueueMostAndThenForItsCollector) {
  const std::vector<std::string> titles =
      FindingsOf("giraph-operations", {"giraph-operations.log"});
  ASSERT_THAT(titles, SizeIs(testing::Ge(2u)));
  EXPECT_THAT(titles[0], HasSubstr("ComputeThread is blocked by message_queue"));
  EXPECT_THAT(titles, Contains(HasSubstr("ComputeThread is blocked by gc")));
}

TEST(ReadyModelFindings, GiraphsOwnLogTellsLongWaitsForTheMessageQueue) {
  EXPECT_THAT(FindingsOf("giraph", {"giraph-worker-1.log", "giraph-worker-2.log"}),
              Contains(HasSubstr("blocked by message_queue")));
}

TEST(ReadyModelFindings, PowerGraphHasAThreadThatGathersWhileTheOthersWait) {
  EXPECT_THAT(FindingsOf("powergraph", {"powergraph.log"})[0],
              AllOf(HasSubstr("WorkerGather[1]/GatherThread[2] takes"), HasSubstr("its like")));
}

TEST(ReadyModelFindings, SparkWaitsForItsSchedulerItsCollectorAndShuffledData) {
  const std::vector<std::string> titles = FindingsOf("spark", {"spark.jsonl"});
  EXPECT_THAT(titles, Contains(HasSubstr("SchedulerDelay is blocked by scheduler")));
  EXPECT_THAT(titles, Contains(HasSubstr("Compute is blocked by gc")));
  EXPECT_THAT(titles, Contains(HasSubstr("Compute is blocked by shuffle_fetch")));
}

TEST(ReadyModelFindings, FlinksSubtasksLastUnevenly) {
  EXPECT_THAT(FindingsOf("flink", {"flink.log"}),
              Contains(HasSubstr("Running phases of one Job last differently")));
}

TEST(ReadyModelFindings, APodWaitsForANodeAndForItsImage) {
  const std::vector<std::string> titles = FindingsOf("kubernetes", {"kubernetes.json"});
  EXPECT_THAT(titles, Contains(HasSubstr("Pending is blocked by node")));
  EXPECT_THAT(titles, Contains(HasSubstr("blocked by image")));
}

TEST(ReadyModelFindings, AJobOfARunWaitsForARunner) {
  EXPECT_THAT(FindingsOf("github", {"github-jobs.json"}),
              Contains(HasSubstr("Queued is blocked by runner")));
  EXPECT_THAT(FindingsOf("gitlab", {"gitlab-jobs.json"}),
              Contains(HasSubstr("Queued is blocked by runner")));
}

TEST(ReadyModelFindings, OneJobOfARunLastsLongest) {
  EXPECT_THAT(FindingsOf("github", {"github-run.log"}),
              Contains(HasSubstr("Job phases of one Run last differently")));
}

TEST(ReadyModelFindings, ABuildHasCommandsThatTakeUnevenTime) {
  EXPECT_THAT(FindingsOf("ninja", {"ninja_log"}),
              Contains(HasSubstr("Compile phases of one Build")));
}

// Its own work is no time in which nothing is known to run.
TEST(ReadyModelFindings, ATraceHasNoGapsWithinItsEvents) {
  for (const std::string& title : FindingsOf("ftime-trace", {"ftime-trace.json"}))
    EXPECT_THAT(title, testing::Not(HasSubstr("no known phase runs")));
}

}  // namespace
}  // namespace gordian
