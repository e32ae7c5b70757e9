// SPDX-License-Identifier: Apache-2.0
// Logs of builds, CI jobs and traces that are damaged, or unlike the usual: they are read as far as
// they go, and what does not fit is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "jobs/phases/read_job.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

struct OddReading {
  std::vector<std::string> phases;  // "/Job/Step[1] 0..5", times in ms from the job's beginning
  std::map<std::string, uint64_t> counters;
  uint64_t start_ns = 0;
  std::string error;
};

OddReading ReadOdd(const std::string& model, const std::string& text,
                   const std::string& name = "odd.log") {
  const TemporaryDirectory directory;
  WriteWholeFile(directory / name, text);
  WriteWholeFile(directory / "m.yaml", model);
  JobInputs inputs;
  const bool ready = FindReadyModel(model) != nullptr;
  const auto loaded = LoadModel(ready ? model : directory / "m.yaml");
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  inputs.model = *loaded;
  inputs.logs = {directory / name};
  const auto reading = ReadJob(inputs);
  OddReading odd;
  if (!reading.ok()) {
    odd.error = std::string(reading.status().message());
    return odd;
  }
  const Job& job = reading->job;
  odd.start_ns = job.phases[0].start_ns;
  const auto milliseconds = [&](uint64_t time_ns) {
    return static_cast<double>(time_ns - odd.start_ns) / 1e6;
  };
  for (PhaseId id = 1; id < job.phases.size(); ++id)
    odd.phases.push_back(absl::StrCat(PathOf(job, id), " ", milliseconds(job.phases[id].start_ns),
                                      "..", milliseconds(job.phases[id].end_ns)));
  for (const TalliedCounter& counter : reading->counters)
    odd.counters[counter.name] = counter.value;
  return odd;
}

TEST(OddNinjaLogs, OnlyTheLastBuildCounts) {
  const OddReading odd = ReadOdd("ninja",
                                 "# ninja log v5\n0\t900\t0\told.o\ta\n900\t950\t0\told\tb\n"
                                 "0\t5\t0\tnew.o\ta\n5\t9\t0\tnew\tb\n");
  EXPECT_THAT(odd.phases, ElementsAre("/Build/Compile[new.o] 0..5", "/Build/Link[new] 5..9"));
}

TEST(OddNinjaLogs, FindTheWallClockInStampsOfBeginningsAsWellAsOfEnds) {
  // Stamps of beginnings, as ninja 1.12 writes them; one output has an old stamp.
  const OddReading begins = ReadOdd("ninja",
                                    "# ninja log v6\n0\t500\t1772704800000000000\ta.o\t1\n"
                                    "7\t900\t1600000000000000000\tb.o\t2\n"
                                    "500\t1500\t1772704800501000000\tc.o\t3\n"
                                    "900\t2000\t1772704800900000000\td.o\t4\n"
                                    "1500\t2100\t1772704801500000000\te.o\t5\n");
  EXPECT_EQ(begins.start_ns, 1772704800000000000u);
  const OddReading ends = ReadOdd("ninja",
                                  "# ninja log v5\n0\t500\t1772704800499000000\ta.o\t1\n"
                                  "500\t1500\t1772704801500000000\tc.o\t3\n"
                                  "900\t2000\t1772704802000000000\td.o\t4\n");
  EXPECT_EQ(ends.start_ns, 1772704800000000000u);
  const OddReading seconds = ReadOdd("ninja", "# ninja log v5\n1000\t3000\t1772704803\ta.o\t1\n");
  EXPECT_EQ(seconds.start_ns, 1772704801000000000u);
  const OddReading windows =
      ReadOdd("ninja", "# ninja log v5\n0\t2000\t6810213213335597\ta.obj\t1\n");
  EXPECT_EQ(windows.start_ns, 1659318119333559700u);
  const OddReading none = ReadOdd("ninja", "# ninja log v5\n1000\t3000\t0\ta.o\t1\n");
  EXPECT_EQ(none.start_ns, 1000000000u);
  EXPECT_THAT(none.counters, Contains(Pair("ninja_log_without_clock", 1)));
}

TEST(OddNinjaLogs, CountLinesThatAreNone) {
  const OddReading odd = ReadOdd(
      "ninja",
      "# ninja log v7\n1\t2\n\t\t\t\t\n9\t3\t0\tx.o\t1\n-4\t3\t0\tx.o\t1\n1\t2\t0\t\t1\n"
      "1\t99999999999999999999\t0\tx.o\t1\n1\t9999999999999\t0\tx.o\t1\n1\t2\t0\tx.o\tnone\n"
      "1\t2\t99999999999999999999\ty.o\tf\n1\t2\t0\tz.o\tff");
  EXPECT_THAT(odd.counters, Contains(Pair("log_lines_malformed", 8)));
  EXPECT_EQ(odd.phases.size(), 2u);
}

TEST(OddChromeTraces, NestEventsByTheirMiddleAndJoinThoseOfOneName) {
  const OddReading odd =
      ReadOdd("chrome-trace",
              R"({"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":10000,"pid":1,"tid":"main"},
        {"ph":"X","name":"b","ts":"8000","dur":3000,"pid":1,"tid":"main"},
        {"ph":"X","name":"b","ts":8500,"dur":100,"pid":1,"tid":"main"},
        {"ph":"X","name":"c","ts":8500,"dur":100,"pid":1,"tid":"main"},
        {"ph":"X","name":"d","ts":9900,"dur":3000,"pid":1,"tid":"main"}]})");
  EXPECT_THAT(odd.phases, ElementsAre("/Trace/a 0..10", "/Trace/a/itself 0..8", "/Trace/a/b 8..10",
                                      "/Trace/a/b/itself[1] 8..8.5", "/Trace/a/b/c 8.5..8.6",
                                      "/Trace/a/b/itself[2] 8.6..10", "/Trace/d 9.9..12.9"));
}

TEST(OddChromeTraces, CountEventsThatAreNone) {
  const OddReading odd =
      ReadOdd("chrome-trace",
              R"([1,"x",null,[{"ph":"X"}],{},{"ph":"X"},{"ph":"X","name":"a","ts":-1,"dur":1},
        {"ph":"X","name":"a","ts":1e300,"dur":1},{"ph":"X","name":"a","ts":[1],"dur":1},
        {"ph":"X","name":"a","ts":9000000000000000,"dur":9},{"ph":"B","ts":1},{"ph":"E","ts":1},
        {"ph":"X","name":["a"],"ts":1,"dur":2},{"ph":7,"name":8},
        {"ph":"X","name":"good","ts":1,"dur":2,"args":{"detail":{"name":"deep"}}},{"ph":"X","na)");
  EXPECT_THAT(odd.phases, ElementsAre("/Trace/good 0..0.002"));
  EXPECT_THAT(odd.counters, Contains(Pair("log_lines_malformed", 6)));
  EXPECT_THAT(odd.counters, Contains(Pair("log_spans_malformed", 1)));
  EXPECT_THAT(odd.counters, Contains(Pair("phase_ends_without_begin", 1)));
  EXPECT_THAT(ReadOdd("chrome-trace", std::string(10'000, '[')).error, HasSubstr("no phases"));
  EXPECT_THAT(ReadOdd("chrome-trace", "{\"traceEvents\":3}\n7\n\"x\"\n").error,
              HasSubstr("no phases"));
}

constexpr char kDocuments[] = R"(model: m
phases: {Run: {phases: {Job: {repeat: concurrent, phases: {Step: {repeat: observed}}}}}}
logs:
  format: json
  time: epoch_s
  rules:
    - {each: run.jobs, phase: '/Run/Job[{run.jobs.name}]', start_time: '{run.jobs.t}', duration: '{run.jobs.s}'}
    - each: run.jobs.steps
      when: {run.jobs.steps.tags: '.*slow.*', run.ok: 'true'}
      phase: '/Run/Job[{run.jobs.name}]/Step[{run.jobs.steps.name}]'
      start_time: '{run.jobs.t}'
      duration: '{run.jobs.steps.s}'
)";

TEST(OddDocuments, RulesAreAboutTheObjectsOfAListWithTheFieldsAroundThem) {
  const OddReading odd = ReadOdd(kDocuments, R"(
{"run": {"ok": true, "jobs": [
   {"name": "a", "t": 10, "steps": [{"name": "x", "s": 1, "tags": ["big", "slow"]},
                                    {"name": "y", "s": 2, "tags": []}], "s": 5},
   {"name": "b", "t": 12, "s": 2, "steps": {"name": "only", "s": 1.5, "tags": "slow"}}]}}
{"run": {"ok": false, "jobs": [{"name": "c", "t": 15, "s": 1, "steps": [{"name": "z", "s": 1, "tags": "slow"}]}]}}
)");
  EXPECT_THAT(odd.phases, ElementsAre("/Run/Job[a] 0..5000", "/Run/Job[a]/Step[x] 0..1000",
                                      "/Run/Job[b] 2000..4000", "/Run/Job[b]/Step[only] 2000..3500",
                                      "/Run/Job[c] 5000..6000"));
  EXPECT_THAT(odd.counters, IsEmpty());
}

TEST(OddDocuments, FieldsOfOneObjectAreNotThoseOfTheNext) {
  const OddReading odd = ReadOdd(
      kDocuments, R"({"run":{"jobs":[{"name":"a","t":10,"s":5},{"name":"b","t":11},{"t":12,"s":1},
      {"name":null,"t":{"x":1},"s":[]}, 7, "x", null, [[{"name":"c","t":13,"s":1}]]]}}
"text"
{"run":{"jobs":[{"name":"d","t":14,"s":1}, {"name":"e", "t":)");
  EXPECT_THAT(odd.phases, ElementsAre("/Run/Job[a] 0..5000", "/Run/Job[c] 3000..4000",
                                      "/Run/Job[d] 4000..5000"));
  // Three objects without what the rule needs, a document that is a text, and one that breaks off.
  EXPECT_THAT(odd.counters, ElementsAre(Pair("log_lines_malformed", 5)));
}

TEST(OddDocuments, NamesOfPhasesMayComeFromTheLog) {
  const OddReading odd = ReadOdd(R"(model: m
phases: {Run: {phases: {Job: {repeat: queued, discover: anywhere}}}}
logs:
  format: text
  time: epoch_s
  rules:
    - {match: '(?P<job>\S+): (?P<step>.*) took (?P<s>\S+) until (?P<time>\S+)', phase: '/Run/Job[{job}]/do {step}', duration: '{s}'}
)",
                                 "a/[1]: use x/y@{2} took 2 until 12\na/[1]: rest took 1 until 13\n"
                                 "b: rest took 4 until 17.5\n");
  EXPECT_THAT(odd.phases,
              ElementsAre("/Run/Job[a/[1]] 0..3000", "/Run/Job[a/[1]]/do use x-y@(2) 0..2000",
                          "/Run/Job[a/[1]]/do rest 2000..3000", "/Run/Job[b] 3500..7500",
                          "/Run/Job[b]/do rest 3500..7500"));
}

constexpr char kPairs[] = R"(model: m
phases: {Job: {phases: {Step: {repeat: concurrent}}}}
logs:
  format: pairs
  time: epoch_s
  rules:
    - {when: {event: start}, begin: '/Job/Step[{step}]'}
    - {when: {event: end}, end: '/Job/Step[{step}]'}
)";

TEST(OddPairs, StandAnywhereWithBlanksOrCommasAndQuotes) {
  const OddReading odd =
      ReadOdd(kPairs,
              "INFO Log: time=1,event=start, step=a\nlevel=info time=2 event=end step=\"a\" rest\n"
              "time=3 step=\"b, \\\"the\\\" c=1\" event=start\n"
              "=x == time=5 event=end step=\"b, \\\"the\\\" c=1\"\n");
  EXPECT_THAT(odd.phases,
              ElementsAre("/Job/Step[a] 0..1000", "/Job/Step[b, \"the\" c=1] 2000..4000"));
}

TEST(OddPairs, CountLinesThatLackThem) {
  const OddReading odd = ReadOdd(kPairs,
                                 "time=1 event=start step=a\ntime= event=start step=b\n"
                                 "event=start step=c\ntime=2 event=start\nno pairs\n"
                                 "time=4 event=end step=\"a\nstep=a event=end time=3\n");
  EXPECT_THAT(odd.counters, Contains(Pair("log_lines_malformed", 3)));
  EXPECT_THAT(odd.counters, Contains(Pair("log_lines_unknown", 1)));
}

TEST(OddGithubLogs, NeedNoEndsOfGroupsNorAllLines) {
  const OddReading odd =
      ReadOdd("github",
              "2026-03-05T10:00:00.5Z ##[endgroup]\n"
              "2026-03-05T10:00:01Z ##[group]a\n2026-03-05T10:00:02Z ##[group]b\n"
              "2026-03-05T10:00:03Z ##[group]Run x\n2026-03-05T10:00:04Z\n"
              "2026-03-05T10:00:02Z back\n2026-03-05T10:00:05Z ##[group]c");
  EXPECT_THAT(odd.phases, ElementsAre("/Run/Job[odd] 0..4500", "/Run/Job[odd]/Set up job 0..2500",
                                      "/Run/Job[odd]/Set up job/itself 0..500",
                                      "/Run/Job[odd]/Set up job/Group[a] 500..1500",
                                      "/Run/Job[odd]/Set up job/Group[b] 1500..2500",
                                      "/Run/Job[odd]/Run x 2500..4500"));
  EXPECT_THAT(ReadOdd("github", "some\tother\ttext\n\n2026-99-05T10:00:05Z x\n").error,
              HasSubstr("is github the model of this log?"));
}

TEST(OddGitlabLogs, EndWhatIsLeftOpenAndIgnoreWhatNeverBegan) {
  std::string text = "section_start:1772704800:a\r\x1b[0Ksection_start:1772704801:b[x=1]\r\n";
  text += "section_end:1772704805:a\r\nsection_end:1772704805:b\r\nsection_start:1772704805:\n";
  text += "section_start:1772704806:c\r\nsection_start:\nsection_end:-1:c\n";
  const OddReading odd = ReadOdd("gitlab", text);
  EXPECT_THAT(odd.phases,
              ElementsAre("/Pipeline/Job[odd] 0..6000", "/Pipeline/Job[odd]/a 0..5000",
                          "/Pipeline/Job[odd]/a/itself 0..1000",
                          "/Pipeline/Job[odd]/a/b 1000..5000", "/Pipeline/Job[odd]/c 6000..6000"));
  EXPECT_THAT(odd.counters, Contains(Pair("log_lines_malformed", 3)));
  EXPECT_THAT(odd.counters, Contains(Pair("phase_ends_without_begin", 1)));
  EXPECT_THAT(odd.counters, Contains(Pair("phase_ends_assumed", 1)));
}

TEST(OddGitlabLogs, ManySectionsInEachOtherAreBounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&text, "section_start:", 1772704800 + i, ":s\r\n");
  EXPECT_LT(ReadOdd("gitlab", text).phases.size(), 70u);
}

}  // namespace
}  // namespace gordian
