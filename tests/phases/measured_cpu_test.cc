// The CPU time of phases as the records tell it, against what the kernel accounts to the threads:
// examples/bsp reads its threads' CPU clocks where its phases begin and end.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "analyzer/engine.h"
#include "analyzer/measured/measured.h"
#include "analyzer/phases/job.h"
#include "proto/session_reader.h"
#include "tests/program.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {
namespace {

struct LoggedJob {
  Job job;
  std::vector<uint64_t> cpu_ns;  // by phase, as the kernel accounts it
  std::map<std::string, PhaseId> by_path;
};

// Reads the lines of examples/bsp/phase_log.h that matter here.
LoggedJob ReadLog(const std::string& path) {
  LoggedJob logged;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    unsigned long long time_ns = 0;
    unsigned long long cpu_ns = 0;
    char event[32] = {};
    char phase_path[256] = {};
    int pid = 0;
    int tid = 0;
    const int fields = std::sscanf(
        line.c_str(),
        R"({"time_ns":%llu,"event":"%31[a-z_]","phase":"%255[^"]","node":"%*[^"]","pid":%d,"tid":%d,"cpu_ns":%llu)",
        &time_ns, event, phase_path, &pid, &tid, &cpu_ns);
    const std::string name = phase_path;
    if (fields == 5 && std::string(event) == "begin") {
      const auto parent = logged.by_path.find(name.substr(0, name.rfind('/')));
      const PhaseId parent_id = parent == logged.by_path.end() ? kNoId : parent->second;
      logged.by_path[name] = static_cast<PhaseId>(logged.job.phases.size());
      logged.job.phases.push_back(
          {.parent = parent_id, .start_ns = time_ns, .pid = pid, .tid = tid});
      logged.cpu_ns.push_back(0);
    } else if (fields == 6 && std::string(event) == "end") {
      const PhaseId id = logged.by_path.at(name);
      logged.job.phases[id].end_ns = time_ns;
      logged.cpu_ns[id] = cpu_ns;
    }
  }
  return logged;
}

// A thread's phases nest, so those that lie in none of its own hold all others.
bool IsOutermostOfItsThread(const Job& job, PhaseId id) {
  const int32_t tid = job.phases[id].tid;
  for (PhaseId around = job.phases[id].parent; around != kNoId;
       around = job.phases[around].parent) {
    if (job.phases[around].tid == tid) return false;
  }
  return true;
}

struct ThreadTimes {
  uint64_t accounted_ns = 0;
  uint64_t measured_ns = 0;
  uint64_t unknown_ns = 0;
};

// By tid; empty, and the test failed, if something went wrong.
std::map<int32_t, ThreadTimes> RecordAndMeasure() {
  const TempDir dir;
  const ProgramResult recorded =
      RunProgram({GORDIAN_PROGRAM, "record", "-o", dir / "trace", "--", BSP_PROGRAM, "--threads",
                  "2", "--lock", "--supersteps", "10", "--log", dir / "log"});
  EXPECT_EQ(recorded.exit_code, 0) << recorded.errors;
  auto session = SessionReader::Open(dir / "trace");
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return {};
  const auto timeline = LoadTimeline(**session);
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  if (!timeline.ok()) return {};
  const LoggedJob logged = ReadLog(dir / "log");
  const MeasuredUse use = MeasureUse(*timeline, logged.job);
  std::map<int32_t, ThreadTimes> times;
  for (PhaseId id = 0; id < logged.job.phases.size(); ++id) {
    ThreadTimes& thread = times[logged.job.phases[id].tid];
    EXPECT_TRUE(use.measured[id]);
    thread.measured_ns += use.resources[0].totals[id].own;
    thread.unknown_ns += use.unknown_ns[id];
    if (IsOutermostOfItsThread(logged.job, id)) thread.accounted_ns += logged.cpu_ns[id];
  }
  return times;
}

// Of all threads' time, in parts of one.
double ShareUnknown(const std::map<int32_t, ThreadTimes>& times) {
  double unknown_ns = 0;
  double accounted_ns = 1;
  for (const auto& [tid, thread] : times) {
    unknown_ns += static_cast<double>(thread.unknown_ns);
    accounted_ns += static_cast<double>(thread.accounted_ns);
  }
  return unknown_ns / accounted_ns;
}

// Where the machine hides threads from BPF, some of the time is not known: then the truth lies
// between what is measured and that with all that is unknown. Little enough of it is unknown in one
// of a few recordings.
TEST(MeasuredCpu, IsThatOfTheKernelWithinOnePercentForEveryThread) {
  constexpr int kTries = 10;
  std::map<int32_t, ThreadTimes> times = RecordAndMeasure();
  for (int tries = 1; tries < kTries && ShareUnknown(times) > 0.003; ++tries) {
    times = RecordAndMeasure();
  }
  ASSERT_LE(ShareUnknown(times), 0.003);
  EXPECT_EQ(times.size(), 4u);  // two workers of two threads
  for (const auto& [tid, thread] : times) {
    const auto accounted_ns = static_cast<double>(thread.accounted_ns);
    const auto measured_ns = static_cast<double>(thread.measured_ns);
    const auto unknown_ns = static_cast<double>(thread.unknown_ns);
    std::printf("thread %d: %.3f ms accounted, measured %+.3f %%, unknown %.3f %%\n", tid,
                accounted_ns / 1e6, (measured_ns / accounted_ns - 1) * 100,
                unknown_ns / accounted_ns * 100);
    EXPECT_GT(accounted_ns, 50e6);  // else reading the clocks would count
    EXPECT_LE(measured_ns, accounted_ns * 1.01);
    EXPECT_GE(measured_ns + unknown_ns, accounted_ns * 0.99);
  }
}

}  // namespace
}  // namespace gordian::testing
