// SPDX-License-Identifier: Apache-2.0
#include "analysis/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/thread_timeline.h"
#include "analyzer/findings/findings.h"
#include "analyzer/graph/thread_halves.h"
#include "analyzer/graph/wait_for_graph.h"
#include "nodes/test_cluster.h"
#include "report/code_stacks.h"
#include "report/cpu_users.h"
#include "report/recording_summary.h"
#include "report/report_counters.h"
#include "report/suggested_probes.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/counters.h"
#include "trace/session_reader.h"
#include "trace/session_symbols.h"

namespace gordian {
namespace {

using testing::TempDir;
using testing::TraceBuilder;
using testing::operator""_ms;
using testing::operator""_us;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int32_t kServer = 10, kClient = 20, kTwin = 30, kLate = 40;

// Every 10 ms: client asks a worker, which works 4 ms and writes 5 ms to vda; its twin sleeps, and
// never works. The stack of every wait of the client and of the worker is taken. Between two of the
// requests a phase of the worker's lasts, if they are given.
TraceBuilder ServerTrace(int requests = 50, int phase_from = -1, int phase_to = -1) {
  TraceBuilder t;
  t.session().set_name("served");
  // Only imported traces may have the words of probes among the events of CPUs.
  if (phase_from >= 0) t.session().set_backend("import");
  t.session().mutable_host()->set_cpus(2);
  t.Thread(kServer, "worker", 10).Thread(kTwin, "worker", 10).Thread(kClient, "client");
  const uint32_t disk = t.Disk("vda");
  const uint32_t asks = t.AddStack({"schedule", "futex_wait"}, {{.function = "Ask"}}, kClient);
  const uint32_t writes = t.AddStack({"io_schedule"}, {{.function = "Write"}}, 10);
  t.Cpu(0).Run(kServer).Cpu(1).Run(kClient);
  for (int i = 0; i < requests; ++i) {
    const uint64_t begin_ns = static_cast<uint64_t>(i) * 10_ms;
    if (i == phase_from) t.At(begin_ns).PhaseBegin(kServer, "load", "");
    if (i == phase_to) t.At(begin_ns).Probe(kServer, ProbeKind::kPhaseEnd);
    t.At(begin_ns + 500_us).Cpu(1).Block().AddStackSample(kClient, StackMoment::kWait, asks);
    const BlockEvent write{.sector = 8, .device = disk, .bytes = 4096, .tid = kServer};
    t.At(begin_ns + 4_ms).Cpu(0).Issue(write).Block(testing::kDiskSleep);
    t.AddStackSample(kServer, StackMoment::kWait, writes);
    BlockEvent done = write;
    done.service_ns = 5_ms;
    t.At(begin_ns + 9_ms).Complete(done).WakeFromBlock(kServer, disk).Run(kServer);
    t.Wake(kClient).Cpu(1).Run(kClient);
  }
  t.At(static_cast<uint64_t>(requests) * 10_ms).Cpu(0).Block().Cpu(1).Block();
  return t;
}

class AnalysisTest : public ::testing::Test {
 protected:
  std::string Write(TraceBuilder trace, const std::string& name = "trace") {
    const std::string directory = dir_ / name;
    EXPECT_TRUE(trace.WriteSession(directory).ok());
    return directory;
  }

  const TempDir dir_;
};

pb::Report ReportOn(const std::string& directory, const AnalysisOptions& options = {}) {
  const auto analysis = Analysis::Run(directory, options);
  EXPECT_TRUE(analysis.ok()) << analysis.status();
  if (!analysis.ok()) return {};
  return analysis->report();
}

uint64_t UnseenTargets(const pb::Report& report) {
  for (const pb::ReportCounter& counter : report.counters()) {
    if (counter.name() == "targets_not_seen") return counter.value();
  }
  return 0;
}

TEST_F(AnalysisTest, ContradictionsAreTheReadersConcernIfAFindingRestsOnThem) {
  constexpr int32_t kAgent = 50;
  const auto told_of = [&](int32_t thread, uint64_t unknown_ns) {
    TraceBuilder trace = ServerTrace();
    // It comes to a CPU, and to another one without having left the first.
    trace.Thread(kAgent, "agent").Unchecked();
    const uint64_t again_ns = 501_ms + unknown_ns;
    trace.At(501_ms).Cpu(2).Run(thread).At(again_ns).Cpu(3).Run(thread).At(again_ns + 1_ms).Block();
    const pb::Report report =
        ReportOn(Write(trace, absl::StrCat(thread, " for ", unknown_ns, " ns")));
    for (const pb::ReportCounter& counter : report.counters()) {
      if (counter.name() == "contradicting_switches") return counter;
    }
    return pb::ReportCounter();
  };
  const pb::ReportCounter of_agent = told_of(kAgent, 50_ms);
  EXPECT_GT(of_agent.value(), 0u);
  EXPECT_EQ(of_agent.severity(), "info");
  EXPECT_THAT(of_agent.advice(), HasSubstr("No finding rests on"));
  const pb::ReportCounter of_little = told_of(kServer, 1_ms);
  EXPECT_GT(of_little.value(), 0u);
  EXPECT_EQ(of_little.severity(), "info");
  const pb::ReportCounter of_server = told_of(kServer, 50_ms);
  EXPECT_EQ(of_server.severity(), "data_loss");
  EXPECT_THAT(of_server.advice(), HasSubstr("Most of worker"));
}

TEST_F(AnalysisTest, WhereTheNamedTargetIsNotThereTheReaderHearsOfIt) {
  TraceBuilder trace = ServerTrace();
  trace.session().add_targets()->set_comm("till.py");
  const pb::Report strangers = ReportOn(Write(trace, "strangers"));
  ASSERT_FALSE(strangers.findings().empty());
  EXPECT_THAT(strangers.findings(0).doubts(), Contains(HasSubstr("You asked about till.py")));
  EXPECT_EQ(strangers.findings(0).sure(), "a guess");
  EXPECT_EQ(UnseenTargets(strangers), 1);
  trace.session().add_targets()->set_comm("worker");
  const pb::Report partly = ReportOn(Write(trace, "partly"));
  ASSERT_FALSE(partly.findings().empty());
  EXPECT_THAT(partly.findings(0).doubts(), Not(Contains(HasSubstr("You asked about"))));
  EXPECT_EQ(UnseenTargets(partly), 1);
}

TEST_F(AnalysisTest, GivesTheReportThatItsStagesGiveOneByOne) {
  const std::string directory = Write(ServerTrace());
  auto session = SessionReader::Open(directory);
  ASSERT_TRUE(session.ok());
  const auto timeline = Timeline::Load(**session, {}, {});
  ASSERT_TRUE(timeline.ok());
  const auto symbols = ReadSymbols(directory);
  ASSERT_TRUE(symbols.ok());
  const Code code(*symbols);
  const TimeRange range{timeline->start_ns(), timeline->end_ns()};
  const StackSumOptions whole{.from_ns = range.from_ns, .to_ns = range.to_ns};
  const Suggestions suggestions = FindSuggestions(*timeline, code);
  const Waits waits(*timeline, {});
  WaitForGraph graph = BuildWaitForGraph(waits);
  FindingOptions options;
  options.target_comms = {"client"};
  options.recording = SummarizeRecording(*timeline);
  ASSERT_TRUE(MarkNamedTargets(options, graph).ok());
  std::vector<uint32_t> entities(graph.entities.size());
  std::iota(entities.begin(), entities.end(), 0u);
  const StackSums by_entity(*timeline, waits, entities, whole);
  const auto merged =
      BuildGraph(graph, {.code_profiles = CodeProfiles(by_entity, code, entities.size()),
                         .halves = [&](std::span<const EntityId> threads) {
                           return TimesInHalvesOf(waits, threads, range.from_ns, range.to_ns);
                         }});
  ASSERT_TRUE(merged.ok());
  pb::Report report = Judge(graph, *merged, options);
  AddCpuUsers(waits, merged->vertex_of_entity, timeline->cpus(), range, 2, report);
  AddCounters(*timeline, graph, merged->vertex_of_entity, report);
  const StackSums stacks(*timeline, waits, merged->vertex_of_entity, whole);
  const WaitThings things(*timeline, stacks, range.from_ns, range.to_ns);
  AddCode(stacks, code, things, {}, report);
  AddSuggestions(suggestions.all, *timeline, code, merged->vertex_of_entity, range, report);
  AddStackCounters(stacks, code, report);

  const pb::Report told = ReportOn(directory, {.target = {.comms = {"client"}}});
  EXPECT_FALSE(told.findings().empty());
  EXPECT_FALSE(told.code().empty());
  EXPECT_EQ(told.DebugString(), report.DebugString());
}

TEST_F(AnalysisTest, TellsWhatTheKernelLeftOut) {
  TraceBuilder t = ServerTrace();
  pb::LeftOut* left_out = t.session().add_left_out();
  left_out->set_program("kprobe_wake");
  left_out->set_event("wake");
  left_out->set_count(3);
  AddCounter(t.session(), "kernel_programs_skipped", 3);
  AddCounter(t.session(), "records_left_out_wake", 3);
  const pb::Report report = ReportOn(Write(std::move(t)), {});
  EXPECT_EQ(report.recording().lost(), 3u);
  std::string advice;
  for (const pb::ReportCounter& counter : report.counters())
    if (counter.name() == "kernel_programs_skipped") advice = counter.advice();
  EXPECT_THAT(advice, ::testing::StartsWith("Left out: kprobe_wake (3). "));
}

TEST_F(AnalysisTest, TellsTheSameWithAnyNumberOfThreads) {
  const std::string directory = Write(ServerTrace());
  AnalysisOptions options{.predictions = FixOptions{.command = "gordian whatif trace"}};
  options.threads = 1;
  const std::string report = ReportOn(directory, options).SerializeAsString();
  for (const int threads : {2, 5}) {
    options.threads = threads;
    EXPECT_EQ(ReportOn(directory, options).SerializeAsString(), report) << threads;
  }
}

TEST_F(AnalysisTest, KeepsWhatItsStagesMade) {
  const auto analysis = Analysis::Run(Write(ServerTrace()));
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_EQ(&analysis->waits().timeline(), &analysis->timeline());
  EXPECT_EQ(analysis->wait_for_graph().entities.size(), analysis->waits().entities().size());
  EXPECT_EQ(analysis->nodes(), nullptr);
  EXPECT_EQ(analysis->job(), nullptr);
  EXPECT_THAT(analysis->merged_graph().vertices, SizeIs(analysis->report().vertices_size()));
  EXPECT_THAT(analysis->Stacks(), Not(IsEmpty()));
  EXPECT_EQ(analysis->Page().report().DebugString(), analysis->report().DebugString());
  EXPECT_FALSE(analysis->Page().histories().empty());
}

// Threads of the target are merged with each other only.
TEST_F(AnalysisTest, ItsVerticesAreThoseOfTheReportIfATargetIsNamed) {
  const auto analysis = Analysis::Run(Write(ServerTrace()), {.target = {.pids = {kTwin}}});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_EQ(analysis->report().scope().chosen_by(), "option");
  ASSERT_FALSE(analysis->report().threads().empty());
  for (const pb::ReportThread& thread : analysis->report().threads())
    EXPECT_EQ(thread.vertex(), analysis->merged_graph().vertex_of_entity[thread.id()]);
}

TEST_F(AnalysisTest, OnlyWhatLiesInTheRangeCounts) {
  const std::string directory = Write(ServerTrace());
  const auto part =
      Analysis::Run(directory, {.range = {.from_ns = 100_ms, .to_ns = 200_ms},
                                .predictions = FixOptions{.command = "gordian whatif trace"}});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->range().length_ns(), 100_ms);
  EXPECT_DOUBLE_EQ(part->report().recording().seconds(), 0.1);
  ASSERT_FALSE(part->report().findings().empty());
  ASSERT_FALSE(part->report().findings(0).predictions().empty());
  EXPECT_NEAR(part->report().findings(0).predictions(0).replayed_s(), 0.1, 1e-9);
  EXPECT_TRUE(
      absl::IsOutOfRange(Analysis::Run(directory, {.range = {.from_ns = 3600'000_ms}}).status()));
}

TEST_F(AnalysisTest, PredictsOnlyIfAsked) {
  const std::string directory = Write(ServerTrace());
  const pb::Report unasked = ReportOn(directory);
  for (const pb::Finding& finding : unasked.findings()) {
    EXPECT_THAT(finding.predictions(), IsEmpty());
    EXPECT_EQ(finding.no_prediction_because(), "");
  }
  const pb::Report report =
      ReportOn(directory, {.predictions = FixOptions{.command = "gordian whatif trace"}});
  ASSERT_FALSE(report.findings().empty());
  ASSERT_FALSE(report.findings(0).predictions().empty());
  EXPECT_THAT(report.findings(0).predictions(0).command(), HasSubstr("gordian whatif trace --"));
}

TEST_F(AnalysisTest, OptionsThatMakeNoSenseHereAreErrors) {
  const std::string directory = Write(ServerTrace());
  const auto error = [&](const AnalysisOptions& options) {
    return Analysis::Run(directory, options).status();
  };
  EXPECT_TRUE(absl::IsNotFound(error({.target = {.comms = {"nobody"}}})));
  EXPECT_TRUE(absl::IsNotFound(error({.target = {.cgroups = {"/none"}}})));
  EXPECT_TRUE(absl::IsInvalidArgument(error({.target = {.nodes = {"node1"}}})));
  EXPECT_FALSE(error({.graph = {.groups = {"(=broken"}}}).ok());
}

TEST_F(AnalysisTest, AFolderWithoutARecordingOrWithoutTimeIsAnError) {
  EXPECT_FALSE(Analysis::Run(dir_ / "nothing").ok());
  TraceBuilder t;
  t.Thread(1, "A").At(5_ms).Run(1);
  const std::string directory = Write(t);
  const absl::Status status = Analysis::Run(directory).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr(directory));
}

TEST_F(AnalysisTest, StagesBeginInOrderAndTellTheirShare) {
  std::vector<AnalysisStage> begun;
  const auto analysis = Analysis::Run(
      Write(ServerTrace()), {.predictions = FixOptions{.command = "gordian whatif trace"}},
      [&begun](AnalysisStage stage, double share) {
        EXPECT_GE(share, 0);
        if (begun.empty() || begun.back() != stage) begun.push_back(stage);
      });
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_THAT(begun, ElementsAre(AnalysisStage::kReading, AnalysisStage::kSuggestions,
                                 AnalysisStage::kWaits, AnalysisStage::kGraph,
                                 AnalysisStage::kMerging, AnalysisStage::kFindings,
                                 AnalysisStage::kDetails, AnalysisStage::kPredictions));
}

TEST_F(AnalysisTest, AnswersWhatAChangeWouldGain) {
  const auto analysis = Analysis::Run(Write(ServerTrace()));
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const auto answer = analysis->Ask({.changes = {{"scale", "vda=0"}}});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_GT(answer->expected(), 1.5);
  EXPECT_GT(answer->low(), 1) << "calibrated, and still a gain";
  EXPECT_FALSE(analysis->Ask({.changes = {{"scale", "sda=0"}}}).ok());
}

TEST_F(AnalysisTest, ListsTheStacksOfAnEdge) {
  const auto analysis = Analysis::Run(Write(ServerTrace()));
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const auto listing = analysis->StacksOf({.from = "client", .to = "worker"});
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(listing->edges_size(), 1);
  EXPECT_EQ(listing->edges(0).waiter_samples(), 50u);
  EXPECT_TRUE(absl::IsNotFound(analysis->StacksOf({.from = "client", .to = "vda"}).status()));
}

TEST_F(AnalysisTest, TellsAJobsPhasesBesideTheRecording) {
  const std::string directory = Write(ServerTrace(50, 10, 40));
  JobRequest job;
  job.inputs.session_directory = directory;
  const auto analysis = Analysis::Run(directory, {.job = job});
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  ASSERT_NE(analysis->job(), nullptr);
  EXPECT_FALSE(analysis->report().phases().empty());
  EXPECT_FALSE(analysis->report().vertices().empty());
  const auto tree = ReadRecordedJob(job);
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->job.phases.size(), analysis->job()->job.phases.size());

  job.model = "no such model";
  EXPECT_FALSE(Analysis::Run(directory, {.job = job}).ok());
}

TEST_F(AnalysisTest, TellsAJobThatWasNotRecorded) {
  JobRequest job;
  job.model = "nginx";
  job.inputs.logs = {testing::WriteFile(
      dir_ / "access.log",
      "192.0.2.1 - - [05/Mar/2026:10:00:10 +0000] \"GET /cart HTTP/1.1\" 200 612 \"-\" \"curl\" "
      "0.250 0.200\n")};
  const auto analysis = Analysis::OfJob(job);
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  EXPECT_FALSE(analysis->report().phases().empty());
  EXPECT_TRUE(analysis->report().vertices().empty());
  EXPECT_EQ(analysis->Page().report().DebugString(), analysis->report().DebugString());
  // No sample can be told from the phases.
  EXPECT_TRUE(absl::IsFailedPrecondition(StudyRecordedJob(job).status()));
}

TEST_F(AnalysisTest, TellsSeveralJobsAsOne) {
  const auto log = [&](const std::string& name, const std::string& second) {
    return testing::WriteFile(dir_ / name,
                              "192.0.2.1 - - [05/Mar/2026:10:00:" + second +
                                  " +0000] \"GET /cart HTTP/1.1\" 200 612 \"-\" \"curl\" "
                                  "0.250 0.200\n");
  };
  JobRequest request;
  request.jobs = {"nginx=" + log("a.log", "10") + "," + log("b.log", "12"),
                  "nginx=" + log("c.log", "11")};
  const auto analysis = Analysis::OfJob(request);
  ASSERT_TRUE(analysis.ok()) << analysis.status();
  const Job& job = analysis->job()->job;
  ASSERT_EQ(job.jobs.size(), 2U);
  EXPECT_EQ(PathOf(job, job.jobs[0]), "/jobs/nginx");
  EXPECT_EQ(PathOf(job, job.jobs[1]), "/jobs/nginx 2");
  EXPECT_GT(job.jobs[1] - job.jobs[0], job.phases.size() - job.jobs[1]) << "it has two logs";

  request.jobs = {"nginx=" + dir_ / "none.log"};
  EXPECT_THAT(std::string(Analysis::OfJob(request).status().message()),
              HasSubstr("--job nginx=" + dir_ / "none.log"));
}

TEST_F(AnalysisTest, ListsOneThreadOfARecording) {
  const std::string directory = Write(ServerTrace(2));
  const auto listing =
      ListThread(directory, {.tid = kClient, .range = {.from_ns = 0, .to_ns = 10_ms}});
  ASSERT_TRUE(listing.ok()) << listing.status();
  ASSERT_EQ(listing->threads_size(), 1);
  std::vector<std::string> states;
  for (const pb::TimelineSegment& segment : listing->threads(0).segments())
    states.push_back(segment.state());
  EXPECT_THAT(states, ElementsAre("run", "wait", "run"));
  const absl::Status missing = ListThread(directory, {.tid = kLate}).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(std::string(missing.message()), HasSubstr("thread 40"));
}

TEST_F(AnalysisTest, ComparesTwoRecordings) {
  const std::string before = Write(ServerTrace(50), "before");
  const std::string after = Write(ServerTrace(40), "after");
  const auto diff = CompareRecordings({{before}, {after}});
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_FALSE(diff->verdict().empty());
  const absl::Status status = CompareRecordings({{before}, {dir_ / "none"}}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr(dir_ / "none"));
}

}  // namespace
}  // namespace gordian
