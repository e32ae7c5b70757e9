// SPDX-License-Identifier: Apache-2.0
// Whatever was recorded, even what cannot be: walks end, and what they charge is their length.
#include "path/walk.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "path/test_jobs.h"

namespace gordian {
namespace {

constexpr int kMostThreads = 6;
constexpr int kFirstTid = 10;
constexpr uint64_t kEndNs = 400;

int AnyTid() { return *rc::gen::inRange(kFirstTid, kFirstTid + kMostThreads); }
uint64_t AnyTime() { return *rc::gen::inRange<uint64_t>(0, kEndNs); }

// Threads that run anywhere, are woken by anything at any time, and beget each other. Many times
// are equal, and many things contradict each other.
std::string AnyTrace() {
  JobTrace trace;
  trace.Alive(kFirstTid, "root").Header("disk 8 vda").Header("nic 2 eth0").End(kEndNs);
  for (int tid = kFirstTid + 1; tid < kFirstTid + kMostThreads; ++tid) {
    const int parent = *rc::gen::inRange(kFirstTid, tid);
    const auto birth_ns = *rc::gen::inRange<uint64_t>(0, kEndNs / 2);
    const std::string name = "p" + std::to_string(tid % 3);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        trace.Alive(tid, name);
        break;
      case 1:
        trace.Thread(birth_ns, parent, tid, parent);
        break;
      default:
        trace.Fork(birth_ns, parent, tid);
        trace.Exec(*rc::gen::inRange<uint64_t>(birth_ns, kEndNs), tid, name);
    }
  }
  for (const int cpu : {0, 1}) {
    uint64_t at_ns = 0;
    while (at_ns < kEndNs) {
      const uint64_t from_ns = at_ns + *rc::gen::inRange<uint64_t>(0, 30);
      const uint64_t to_ns = from_ns + *rc::gen::inRange<uint64_t>(0, 50);
      trace.Run(cpu, AnyTid(), from_ns, to_ns, *rc::gen::element('S', 'S', 'D', 'P', 'X'));
      at_ns = to_ns + 1;
    }
  }
  const int wakes = *rc::gen::inRange(0, 40);
  for (int i = 0; i < wakes; ++i) {
    const std::string by =
        *rc::gen::element<std::string>("timer", "nic 2", "disk 8", "softirq 9", "", "", "", "");
    trace.Wake(AnyTime(), AnyTid(), by.empty() ? std::to_string(AnyTid()) : by);
  }
  const int requests = *rc::gen::inRange(0, 8);
  for (int i = 0; i < requests; ++i) {
    const uint64_t issue_ns = AnyTime();
    const auto service_ns = *rc::gen::inRange<uint64_t>(1, 60);
    trace.Line(issue_ns, "issue " + std::to_string(AnyTid()) + " 8 4096 " + std::to_string(i));
    trace.Line(issue_ns + service_ns,
               "complete 8 " + std::to_string(i) + " " + std::to_string(service_ns));
  }
  return trace.Text();
}

double Sum(const auto& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const auto& row) { return sum + row.ns; });
}

RC_GTEST_PROP(PathWalks, EndAndChargeTheirWholeLength, ()) {
  const ScenarioTimeline scenario(AnyTrace());
  const Timeline& timeline = scenario.timeline();
  const JobProcesses processes(timeline);
  std::vector<uint8_t> is_target(timeline.thread_count());
  is_target[scenario.Id("root")] = 1;
  const PathJob job = FindJob(timeline, processes, {.is_target = is_target});
  PathWalker walker(timeline, processes, job);
  const EntityId start = *rc::gen::inRange<EntityId>(0, timeline.thread_count());
  const uint64_t floor_ns = ScenarioTimeline::At(AnyTime());
  const uint64_t ceiling_ns = *rc::gen::inRange(floor_ns, timeline.end_ns() + 1);
  const uint64_t at_ns = *rc::gen::inRange(ceiling_ns, timeline.end_ns() + 1);
  uint64_t next_ns = floor_ns;
  for (const PathStep& step : walker.Walk({start, at_ns}, floor_ns, ceiling_ns)) {
    RC_ASSERT(step.from_ns == next_ns);
    RC_ASSERT(step.to_ns > step.from_ns);
    next_ns = step.to_ns;
  }
  RC_ASSERT(next_ns == ceiling_ns);
}

RC_GTEST_PROP(JobPaths, AddUpToTheirLength, ()) {
  const ScenarioTimeline scenario(AnyTrace());
  JobPathOptions options;
  if (*rc::gen::arbitrary<bool>()) {
    options.from_ns = ScenarioTimeline::At(AnyTime());
    options.to_ns = options.from_ns + *rc::gen::inRange<uint64_t>(0, kEndNs);
  }
  const JobPath path = PathOf(scenario, "root", options);
  RC_CLASSIFY(path.exists);
  if (!path.exists) return;
  const auto length_ns = static_cast<double>(path.to_ns - path.from_ns);
  const auto is_near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
  RC_ASSERT(is_near(path.length_ns, length_ns));
  RC_ASSERT(is_near(Sum(path.shares), length_ns));
  RC_ASSERT(is_near(std::accumulate(path.loss_ns.begin(), path.loss_ns.end(), 0.0), length_ns));
  RC_ASSERT(path.gain_bound >= 1);
  RC_ASSERT(path.short_lived_share >= 0 && path.short_lived_share <= 1);
  RC_ASSERT(path.work_ns <= 1e-6 + length_ns * path.cpus);
}

}  // namespace
}  // namespace gordian
