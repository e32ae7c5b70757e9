// SPDX-License-Identifier: Apache-2.0
// The CPU time of phases by the records, against the kernel's accounts of the threads: examples/bsp
// reads its threads' CPU clocks where its phases begin and end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "jobs/job/job.h"
#include "jobs/measured/measured.h"
#include "tests/program.h"
#include "tests/support/recorded_session.h"
#include "tests/support/temp_dir.h"
#include "trace/session_reader.h"

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

// More than this no phase differs by, unless the host took its CPU away meanwhile.
constexpr uint64_t kLumpNs = 100'000;

// The records include time that a host takes from a virtual machine while a thread runs, as there
// is no switch meanwhile. Kernels that know of it (CONFIG_PARAVIRT_TIME_ACCOUNTING) leave it out of
// the thread's account. It comes in lumps: phases that differ by so much are left out, and the test
// checks afterwards that the host took as much.
struct Times {
  uint64_t accounted_ns = 0;
  uint64_t measured_ns = 0;
  uint64_t taken_ns = 0;

  void Add(uint64_t accounted, uint64_t measured) {
    if (measured > accounted + kLumpNs) {
      taken_ns += measured - accounted;
      return;
    }
    accounted_ns += accounted;
    measured_ns += measured;
  }
};

// Records the job and adds the times of its threads' innermost phases to `times`, by the thread's
// place in the job ("Worker[1]/Thread[0]"). If the machine hides threads from BPF, the run time of
// the threads they interrupt is not known: phases during which one of them ran are left out.
void RecordAndMeasure(std::map<std::string, Times>& times) {
  const TempDir dir;
  const ProgramResult result = RunProgram(
      {GORDIAN_PROGRAM, "record", "--budget", "none", "-o", dir / "trace", "--", BSP_PROGRAM,
       "--threads", "2", "--vertices", "4096", "--supersteps", "100", "--log", dir / "log"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  auto session = SessionReader::Open(dir / "trace");
  ASSERT_TRUE(session.ok()) << session.status();
  const auto timeline = LoadTimeline(**session);
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const auto recorded = LoadSession(dir / "trace");
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  const LoggedJob logged = ReadLog(dir / "log");
  const PhaseMeasurement use = MeasureUse(*timeline, logged.job);
  for (const auto& [path, id] : logged.by_path) {
    EXPECT_TRUE(use.measured[id]) << path;
    const size_t worker = path.find("/Worker[");
    if (worker == std::string::npos || path.find("/Thread[") == std::string::npos) continue;
    const Phase& phase = logged.job.phases[id];
    if (HiddenThreadRan(*recorded, phase.start_ns, phase.end_ns)) continue;
    EXPECT_EQ(use.unknown_ns[id], 0u) << path;
    times[path.substr(worker + 1)].Add(logged.cpu_ns[id], use.resources[0].totals[id].own);
  }
}

// So much that the time to read the clocks at each end of a phase does not count.
constexpr uint64_t kEnoughNs = 20'000'000;

bool IsEnough(const std::map<std::string, Times>& times) {
  return times.size() == 4 && std::all_of(times.begin(), times.end(), [](const auto& thread) {
           return thread.second.accounted_ns >= kEnoughNs;
         });
}

// Since boot, from all CPUs; on most machines nothing. It is told in ticks.
uint64_t StolenNs() {
  std::ifstream stat("/proc/stat");
  std::string cpu;
  uint64_t user = 0, nice = 0, system = 0, idle = 0, disk = 0, hardirq = 0, softirq = 0;
  uint64_t stolen_ticks = 0;
  stat >> cpu >> user >> nice >> system >> idle >> disk >> hardirq >> softirq >> stolen_ticks;
  return stolen_ticks * 1'000'000'000 / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
}

TEST(MeasuredCpu, IsThatOfTheKernelWithinOnePercentForEveryThread) {
  constexpr int kMostRecordings = 20;
  const uint64_t stolen_before_ns = StolenNs();
  std::map<std::string, Times> times;
  for (int recordings = 0; recordings < kMostRecordings && !IsEnough(times); ++recordings) {
    RecordAndMeasure(times);
    if (HasFatalFailure()) return;
  }
  ASSERT_TRUE(IsEnough(times)) << "hidden threads ran all the time";
  const uint64_t stolen_after_ns = StolenNs();
  uint64_t taken_ns = 0;
  for (const auto& [thread, sums] : times) {
    const double ratio =
        static_cast<double>(sums.measured_ns) / static_cast<double>(sums.accounted_ns);
    std::printf("%s: %.3f ms accounted, measured %+.3f %%; %.3f ms taken away\n", thread.c_str(),
                static_cast<double>(sums.accounted_ns) / 1e6, (ratio - 1) * 100,
                static_cast<double>(sums.taken_ns) / 1e6);
    EXPECT_NEAR(ratio, 1, 0.01) << thread;
    taken_ns += sums.taken_ns;
  }
  const uint64_t stolen_ns = stolen_after_ns - stolen_before_ns;
  std::printf("the host says: %.3f ms\n", static_cast<double>(stolen_ns) / 1e6);
  // It may not have told less than a tick yet, if it ever tells anything.
  const uint64_t tick_ns = 1'000'000'000 / static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  EXPECT_LE(taken_ns, stolen_after_ns == 0 ? 0 : stolen_ns + tick_ns);
}

}  // namespace
}  // namespace gordian::testing
