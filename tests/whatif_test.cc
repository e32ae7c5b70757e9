// SPDX-License-Identifier: Apache-2.0
// gordian whatif, as a person meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "tests/support/varying_trace.h"
#include "tests/whatif_runs.h"
#include "whatif/testing/test_traces.h"

namespace gordian::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Lt;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int32_t kA = 11, kB = 12;

// A thread looks something up, and waits for one of its program that holds a lock while it asks a
// service which answers after 8 ms.
TraceBuilder LockHeldWhileAskingTrace(int rounds) {
  constexpr int32_t kLookup = 11, kReloader = 12, kService = 20;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kLookup, "lookup", 11).Thread(kReloader, "reloader", 11).Thread(kService, "service");
  t.At(0).Cpu(1).Run(kLookup).Block().Cpu(0).Run(kReloader);
  for (int i = 0; i < rounds; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms;
    t.At(begin_ns + 1_ms).Cpu(0).Wake(kService).Block().Cpu(1).Run(kService).Block();
    t.At(begin_ns + 9_ms).Cpu(1).WakeFromTimer(kService).Run(kService).Wake(kReloader).Block();
    t.Cpu(0).Run(kReloader).At(begin_ns + 9_ms + 100_us).Wake(kLookup).Cpu(1).Run(kLookup);
    t.At(begin_ns + 9_ms + 600_us).Cpu(1).Block();
  }
  return t;
}

TEST(WhatIf, CountsWhatTheTargetDoesIfAStrangerLimitsIt) {
  const TempDir dir;
  const rapidjson::Document json =
      Json(WhatIf(Written(LockHeldWhileAskingTrace(200), dir / "trace"), "--pid", "11", "--timer",
                  "service=0.5", "--json"));
  EXPECT_STREQ(json["progress"]["what"].GetString(), "cycles of lookup");
}

TEST(WhatIf, DoubtsAnAnswerThatCountsOthersThanThoseWhoseWaitsAreGone) {
  const TempDir dir;
  const std::string trace = Written(Figure1Trace(200), dir / "trace");
  const std::string of_a = WhatIf(trace, "--async", "A->B", "--json").output;
  EXPECT_THAT(of_a, HasSubstr("it counts cycles of B, and not what A gains: ask with --progress "
                              "'wakes A'"));
  EXPECT_THAT(WhatIf(trace, "--async", "B->disk vda", "--json").output, Not(HasSubstr("not what")));
  EXPECT_THAT(WhatIf(trace, "--async", "A->B", "--progress", "wakes A", "--json").output,
              Not(HasSubstr("not what")));
}

TEST(WhatIf, FirstLineIsThePrediction) {
  const TempDir dir;
  const ProgramResult result =
      WhatIf(Written(Figure1Trace(200), dir / "trace"), "--scale", "disk vda=0");
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.output,
              AllOf(StartsWith("With disk vda taking no time: between "),
                    HasSubstr("likely\n2.0 times.\n"), HasSubstr("B runs for 100 % of the time"),
                    HasSubstr("cycles of B"), HasSubstr("fairly founded")));
}

TEST(WhatIf, JsonHasBothEndsOfTheIntervalAndHowSureItIs) {
  const TempDir dir;
  const rapidjson::Document json =
      Json(WhatIf(Written(SyncsTrace(200), dir / "trace"), "--scale", "vda=0", "--json"));
  const double alone = json["wait_alone"]["gain"].GetDouble();
  const double with_path = json["with_path"]["gain"].GetDouble();
  EXPECT_NEAR(alone, 1.6, 0.03);
  EXPECT_NEAR(with_path, 2, 0.04);
  const auto& model = json["calibration"];
  EXPECT_THAT(model["model_low"].GetDouble(), AllOf(Gt(0.95 * alone), Le(alone)));
  EXPECT_THAT(model["model_high"].GetDouble(), AllOf(Lt(1.05 * with_path), Ge(with_path)));
  EXPECT_LT(json["low"].GetDouble(), model["model_low"].GetDouble());
  EXPECT_GT(json["high"].GetDouble(), model["model_high"].GetDouble());
  EXPECT_GT(model["programs"].GetInt(), 10);
  EXPECT_NEAR(json["expected"].GetDouble(), std::sqrt(alone * with_path), 0.001);
  EXPECT_LT(json["self_check"].GetDouble(), 0.02);
  EXPECT_NEAR(json["trust"].GetDouble(), 0.75, 0.02);
  EXPECT_STREQ(json["changes"][0]["kind"].GetString(), "scale");
  EXPECT_STREQ(json["changes"][0]["from"].GetString(), "vda");
  EXPECT_STREQ(json["paths"][0]["who"].GetString(), "logger");
  EXPECT_NEAR(json["paths"][0]["run_share"].GetDouble(), 0.2, 0.01);
  EXPECT_EQ(json["progress"]["events"].GetInt(), 600);
}

TEST(WhatIf, WhatIsSkippedTakesItsCallsAlong) {
  const TempDir dir;
  const std::string trace = Written(SyncsTrace(200), dir / "trace");
  const rapidjson::Document json = Json(WhatIf(trace, "--skip", "logger->vda", "--json"));
  EXPECT_NEAR(json["wait_alone"]["gain"].GetDouble(), 1.6, 0.03);
  EXPECT_NEAR(json["expected"].GetDouble(), 2, 0.04);
  EXPECT_GT(json["calibration"]["model_low"].GetDouble(), 1.9);
  EXPECT_TRUE(json["calls_gone"].GetBool());
  EXPECT_STREQ(json["changes"][0]["kind"].GetString(), "skip");
  const std::string text = WhatIf(trace, "--skip", "logger->vda").output;
  EXPECT_THAT(text,
              StartsWith("With logger not waiting for vda, nor making those calls: at least "));
  EXPECT_THAT(text, HasSubstr("likely 2.0 times"));
  EXPECT_TRUE(json["at_least"].GetBool());
  EXPECT_THAT(text, HasSubstr("no end of the"));
}

// Two programs called python3 that wait for different things, and a tid in a group.
TEST(WhatIf, NamesMeanAllOfAProgramOrCommand) {
  const TempDir dir;
  TraceBuilder t = Figure1Trace(200);
  t.Rename(kA, "python3").Rename(kB, "python3");
  t.Command(kA, "python3 /srv/feed.py").Command(kB, "python3 /srv/pay.py --all");
  const std::string trace = Written(std::move(t), dir / "trace");
  const auto answer = [&](const std::string& waits) {
    return Json(WhatIf(trace, "--no-merge", "--skip", waits, "--json"));
  };
  for (const char* name : {"python3", "pay.py", "python3 /srv/pay.py --all", "python3/12"}) {
    const rapidjson::Document json = answer(std::string(name) + "->disk vda");
    EXPECT_NEAR(json["expected"].GetDouble(), 2, 0.04) << name;
    EXPECT_STREQ(json["changes"][0]["from"].GetString(), "python3/12") << name;
  }
  const ProgramResult nobody = WhatIf(trace, "--no-merge", "--skip", "feed.py->disk vda");
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.errors, HasSubstr("no such waits were recorded; there are "
                                       "'python3/11->python3/12', 'python3/12->vda'"));
}

// app never waits for the disk itself.
TEST(WhatIf, WaitsThroughKernelThreadsAreWaitsForTheDisk) {
  const TempDir dir;
  const std::string trace = Written(JournalTrace(200), dir / "trace");
  const rapidjson::Document json =
      Json(WhatIf(trace, "--skip", "app->disk vda", "--progress", "wakes app", "--json"));
  EXPECT_NEAR(json["expected"].GetDouble(), 7.5 / 2, 0.1);
}

TEST(WhatIf, HelpersReadAtOnceAsFarAsTheDiskMay) {
  const TempDir dir;
  const std::string trace = Written(ReaderTrace(200), dir / "trace");
  const rapidjson::Document json = Json(WhatIf(trace, "--async", "reader->disk vda=4", "--json"));
  EXPECT_NEAR(json["calibration"]["model_low"].GetDouble(), 9.0 / 8, 0.1);
  EXPECT_NEAR(json["calibration"]["model_high"].GetDouble(), 9.0 / 2, 0.4);
  EXPECT_EQ(json["changes"][0]["factor"].GetDouble(), 4);
  EXPECT_THAT(WhatIf(trace, "--async", "reader->disk vda").output,
              HasSubstr("  or        9.0 times: with a disk that serves a request of each helper"));
}

TEST(WhatIf, ThreadsAreFasterAsTheyAreToldToBe) {
  const TempDir dir;
  const rapidjson::Document json =
      Json(WhatIf(Written(Figure1Trace(200), dir / "trace"), "--run", "B=0.5", "--json"));
  EXPECT_NEAR(json["calibration"]["model_low"].GetDouble(), 10.0 / 7.5, 0.03);
  EXPECT_STREQ(json["changes"][0]["kind"].GetString(), "run");
}

TEST(WhatIf, SaysWhichEndOfTheIntervalIsWhat) {
  const TempDir dir;
  const ProgramResult result = WhatIf(Written(SyncsTrace(200), dir / "trace"), "--scale", "vda=0");
  EXPECT_THAT(result.output, HasSubstr("the lower end is the wait alone"));
}

TEST(WhatIf, LocksAreSplitAndServedInBatches) {
  const TempDir dir;
  const std::string trace = Written(LockTrace(200), dir / "trace");
  const rapidjson::Document split =
      Json(WhatIf(trace, "--split", "all->all=1000", "--group", "worker=all", "--json"));
  EXPECT_NEAR(split["expected"].GetDouble(), 8.0 / 6, 0.05);
  EXPECT_STREQ(split["changes"][0]["kind"].GetString(), "split");
  EXPECT_EQ(split["changes"][0]["factor"].GetDouble(), 1000);
  const rapidjson::Document batch =
      Json(WhatIf(trace, "--batch", "all->all", "--group", "worker=all", "--json"));
  EXPECT_GT(batch["expected"].GetDouble(), 1.1);
  EXPECT_TRUE(batch["at_least"].GetBool());
  EXPECT_FALSE(split["at_least"].GetBool());
  EXPECT_STREQ(batch["changes"][0]["kind"].GetString(), "batch");
}

TEST(WhatIf, ThreadsOfAKindAreAdded) {
  const TempDir dir;
  const std::string trace = Written(PoolTrace(200), dir / "trace");
  const auto gain = [&](const std::string& added) {
    return Json(WhatIf(trace, "--add-thread", added, "--group", "client=clients", "--progress",
                       "wakes clients", "--json"))["expected"]
        .GetDouble();
  };
  EXPECT_NEAR(gain("worker"), 4.0 / 3, 0.03);
  EXPECT_NEAR(gain("worker=5"), 4.0 / 3, 0.03);
}

TEST(WhatIf, MoreRequestsUnderWayOverlap) {
  const TempDir dir;
  const std::string trace = Written(ServiceTrace(400), dir / "trace");
  const auto answer = [&](const std::string& option, const std::string& times) {
    return Json(WhatIf(trace, option, "asker=" + times, "--progress", "wakes asker", "--json"));
  };
  // Without stacks it is not known whether the service can do anything while it sleeps.
  const rapidjson::Document in_flight = answer("--in-flight", "4");
  EXPECT_NEAR(in_flight["wait_alone"]["gain"].GetDouble(), 10.0 / 8, 0.03);
  EXPECT_NEAR(in_flight["with_path"]["gain"].GetDouble(), 4, 0.1);
  EXPECT_STREQ(in_flight["changes"][0]["kind"].GetString(), "in-flight");
  EXPECT_EQ(in_flight["changes"][0]["factor"].GetDouble(), 4);
  const rapidjson::Document clients = answer("--clients", "2");
  EXPECT_NEAR(clients["with_path"]["gain"].GetDouble(), 2, 0.05);
  EXPECT_STREQ(clients["changes"][0]["kind"].GetString(), "clients");
}

TEST(WhatIf, WakesForNothingAreGone) {
  const TempDir dir;
  const rapidjson::Document json = Json(WhatIf(Written(NeedlessWakesTrace(2000), dir / "trace"),
                                               "--no-false-wakeups", "helper", "--json"));
  EXPECT_NEAR(json["expected"].GetDouble(), 50.0 / 42, 0.03);
  EXPECT_STREQ(json["changes"][0]["kind"].GetString(), "no-false-wakeups");
}

TEST(WhatIf, SaysThatAChangeGainsNothing) {
  const TempDir dir;
  const ProgramResult result =
      WhatIf(Written(PipelineTrace(100), dir / "trace"), "--scale", "vda=0");
  EXPECT_THAT(result.output, StartsWith("With disk vda taking no time: no gain.\n"));
}

TEST(WhatIf, ChangesActTogether) {
  const TempDir dir;
  const rapidjson::Document json =
      Json(WhatIf(Written(ClosedNetworkTrace(200), dir / "trace"), "--scale", "vda=0", "--cpus",
                  "2", "--progress", "io", "--json"));
  EXPECT_NEAR(json["calibration"]["model_low"].GetDouble(), 4, 0.1);
  EXPECT_NEAR(json["calibration"]["model_high"].GetDouble(), 4, 0.1);
}

TEST(WhatIf, CountsTheProgressThatIsAskedFor) {
  const TempDir dir;
  TraceBuilder t = Figure1Trace(100);
  for (int i = 0; i < 40; ++i) t.Probe(kB, ProbeKind::kCount, "request", 1);
  t.session().mutable_options()->add_counted_calls("accept4");
  for (int i = 0; i < 30; ++i) t.Probe(kB, ProbeKind::kCount, "syscall accept4", 1);
  const std::string trace = Written(std::move(t), dir / "trace");
  const auto events = [&](const std::string& progress) {
    const rapidjson::Document json =
        Json(WhatIf(trace, "--scale", "vda=0.5", "--progress", progress, "--json"));
    return json["progress"]["events"].GetInt();
  };
  EXPECT_EQ(events("wakes A"), 100);
  EXPECT_EQ(events("io"), 100);
  EXPECT_EQ(events("io disk vda"), 100);
  EXPECT_EQ(events("probe request"), 40);
  EXPECT_EQ(events("syscall accept4"), 30);
}

TEST(WhatIf, EndsOfPhasesAreProgressOfTheirInnermostName) {
  const TempDir dir;
  TraceBuilder t;
  t.session().mutable_host()->set_cpus(1);
  t.Thread(kA, "A").At(0).Cpu(0).Run(kA);
  for (uint64_t i = 0; i < 20; ++i) {
    t.At(i * 10_ms + 1_ms).PhaseBegin(kA, "step", "1").PhaseBegin(kA, "part", "1");
    t.At(i * 10_ms + 2_ms).Probe(kA, ProbeKind::kPhaseEnd);
    t.At(i * 10_ms + 8_ms).Probe(kA, ProbeKind::kPhaseEnd);
  }
  t.At(200_ms).Block();
  const rapidjson::Document json = Json(WhatIf(Written(std::move(t), dir / "trace"), "--cpus", "2",
                                               "--progress", "phase step", "--json"));
  EXPECT_EQ(json["progress"]["events"].GetInt(), 20);
  EXPECT_NEAR(json["progress"]["recorded_rate"].GetDouble(), 100, 1);
}

TEST(WhatIf, FunctionsAndCallsAreKnownFromStacks) {
  const TempDir dir;
  // B works 5 ms, of which four of five samples are in Compress, and syncs 5 ms.
  TraceBuilder t = Figure1Trace(100);
  t.session().mutable_options()->set_sample_hz(99);
  const uint32_t work = t.AddStack({}, {{.function = "Compress"}, {.function = "main"}});
  const uint32_t sync = t.AddStack({"vfs_fsync", "__x64_sys_fsync", "do_syscall_64"},
                                   {{.function = "fsync"}, {.function = "main"}});
  t.Cpu(0);
  for (int i = 0; i < 50; ++i) t.AddStackSample(kB, StackMoment::kCpu, i % 5 == 0 ? sync : work);
  t.At(1001_ms).Block();
  const std::string trace = Written(std::move(t), dir / "trace");
  const rapidjson::Document json = Json(WhatIf(trace, "--function", "Compress=0.5", "--json"));
  EXPECT_NEAR(json["wait_alone"]["gain"].GetDouble(), 10.0 / 8, 0.02);
}

struct BadInput {
  std::string name;
  std::vector<std::string> arguments;
  int exit_code;
  std::string told;
};

class WhatIfOnBadInput : public ::testing::TestWithParam<BadInput> {};

TEST_P(WhatIfOnBadInput, TellsInOneLineWhatToDo) {
  const TempDir dir;
  std::vector<std::string> command = {GORDIAN_PROGRAM, "whatif",
                                      Written(Figure1Trace(30), dir / "trace")};
  command.insert(command.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const ProgramResult result = RunProgram(command);
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.errors, HasSubstr(GetParam().told));
  if (GetParam().exit_code == 1) {
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, WhatIfOnBadInput,
    ::testing::Values(
        BadInput{"NoChange", {}, 2, "name a change"},
        BadInput{"NoFactor", {"--scale", "vda"}, 2, "NAME=FACTOR"},
        BadInput{"NegativeFactor", {"--scale", "vda=-1"}, 2, "from 0 to 100"},
        BadInput{"FactorThatIsNone", {"--scale", "vda=nan"}, 2, "from 0 to 100"},
        BadInput{"NoDisk", {"--scale", "B=0"}, 2, "only disks"},
        BadInput{"UnknownDisk", {"--scale", "vdz=0"}, 1, "vdz"},
        BadInput{"NoArrow", {"--async", "B"}, 2, "WHO->WHOM"},
        BadInput{"NoHelpers", {"--async", "B->disk vda=0"}, 2, "HELPERS with 1 to 1000"},
        BadInput{"HelpersOfAThread", {"--async", "A->B=2"}, 2, "only waits for a disk"},
        BadInput{"DeviceThatWaits", {"--async", "vda->B"}, 2, "no thread"},
        BadInput{"WaitThatIsNone", {"--lock", "B->A"}, 1, "no such waits"},
        BadInput{"ThreadThatNeverSleeps", {"--timer", "A=0.5"}, 1, "never sleeps"},
        BadInput{"FunctionNobodyRuns", {"--function", "F=0.5"}, 1, "no sample"},
        BadInput{"DeviceThatRuns", {"--run", "vda=0.5"}, 2, "no thread"},
        BadInput{"SkipOfWaitsThatAreNone", {"--skip", "B->A"}, 1, "no such waits"},
        BadInput{"SplitWithoutWays", {"--split", "A->B"}, 2, "WHO->WHOM=WAYS"},
        BadInput{"SplitInNone", {"--split", "A->B=0"}, 2, "1 to 4096"},
        BadInput{"SplitOfADevice", {"--split", "B->vda=2"}, 2, "holds no lock"},
        BadInput{"BatchOfNoWaits", {"--batch", "B->A"}, 1, "no such waits"},
        BadInput{"NoThreadMore", {"--add-thread", "A=0"}, 2, "1 to 1000"},
        BadInput{"DeviceMore", {"--add-thread", "vda"}, 2, "no thread"},
        BadInput{"OnceAsManyRequests", {"--in-flight", "A=1"}, 2, "2 to 256"},
        BadInput{"NoTimes", {"--clients", "A"}, 2, "THREAD=TIMES"},
        BadInput{"RequestsOfADevice", {"--in-flight", "vda=2"}, 2, "no thread"},
        BadInput{"RequestsTwice",
                 {"--in-flight", "A=2", "--clients", "A=2"},
                 2,
                 "ask the others by themselves"},
        BadInput{"TooFewForEachStretch", {"--in-flight", "A=256"}, 1, "256 stretches"},
        BadInput{"NeverWokenForNothing", {"--no-false-wakeups", "B"}, 1, "for nothing"},
        BadInput{"CallThatWasNotCounted",
                 {"--cpus", "1", "--progress", "syscall accept4"},
                 1,
                 "record with --count-call accept4"},
        BadInput{"NoCpus", {"--cpus", "0"}, 2, "--cpus"},
        BadInput{"CpusOfANode", {"--cpus", "db=2"}, 2, "a number of CPUs"},
        BadInput{"CpusTwice", {"--cpus", "2", "--cpus", "4"}, 2, "given twice"},
        BadInput{"NothingInTheRange", {"--cpus", "2", "--from", "1h"}, 1, "nothing from --from"},
        BadInput{"TooShortARange",
                 {"--cpus", "2", "--from", "103ms", "--to", "124ms", "--progress", "wakes A"},
                 1,
                 "take more of the recording"},
        BadInput{"UnknownProgress", {"--cpus", "1", "--progress", "x"}, 2, "wakes THREAD"},
        BadInput{"ProgressThatIsNone", {"--cpus", "1", "--progress", "probe x"}, 1, "only 0"},
        BadInput{"ProgressOfNoDisk", {"--cpus", "1", "--progress", "io A"}, 2, "no disk"}),
    [](const auto& info) { return info.param.name; });

TEST(WhatIf, KeepsTheScoreOfAVerifiedPrediction) {
  const TempDir dir;
  const std::string trace = Written(VaryingTrace({}), dir / "trace");
  const std::string history = dir / "state/predictions.jsonl";
  const ProgramResult none = WhatIf("--history", "--history-file", history);
  EXPECT_EQ(none.exit_code, 0) << none.errors;
  EXPECT_THAT(none.output, HasSubstr("No prediction was checked"));
  EXPECT_THAT(WhatIf(trace, "--scale", "disk vda=0", "--history-file", history).output,
              Not(HasSubstr("on this machine held")));

  // A fix that does nothing, and does nothing.
  const ProgramResult verified = WhatIf(trace, "--scale", "disk vda=1", "--progress", "probe done",
                                        "--verify", trace, "--history-file", history);
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
  EXPECT_THAT(verified.output, AllOf(HasSubstr("Predicted 1.00 times"), HasSubstr("measured 1.00"),
                                     HasSubstr("inside")));
  const ProgramResult told = WhatIf("--history", "--history-file", history);
  EXPECT_THAT(told.output, HasSubstr("1 of 1 prediction on this machine held"));
  EXPECT_EQ(
      Json(WhatIf("--history", "--json", "--history-file", history))["record"]["held"].GetUint64(),
      1u);
  // Later answers tell it.
  EXPECT_THAT(WhatIf(trace, "--scale", "disk vda=0", "--history-file", history).output,
              HasSubstr("so far"));
}

TEST(WhatIf, KeepsNoScoreOfWakesAsEachMayStandForMoreWorkAfterTheFix) {
  const TempDir dir;
  const std::string trace = Written(VaryingTrace({}), dir / "trace");
  const std::string history = dir / "state/predictions.jsonl";
  const ProgramResult verified = WhatIf(trace, "--scale", "disk vda=1", "--progress", "wakes A",
                                        "--verify", trace, "--history-file", history);
  EXPECT_EQ(verified.exit_code, 0) << verified.errors;
  EXPECT_THAT(verified.output, AllOf(HasSubstr("measured 1.00"), HasSubstr("not kept")));
  EXPECT_THAT(WhatIf("--history", "--history-file", history).output,
              HasSubstr("No prediction was checked"));
}

TEST(WhatIf, DoesNotVerifyWhatDoesNotCompare) {
  const TempDir dir;
  const std::string trace = Written(Figure1Trace(200), dir / "trace");
  const std::string history = dir / "predictions.jsonl";
  const ProgramResult result =
      WhatIf(trace, "--scale", "disk vda=0", "--progress", "wakes A", "--verify",
             Written(Figure1Trace(20), dir / "short"), "--history-file", history);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.errors, HasSubstr("AFTER is too short"));
  EXPECT_EQ(WhatIf(trace, "--history", "--scale", "disk vda=0").exit_code, 2);
  EXPECT_THAT(WhatIf("--history", "--history-file", history).output,
              HasSubstr("No prediction was checked"));
}

}  // namespace
}  // namespace gordian::testing
