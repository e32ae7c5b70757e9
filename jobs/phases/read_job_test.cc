// SPDX-License-Identifier: Apache-2.0
#include "jobs/phases/read_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Milliseconds(uint64_t span_ns) {
  return absl::StrCat(static_cast<double>(span_ns) / 1e6);
}

// A job as the golden files have it: times in ms from the job's beginning.
std::string Describe(const JobReading& reading) {
  const Job& job = reading.job;
  const uint64_t origin_ns = job.phases.at(0).start_ns;
  std::string text = absl::StrCat("begins at ", origin_ns, "\n");
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    const Phase& phase = job.phases[id];
    absl::StrAppend(&text, PathOf(job, id), " ", Milliseconds(phase.start_ns - origin_ns), "..",
                    Milliseconds(phase.end_ns - origin_ns));
    if (!phase.node.empty()) absl::StrAppend(&text, " on ", phase.node);
    if (phase.pid != 0) absl::StrAppend(&text, " pid ", phase.pid);
    if (phase.tid != 0) absl::StrAppend(&text, " tid ", phase.tid);
    for (const PhaseId before : phase.after) absl::StrAppend(&text, " after ", PathOf(job, before));
    absl::StrAppend(&text, phase.end_assumed ? " (end assumed)\n" : "\n");
  }
  for (const BlockedInterval& blocked : job.blocked) {
    const Resource& resource = job.resources[blocked.resource];
    absl::StrAppend(&text, "blocked by ", resource.name, "@", resource.node, ": ",
                    PathOf(job, blocked.phase), " ", Milliseconds(blocked.start_ns - origin_ns),
                    "..", Milliseconds(blocked.end_ns - origin_ns), "\n");
  }
  for (size_t i = 0; i < job.resources.size(); ++i) {
    for (const ResourceSample& sample : job.samples[i])
      absl::StrAppend(&text, "used ", job.resources[i].name, "@", job.resources[i].node, " ",
                      sample.use, " of ", job.resources[i].capacity, " for ",
                      Milliseconds(sample.end_ns - sample.start_ns), "\n");
  }
  for (const TalliedCounter& counter : reading.counters) {
    absl::StrAppend(&text, counter.name, " ", counter.value, "\n");
    for (const std::string& example : counter.examples) absl::StrAppend(&text, "  ", example, "\n");
  }
  return text;
}

JobInputs Inputs(const std::string& model, std::vector<std::string> logs) {
  JobInputs inputs;
  const auto loaded = LoadModel(model);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  inputs.model = *loaded;
  inputs.logs = std::move(logs);
  return inputs;
}

// The job of `text` by `model` (YAML).
absl::StatusOr<JobReading> ReadText(const std::string& model, const std::string& text) {
  const TemporaryDirectory directory;
  WriteWholeFile(directory / "m.yaml", model);
  WriteWholeFile(directory / "app-7.log", text);
  return ReadJob(Inputs(directory / "m.yaml", {directory / "app-7.log"}));
}

struct Golden {
  const char* model;
  std::vector<const char*> logs;
  const char* name = nullptr;  // of its file; null: the model's
};

class ReadyModelJobs : public testing::TestWithParam<Golden> {};

// To see the changes: GORDIAN_WRITE_GOLDEN=1 writes the files anew.
TEST_P(ReadyModelJobs, AreReadAsTheGoldenFileSays) {
  const std::string folder = GORDIAN_TESTDATA "/";
  std::vector<std::string> logs;
  for (const char* log : GetParam().logs) logs.push_back(folder + log);
  const auto reading = ReadJob(Inputs(GetParam().model, logs));
  ASSERT_TRUE(reading.ok()) << reading.status();
  const std::string golden =
      folder + (GetParam().name != nullptr ? GetParam().name : GetParam().model) + ".golden";
  if (std::getenv("GORDIAN_WRITE_GOLDEN") != nullptr) WriteWholeFile(golden, Describe(*reading));
  EXPECT_EQ(Describe(*reading), ReadWholeFile(golden));
}

INSTANTIATE_TEST_SUITE_P(
    ReadJob, ReadyModelJobs,
    testing::Values(Golden{"chrome-trace", {"chrome-trace.json"}}, Golden{"flink", {"flink.log"}},
                    Golden{"ftime-trace", {"ftime-trace.json"}},
                    Golden{"giraph", {"giraph-worker-1.log", "giraph-worker-2.log"}},
                    Golden{"giraph-operations", {"giraph-operations.log"}},
                    Golden{"github", {"github.log"}},
                    Golden{"github", {"github-run.log"}, "github-run"},
                    Golden{"github", {"github-jobs.json"}, "github-jobs"},
                    Golden{"gitlab", {"gitlab-build.log", "gitlab-test.log"}},
                    Golden{"gitlab", {"gitlab-jobs.json"}, "gitlab-jobs"},
                    Golden{"json-lines", {"json-lines.jsonl"}},
                    Golden{"kubernetes", {"kubernetes.json"}}, Golden{"nginx", {"nginx.log"}},
                    Golden{"ninja", {"ninja_log"}}, Golden{"otel", {"otel.json"}},
                    Golden{"postgresql", {"postgresql.log"}},
                    Golden{"powergraph", {"powergraph.log"}}, Golden{"spark", {"spark.jsonl"}}),
    [](const testing::TestParamInfo<Golden>& golden) {
      std::string name = golden.param.name != nullptr ? golden.param.name : golden.param.model;
      std::erase(name, '-');
      return name;
    });

constexpr char kModel[] = R"(model: demo
resources: {cpu: {unit: cores}}
phases: {Job: {phases: {Step: {repeat: sequential, phases: {Part: }}, Other: }}}
logs:
  format: text
  file: 'app-(?P<id>\d+)'
  time: epoch_s
  rules:
    - {match: '^(?P<time>\S+) begin (?P<step>\d+)', begin: "/Job/Step[{id}.{step}]", node: "{file}"}
    - {match: '^(?P<time>\S+) end (?P<step>\d+)', end: "/Job/Step[{id}.{step}]", node: "{file}"}
    - {match: '^(?P<start>\S+) (?P<stop>\S+) other', phase: /Job/Other, start_time: "{start}", end_time: "{stop}"}
    - {match: '^(?P<time>\S+) .* used (?P<used>\S+)', sample: cpu, value: "{used}", capacity: "4"}
)";

TEST(ReadJob, TakesVariablesFromTheFilesNameAndHearsEveryRuleThatMatches) {
  const auto reading =
      ReadText(kModel, "10 begin 1 used 1\n11 end 1 used 2\n12.5 13 other\n13 end 9\n");
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(Describe(*reading),
            "begins at 10000000000\n"
            "/Job 0..3000\n"
            "/Job/Step[7.1] 0..1000 on app-7.log\n"
            "/Job/Other 2500..3000\n"
            "used cpu@ 1 of 4 for 1000\n"
            "used cpu@ 2 of 4 for 1000\n"
            "phase_ends_without_begin 1\n");
}

TEST(ReadJob, CountsLinesItDoesNotUnderstandAndKeepsTheFirst) {
  std::string text = "10 begin 1\n20 end 1\nsoon begin 2\n";
  for (int i = 0; i < 100; ++i) text += "chatter\n";
  const auto reading = ReadText(kModel, text);
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(reading->counters.size(), 2u);
  EXPECT_EQ(reading->counters[0].name, "log_lines_malformed");
  EXPECT_THAT(
      reading->counters[0].examples,
      ElementsAre(
          "app-7.log:3: the model's line 9: time '{time}' is 'soon', not a number since 1970 "
          "(time: epoch_s, epoch_ms, epoch_us or epoch_ns); the line: soon begin 2"));
  EXPECT_EQ(reading->counters[1].value, 100u);
  EXPECT_THAT(reading->counters[1].examples,
              ElementsAre("app-7.log:4: chatter", "app-7.log:5: chatter", "app-7.log:6: chatter"));
}

constexpr char kJsonModel[] = R"(model: demo
phases: {Job: {phases: {Step: {repeat: sequential}}}}
logs:
  format: json
  time: epoch_s
  rules:
    - {when: {event: begin}, begin: "/Job/Step[{step}]"}
    - {when: {event: end}, end: "/Job/Step[{step}]"}
    - {when: {event: step, took_s: }, phase: "/Job/Step[{step}]", duration: "{took_s}"}
)";

// The examples of the counter of that name, joined.
std::string ExamplesOf(const absl::StatusOr<JobReading>& reading, std::string_view counter) {
  std::string text = reading.ok() ? "" : std::string(reading.status().message());
  if (!reading.ok()) return text;
  for (const TalliedCounter& one : reading->counters) {
    if (one.name != counter) continue;
    for (const std::string& example : one.examples) absl::StrAppend(&text, example, "\n");
  }
  return text;
}

TEST(ReadJob, SaysWhichFieldIsMissingInATextThatAlmostFits) {
  const std::string model =
      "model: demo\nphases: {Job: {phases: {Step: {repeat: sequential}}}}\nlogs:\n"
      "  format: text\n  time: epoch_s\n  rules:\n"
      "    - match: '^(?P<time>\\S+) step (?P<step>\\d+) took (?P<ms>\\d+) ms$'\n"
      "      phase: /Job/Step[{step}]\n      duration: \"{ms}\"\n      unit: ms\n";
  const auto reading =
      ReadText(model,
               "10 step 1 took 5 ms\n11 step two took 5 ms\n12 step 3 took 5 ms more\n"
               "13 step 4 took\n14 chatter\n15 step 5 took 0.5 ms\n");
  const std::string examples = ExamplesOf(reading, "log_lines_almost_fit");
  EXPECT_THAT(examples,
              HasSubstr("app-7.log:2: the model's line 7: group step: '(?P<step>\\d+)' is "
                        "expected behind the line's first 8 letters, where 'two took 5 "
                        "ms' is; the line: 11 step two took 5 ms\n"));
  // One example of each rule: the others are counted.
  EXPECT_EQ(std::count(examples.begin(), examples.end(), '\n'), 1);
  EXPECT_EQ(reading->counters[0].value, 3u);
}

TEST(ReadJob, SaysWhichFieldOfJsonIsMissingOrWrong) {
  const auto reading =
      ReadText(kJsonModel,
               "{\"time\": 10, \"event\": \"begin\", \"step\": 1}\n"
               "{\"time\": null, \"event\": \"end\", \"step\": 1}\n"
               "{\"time\": 12, \"event\": \"begin\", \"stpe\": 2}\n"
               "{\"time\": 13, \"event\": \"step\", \"step\": 2, \"took\": 4}\n"
               "{\"time\": 14, \"event\": \"step\", \"step\": 2, \"took_s\": \"4s\"}\n"
               "{\"time\": 15, \"event\": \"pause\"}\n");
  const std::string malformed = ExamplesOf(reading, "log_lines_malformed");
  EXPECT_THAT(malformed, HasSubstr(":2: the model's line 8: time '{time}': there is no time; it is "
                                   "null; the line:"));
  EXPECT_THAT(malformed,
              HasSubstr(":3: the model's line 7: key '{step}': there is no step; the line "
                        "has stpe; the line:"));
  EXPECT_THAT(malformed,
              HasSubstr(":5: the model's line 9: duration '{took_s}' is '4s', not a number; the"));
  EXPECT_THAT(
      ExamplesOf(reading, "log_lines_almost_fit"),
      HasSubstr(":4: the model's line 9: there is no took_s; the line has took; the line:"));
}

TEST(ReadJob, HearsRulesWithAndWithoutFixedTextsOfOneLine) {
  const std::string model =
      "model: demo\nphases: {Job: {phases: {A: {repeat: sequential}, B: {repeat: sequential}}}}\n"
      "logs:\n  format: text\n  time: epoch_s\n  rules:\n"
      "    - {match: '^(?P<time>\\d+) (?P<n>\\d+)', begin: '/Job/A[{n}]'}\n"
      "    - {match: '^(?P<time>\\d+) (?P<n>\\d+) (?i)END', end: '/Job/A[{n}]'}\n"
      "    - {match: '(?P<time>\\d+) (?P<n>\\d+) begin|start', begin: '/Job/B[{n}]'}\n"
      "    - {match: '^(?P<time>\\d+) (?P<n>\\d+) stop', end: '/Job/B[{n}]'}\n";
  const auto reading = ReadText(model, "10 1 begin\n12 1 stop\n13 1 End\n");
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(Describe(*reading),
            "begins at 10000000000\n/Job 0..3000\n/Job/A[1] 0..2000 (end assumed)\n"
            "/Job/B[1] 0..2000\n/Job/A[1] 2000..3000 (end assumed)\n/Job/A[1] 3000..3000\n"
            "phase_begins_repeated 2\n");
}

TEST(ReadJob, CountsClocksThatJumpBackButNotLinesThatAreALittleOutOfOrder) {
  const auto reading = ReadText(kModel, "10 begin 1\n9.95 begin 2\n20 end 1\n15 end 2\n");
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(reading->counters.size(), 2u);
  EXPECT_EQ(reading->counters[0].name, "log_clock_jumps");
  EXPECT_EQ(reading->counters[0].value, 1u);
  EXPECT_THAT(reading->counters[0].examples, ElementsAre("app-7.log:4: 15 end 2"));
  EXPECT_EQ(reading->counters[1].name, "phases_against_model") << "they overlap";
}

TEST(ReadJob, SaysWhyThereIsNothing) {
  const auto nothing = ReadText(kModel, "one\ntwo\n").status();
  EXPECT_EQ(nothing.message(),
            "no phases found in 2 lines: is demo the model of this log? (log_lines_unknown, as "
            "app-7.log:1: one)");
  EXPECT_THAT(std::string(ReadJob(Inputs("spark", {})).status().message()),
              HasSubstr("nothing to read"));
  EXPECT_THAT(std::string(ReadJob(Inputs("probes", {"x.log"})).status().message()),
              HasSubstr("reads the probes of a session, no logs"));
  EXPECT_FALSE(ReadJob(Inputs("spark", {"/no/such/file"})).ok());
  JobInputs inputs = Inputs("spark", {GORDIAN_TESTDATA "/spark.jsonl"});
  inputs.zone = "Mars/Base";
  EXPECT_THAT(std::string(ReadJob(inputs).status().message()), HasSubstr("'Mars/Base'"));
}

TEST(ReadJob, ReadsTimesInTheZoneThatIsAskedFor) {
  JobInputs inputs = Inputs("postgresql", {GORDIAN_TESTDATA "/postgresql.log"});
  const uint64_t utc_ns = ReadJob(inputs)->job.phases[0].start_ns;
  inputs.zone = "Europe/Berlin";
  EXPECT_EQ(ReadJob(inputs)->job.phases[0].start_ns + 3'600'000'000'000, utc_ns);
}

TEST(ReadJob, ReadsALogWhoseBeginningIsMissing) {
  const std::string whole = ReadWholeFile(GORDIAN_TESTDATA "/spark.jsonl");
  const TemporaryDirectory directory;
  WriteWholeFile(directory / "cut", whole.substr(whole.size() / 2));
  const auto reading = ReadJob(Inputs("spark", {directory / "cut"}));
  ASSERT_TRUE(reading.ok()) << reading.status();
  std::vector<std::string> paths;
  for (PhaseId id = 0; id < reading->job.phases.size(); ++id)
    paths.push_back(PathOf(reading->job, id));
  EXPECT_THAT(paths, Contains("/Application/Job/Stage[2.1]/Task[3]/Compute"));
}

TEST(ReadJob, PutsAForeignCsvBesideTheLog) {
  const TemporaryDirectory directory;
  WriteWholeFile(directory / "r.csv",
                 "value,node,resource,time,capacity,comment\n"
                 "1.5,n1,cpu,2026-03-05T10:00:01Z,4,a\n"
                 "2,n1,cpu,1772704802,4,\"b, \"\"c\"\"\"\n"
                 "7,n2,\"disk/sda\",1772704801000,,d\n"
                 "9,n2,disk/sda,1772704802000,,d\n"
                 "lots,n2,disk/sda,1772704803000,,e\n");
  JobInputs inputs = Inputs("json-lines", {GORDIAN_TESTDATA "/json-lines.jsonl"});
  inputs.resource_files = {directory / "r.csv"};
  const auto reading = ReadJob(inputs);
  ASSERT_TRUE(reading.ok()) << reading.status();
  const std::string text = Describe(*reading);
  EXPECT_THAT(text, HasSubstr("used cpu@n1 1.5 of 4 for 1000\nused cpu@n1 2 of 4 for 1000\n"));
  EXPECT_THAT(text, HasSubstr("used sda@n2 7 of 0 for 1000\nused sda@n2 9 of 0 for 1000\n"));
  EXPECT_THAT(text, HasSubstr("resource_samples_malformed 1\n  r.csv:6: column value is 'lots', "
                              "which does not fit; the line: lots,n2"));
  WriteWholeFile(directory / "bad.csv", "time,resource\n1,cpu\n");
  inputs.resource_files = {directory / "bad.csv"};
  EXPECT_THAT(std::string(ReadJob(inputs).status().message()),
              HasSubstr("bad.csv:1: there is no column 'value'"));
}

TEST(ReadJob, ReadsTwoMillionLinesWithoutKeepingThem) {
  const TemporaryDirectory directory;
  {
    std::ofstream log(directory / "app-7.log");
    for (int i = 0; i < 1'000'000; ++i)
      log << i << (i % 100 == 0 ? " begin " : " chatter that is no phase ") << i << "\n"
          << i << ".5" << (i % 100 == 0 ? " end " : " more of it ") << i << "\n";
  }
  WriteWholeFile(directory / "m.yaml", kModel);
  const auto reading = ReadJob(Inputs(directory / "m.yaml", {directory / "app-7.log"}));
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->log_lines, 2'000'000u);
  EXPECT_EQ(reading->job.phases.size(), 10'001u);
  ASSERT_EQ(reading->counters.size(), 1u);
  EXPECT_EQ(reading->counters[0].value, 1'980'000u);
}

}  // namespace
}  // namespace gordian
