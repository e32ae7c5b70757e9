// SPDX-License-Identifier: Apache-2.0
// Jobs out of sessions: probes, clocks and resource samples.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "jobs/phases/read_job.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Writes a session word by word.
class SessionJob : public testing::Test {
 protected:
  SessionJob() {
    block_.cpu = kNoCpu;
    session_.set_name("s");
    session_.mutable_host()->set_hostname("n1");
  }

  void Say(uint64_t time_ns, int32_t tid, ProbeKind kind, std::string_view name = "",
           std::string_view key = "", uint64_t count = 0) {
    const uint32_t name_index = block_.InternName(name);
    const uint64_t value = kind == ProbeKind::kPhaseBegin ? block_.InternName(key) : count;
    const TraceEvent event{.time_ns = time_ns,
                           .kind = EventKind::kProbe,
                           .cpu = kNoCpu,
                           .probe = {tid, kind, name_index, value}};
    block_.events.push_back(event);
  }
  void Begin(uint64_t time_ns, int32_t tid, std::string_view name, std::string_view key = "") {
    Say(time_ns, tid, ProbeKind::kPhaseBegin, name, key);
  }
  void End(uint64_t time_ns, int32_t tid) { Say(time_ns, tid, ProbeKind::kPhaseEnd); }

  absl::StatusOr<JobReading> Read(const std::string& model,
                                  const std::vector<std::string>& logs = {}) {
    const std::string folder = directory_ / "session";
    const auto writer = SessionWriter::Create(folder, {});
    EXPECT_TRUE(writer.ok()) << writer.status();
    EventBlock tasks;
    tasks.AddTask(1, TaskRecord{.tid = 11, .tgid = 10, .comm = "job"});
    EXPECT_TRUE((*writer)->AppendTasks(tasks).ok());
    EventBlock births;
    births.cpu = 0;
    births.AddTask(2, TaskRecord{.change = TaskChange::kNew, .tid = 12, .tgid = 10});
    EXPECT_TRUE((*writer)->AppendEvents(births).ok());
    EXPECT_TRUE((*writer)->AppendEvents(block_).ok());
    if (resources_.samples_size() > 0) {
      EXPECT_TRUE((*writer)->AppendResources(resources_).ok());
    }
    EXPECT_TRUE((*writer)->WriteSession(session_).ok());
    JobInputs inputs;
    const auto loaded = LoadModel(model);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    inputs.model = *loaded;
    inputs.session_directory = folder;
    inputs.logs = logs;
    return ReadJob(inputs);
  }

  std::string File(const std::string& name, const std::string& text) {
    WriteWholeFile(directory_ / name, text);
    return directory_ / name;
  }

  static std::vector<std::string> Tree(const Job& job) {
    std::vector<std::string> lines;
    for (PhaseId id = 0; id < job.phases.size(); ++id) {
      const Phase& phase = job.phases[id];
      lines.push_back(absl::StrCat(PathOf(job, id), " ", phase.start_ns, "..", phase.end_ns, " ",
                                   phase.pid, "/", phase.tid, phase.end_assumed ? "?" : ""));
    }
    return lines;
  }

  TemporaryDirectory directory_;
  EventBlock block_;
  pb::Session session_;
  pb::ResourceBlock resources_;
};

TEST_F(SessionJob, NestsThePhasesOfEachThread) {
  Begin(100, 11, "step", "1");
  Begin(110, 12, "step", "1");
  Begin(120, 11, "read");
  End(130, 11);
  End(140, 12);
  End(150, 11);
  Begin(160, 11, "step", "2");
  End(170, 11);
  const auto reading = Read("probes");
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(Tree(reading->job),
              ElementsAre("/Job 100..170 10/0", "/Job/step[1] 100..150 10/11",
                          "/Job/step[1]/read 120..130 10/11", "/Job/step[1] 110..140 10/12",
                          "/Job/step[2] 160..170 10/11"));
  EXPECT_THAT(reading->counters, IsEmpty());
  EXPECT_EQ(reading->job.phases[1].node, "n1");
  EXPECT_EQ(reading->job.model.types[1].repeat, PhaseRepeat::kConcurrent);
  EXPECT_EQ(reading->job.model.types[1].place, PhasePlace::kThread);
}

TEST_F(SessionJob, NestsIterationsCallsAndThreadsOfAnMpiProgram) {
  Begin(100, 11, "Rank", "0");
  Begin(110, 11, "Iteration", "1");
  Begin(115, 11, "Parallel");
  Begin(116, 11, "Thread", "0");
  Begin(117, 12, "Thread", "1");
  End(140, 12);
  End(145, 11);
  End(150, 11);
  Begin(150, 11, "MPI_Allreduce");
  End(190, 11);
  End(190, 11);
  End(200, 11);
  const auto reading = Read("mpi-openmp");
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(Tree(reading->job),
              ElementsAre("/Job 100..200 10/11", "/Job/Rank[0] 100..200 10/11",
                          "/Job/Rank[0]/Iteration[1] 110..190 10/11",
                          "/Job/Rank[0]/Iteration[1]/Parallel 115..150 10/11",
                          "/Job/Rank[0]/Iteration[1]/Parallel/Thread[0] 116..145 10/11",
                          "/Job/Rank[0]/Iteration[1]/Parallel/Thread[1] 117..140 10/12",
                          "/Job/Rank[0]/Iteration[1]/MPI_Allreduce 150..190 10/11"));
}

TEST_F(SessionJob, CountsEndsTooManyAndEndsThatAreMissing) {
  End(90, 11);
  Begin(100, 11, "step");
  Begin(110, 11, "inner");
  End(120, 11);
  Begin(150, 12, "step");
  End(180, 12);
  const auto reading = Read("probes");
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(reading->counters.size(), 2u);
  EXPECT_EQ(reading->counters[0].name, "phase_ends_assumed");
  EXPECT_EQ(reading->counters[1].name, "phase_ends_without_begin");
  EXPECT_THAT(Tree(reading->job), testing::Contains("/Job/step[1] 100..180 10/11?"));
}

constexpr char kBspModel[] = R"(model: bsp
phases:
  Job:
    phases:
      Superstep:
        repeat: sequential
        phases: {Worker: {repeat: concurrent, place: thread, phases: {Compute: , Barrier: }}}
logs:
  - {format: probes}
  - {format: text, time: {format: epoch_ns}, rules: [{match: '^(?P<time>\d+) superstep (?P<step>\d+)', begin: "/Job/Superstep[{step}]"}]}
)";

TEST_F(SessionJob, FindsByTimeWhatOneThreadBeganAndOthersWorkOn) {
  Begin(100, 11, "Superstep", "1");
  Begin(105, 12, "Worker", "a");
  Begin(106, 12, "Compute");
  End(130, 12);
  End(140, 12);
  End(150, 11);
  Begin(150, 11, "Superstep", "2");
  Begin(155, 12, "Worker", "a");
  Begin(156, 12, "Cleanup");  // not in the model
  Begin(157, 12, "Barrier");
  End(158, 12);
  End(159, 12);
  End(160, 12);
  End(170, 11);
  const auto reading = Read(File("m.yaml", kBspModel));
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(
      Tree(reading->job),
      ElementsAre("/Job 100..170 10/11", "/Job/Superstep[1] 100..150 10/11",
                  "/Job/Superstep[1]/Worker[a] 105..140 10/12",
                  "/Job/Superstep[1]/Worker[a]/Compute 106..130 10/12",
                  "/Job/Superstep[2] 150..170 10/11", "/Job/Superstep[2]/Worker[a] 155..160 10/12",
                  "/Job/Superstep[2]/Worker[a]/Barrier 157..158 10/12"));
  ASSERT_EQ(reading->counters.size(), 1u);
  EXPECT_EQ(reading->counters[0].name, "phase_names_unknown");
}

TEST_F(SessionJob, TakesAPhaseCalledLikeTheRootForTheRoot) {
  Begin(100, 11, "Job", "nightly");
  Begin(110, 11, "read");
  Begin(120, 11, "Job");  // inside another one it is one of its own
  End(130, 11);
  End(140, 11);
  End(150, 11);
  Begin(200, 12, "Job", "again");
  Begin(210, 12, "read");
  End(220, 12);
  End(250, 12);
  const auto reading = Read("probes");
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(Tree(reading->job),
              ElementsAre("/Job[nightly] 100..250 0/0", "/Job[nightly]/read[1] 110..140 10/11",
                          "/Job[nightly]/read[1]/Job 120..130 10/11",
                          "/Job[nightly]/read[2] 210..220 10/12"));
  ASSERT_EQ(reading->counters.size(), 1u);
  EXPECT_EQ(reading->counters[0].name, "phase_roots_joined");
}

TEST_F(SessionJob, BringsTheLogsWallClockToTheSessions) {
  // The wall clock runs 1 % fast between the two pairs.
  for (const auto& [monotonic, realtime] : {std::pair<uint64_t, int64_t>{1000, 5'000'000},
                                            std::pair<uint64_t, int64_t>{101'000, 5'101'000}}) {
    pb::ClockPair* pair = session_.add_clocks();
    pair->set_monotonic_ns(monotonic);
    pair->set_realtime_ns(realtime);
  }
  Begin(2000, 12, "Worker", "a");
  End(150'000, 12);
  const std::string log = File("x.log",
                               "4999900 superstep 0\n5000000 superstep 1\n"
                               "5050500 superstep 2\n5151000 superstep 3\n");
  const auto reading = Read(File("m.yaml", kBspModel), {log});
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_THAT(
      Tree(reading->job),
      ElementsAre("/Job 900..151000 0/0?", "/Job/Superstep[0] 900..1000 0/0?",
                  "/Job/Superstep[1] 1000..51000 0/0?",
                  "/Job/Superstep[1]/Worker[a] 2000..51000 10/12",
                  "/Job/Superstep[2] 51000..151000 0/0?", "/Job/Superstep[3] 151000..151000 0/0?"));
}

TEST_F(SessionJob, TakesTheSessionsResourceSamples) {
  const auto add = [this](pb::ResourceKind kind, const char* name, double capacity, double value) {
    const int index = resources_.resources_size();
    pb::Resource* resource = resources_.add_resources();
    resource->set_kind(kind);
    resource->set_name(name);
    resource->set_capacity(capacity);
    for (const uint64_t end_ns : {1000u, 2000u}) {
      pb::ResourceSample* sample = resources_.add_samples();
      sample->set_resource(static_cast<uint32_t>(index));
      sample->set_end_time_ns(end_ns);
      sample->set_interval_ns(1000);
      sample->set_value(value);
    }
  };
  resources_.set_last_time_ns(2000);
  add(pb::RESOURCE_CPU, "cpu0", 1e9, 5e8);
  add(pb::RESOURCE_CPU, "cpu1", 1e9, 1e9);
  add(pb::RESOURCE_DISK_BUSY, "vda", 1e9, 2.5e8);
  add(pb::RESOURCE_NET_SEND, "eth0", 1.25e8, 1e6);
  add(pb::RESOURCE_MEMORY, "memory", 1e10, 1e9);
  add(pb::RESOURCE_SOFTIRQ, "cpu0/net_rx", 0, 1);
  Begin(100, 11, "step");
  Say(150, 11, ProbeKind::kCount, "rows", "", 30);
  Say(160, 11, ProbeKind::kCount, "rows", "", 20);
  End(1900, 11);
  const auto reading = Read("probes");
  ASSERT_TRUE(reading.ok()) << reading.status();
  const Job& job = reading->job;
  std::vector<std::string> lines;
  for (size_t i = 0; i < job.resources.size(); ++i)
    lines.push_back(absl::StrCat(job.model.resources[job.resources[i].type].name, " ",
                                 job.resources[i].name, "@", job.resources[i].node, " ",
                                 job.samples[i].at(0).use, " of ", job.resources[i].capacity, " x",
                                 job.samples[i].size()));
  EXPECT_THAT(lines, testing::UnorderedElementsAre(
                         "rows rows@n1 5000 of 0 x1", "disk vda@n1 0.25 of 1 x2",
                         "net_send eth0@n1 1e+06 of 1.25e+08 x2", "cpu cpu@n1 1.5 of 2 x2"));
  EXPECT_EQ(job.model.rules.size(), job.model.types.size() * job.model.resources.size());
}

TEST_F(SessionJob, SaysSoIfNoProgramSaidAnything) {
  EXPECT_EQ(Read("probes").status().message(),
            "no phases found: no program of this recording said any (docs/probe-guide.md)");
}

TEST_F(SessionJob, NeedsALogForAModelThatReadsOne) {
  EXPECT_EQ(Read("spark").status().message(), "model spark reads logs: give --log FILE");
}

}  // namespace
}  // namespace gordian
