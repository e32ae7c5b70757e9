// SPDX-License-Identifier: Apache-2.0
#include "jobs/measured/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

using testing::TempDir;
using testing::TraceBuilder;
using namespace testing;  // 5_ms

Timeline Load(TraceBuilder& builder) {
  const TempDir dir;
  EXPECT_TRUE(builder.WriteSession(dir / "trace").ok());
  auto session = SessionReader::Open(dir / "trace");
  EXPECT_TRUE(session.ok()) << session.status();
  auto timeline = Timeline::Load(**session, {}, {});
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return *std::move(timeline);
}

// Types do not matter here: all phases have the same.
struct JobBuilder {
  Job job;

  PhaseId Add(PhaseId parent, uint64_t start_ns, uint64_t end_ns, int32_t pid = 0, int32_t tid = 0,
              const std::string& node = "") {
    job.phases.push_back({.parent = parent,
                          .start_ns = start_ns,
                          .end_ns = end_ns,
                          .node = node,
                          .pid = pid,
                          .tid = tid});
    return static_cast<PhaseId>(job.phases.size() - 1);
  }
};

using Row = std::tuple<PhaseId, uint32_t, uint64_t>;
std::vector<Row> Rows(const UseRows& rows) {
  std::vector<Row> result;
  for (size_t i = 0; i < rows.size(); ++i) {
    result.emplace_back(rows.phases[i], rows.slices[i], rows.amounts[i]);
  }
  return result;
}

uint64_t Unattributed(const MeasuredResource& resource) {
  uint64_t sum = 0;
  for (const uint64_t amount : resource.unattributed) sum += amount;
  return sum;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MeasureUse, SharesARunAmongThePhasesAndSlicesItTouches) {
  TraceBuilder t;
  t.Thread(10, "A");
  t.At(0).Cpu(0).Run(10);
  t.At(27_ms).Block(kSleep);
  t.At(40_ms).WakeFromTimer(10).At(41_ms).Run(10).At(43_ms).Block(kSleep).At(50_ms);
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 50_ms, 10, 10);
  const PhaseId inner = b.Add(job, 8_ms, 22_ms, 10, 10);
  const PhaseMeasurement use = MeasureUse(timeline, b.job);
  EXPECT_EQ(use.slices, 5u);
  const MeasuredResource& cpu = use.resources[0];
  EXPECT_THAT(Rows(cpu.own),
              ElementsAre(Row(job, 0, 8_ms), Row(job, 2, 5_ms), Row(job, 4, 2_ms),
                          Row(inner, 0, 2_ms), Row(inner, 1, 10_ms), Row(inner, 2, 2_ms)));
  EXPECT_THAT(Rows(cpu.helpers), IsEmpty());
  EXPECT_EQ(Unattributed(cpu), 0u);
  EXPECT_EQ(cpu.totals[job].own, 15_ms);
  EXPECT_EQ(cpu.totals[job].with_children, 29_ms);
  EXPECT_EQ(cpu.totals[inner].own, 14_ms);
  EXPECT_THAT(use.measured, ElementsAre(true, true));
}

TEST(MeasureUse, CountsNothingInAPauseAndKeepsThePhasesTime) {
  TraceBuilder t;
  t.Thread(10, "A");
  t.At(0).Cpu(0).Run(10);
  t.At(24_ms).Told(10, kStateRunning, 0);
  t.At(36_ms).Block(kSleep).At(40_ms);
  pb::Pause& pause = *t.session().add_pauses();
  pause.set_from_ns(t.session().start_time_ns() + 8_ms);
  pause.set_to_ns(t.session().start_time_ns() + 23_ms);
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 40_ms, 10, 10);
  const PhaseMeasurement use = MeasureUse(timeline, b.job);
  EXPECT_EQ(use.slices, 4u);
  EXPECT_THAT(Rows(use.resources[0].own),
              ElementsAre(Row(job, 0, 8_ms), Row(job, 2, 7_ms), Row(job, 3, 6_ms)));
  EXPECT_THAT(use.pauses, ElementsAre(std::pair(8_ms, 23_ms)));
}

// Two processes of two threads: 10 and 11, 20 and 21. All run from 0 to 10 ms.
Timeline FourRunners() {
  TraceBuilder t;
  t.Thread(10, "A").Thread(11, "A2", 10).Thread(20, "B").Thread(21, "B2", 20);
  const int32_t tids[] = {10, 11, 20, 21};
  for (uint16_t cpu = 0; cpu < 4; ++cpu) t.At(0).Cpu(cpu).Run(tids[cpu]);
  for (uint16_t cpu = 0; cpu < 4; ++cpu) t.At(10_ms).Cpu(cpu).Block(kSleep);
  return Load(t);
}

TEST(MeasureUse, APhaseOfAProcessCountsAllItsThreads) {
  const Timeline timeline = FourRunners();
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 10_ms);
  const PhaseId worker = b.Add(job, 2_ms, 8_ms, 10);
  const PhaseMeasurement use = MeasureUse(timeline, b.job);
  const MeasuredResource& cpu = use.resources[0];
  EXPECT_EQ(cpu.totals[worker].own, 12_ms);
  EXPECT_EQ(cpu.totals[job].own, 0u);
  EXPECT_EQ(cpu.totals[job].with_children, 12_ms);  // bound to no place: the sum
  EXPECT_EQ(Unattributed(cpu), 28_ms);
  EXPECT_THAT(use.measured, ElementsAre(true, true));
}

TEST(MeasureUse, OfThreadAndProcessTheDeeperPhaseCounts) {
  const Timeline timeline = FourRunners();
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 10_ms, 10, 10);  // the main thread says so
  const PhaseId worker = b.Add(job, 0, 10_ms, 10);
  const PhaseId task = b.Add(worker, 4_ms, 6_ms, 10, 11);
  const MeasuredResource cpu = MeasureUse(timeline, b.job).resources[0];
  EXPECT_EQ(cpu.totals[job].own, 0u);
  EXPECT_EQ(cpu.totals[worker].own, 18_ms);
  EXPECT_EQ(cpu.totals[task].own, 2_ms);
}

TEST(MeasureUse, WhatCannotBeToldApartBelongsToThePhaseAround) {
  const Timeline timeline = FourRunners();
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 10_ms);
  const PhaseId stage = b.Add(job, 0, 10_ms);
  const PhaseId first = b.Add(stage, 0, 6_ms, 10);
  const PhaseId second = b.Add(stage, 4_ms, 10_ms, 10);  // both from 4 to 6
  const MeasuredResource cpu = MeasureUse(timeline, b.job).resources[0];
  EXPECT_EQ(cpu.totals[job].own, 0u);
  EXPECT_EQ(cpu.totals[first].own, 8_ms);
  EXPECT_EQ(cpu.totals[second].own, 8_ms);
  EXPECT_EQ(cpu.totals[stage].own, 4_ms);
}

TEST(MeasureUse, PhasesOfOtherNodesHaveNoThreadsHere) {
  const Timeline timeline = FourRunners();
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 10_ms);
  const PhaseId here = b.Add(job, 0, 10_ms, 10, 10, "a");
  const PhaseId there = b.Add(job, 0, 10_ms, 10, 11, "b");
  const PhaseMeasurement use = MeasureUse(timeline, b.job, {.node = "a"});
  EXPECT_EQ(use.resources[0].totals[here].own, 10_ms);
  EXPECT_EQ(use.resources[0].totals[there].own, 0u);
  EXPECT_THAT(use.measured, ElementsAre(false, true, false));
  EXPECT_EQ(MeasureUse(timeline, b.job).resources[0].totals[there].own, 10_ms);
}

TEST(MeasureUse, TellsWhichPhasesItCannotMeasure) {
  const Timeline timeline = FourRunners();
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 20_ms, 10, 10);  // ends after the recording
  b.Add(job, 0, 5_ms);                                 // bound to no place, nothing within
  b.Add(job, 0, 5_ms, 99, 99);                         // bound to a thread that was never met
  b.Add(job, 0, 5_ms, 20);
  EXPECT_THAT(MeasureUse(timeline, b.job).measured, ElementsAre(false, false, false, true));
}

TEST(MeasureUse, ARangeCountsWhatLiesInIt) {
  const Timeline timeline = FourRunners();
  JobBuilder b;
  b.Add(kNoId, 0, 10_ms, 10, 10);
  const PhaseMeasurement use =
      MeasureUse(timeline, b.job, {.slice_ns = 2_ms, .from_ns = 3_ms, .to_ns = 6_ms});
  EXPECT_THAT(Rows(use.resources[0].own), ElementsAre(Row(0, 0, 2_ms), Row(0, 1, 1_ms)));
  EXPECT_THAT(use.resources[0].unattributed, ElementsAre(6_ms, 3_ms));
}

// 10 has phases and wakes 30, a helper, which wakes 31.
TraceBuilder Helpers() {
  TraceBuilder t;
  t.Thread(10, "A").Thread(30, "helper").Thread(31, "beyond");
  t.At(0).Cpu(0).Run(10);
  t.At(0).Cpu(1).Run(30).At(0).Block(kSleep).Run(31).Block(kSleep);
  t.At(2_ms).Cpu(0).Wake(30);
  t.At(2_ms).Cpu(1).Run(30);
  t.At(4_ms).Wake(31);
  t.At(7_ms).Block(kSleep);
  t.At(7_ms).Run(31);
  t.At(9_ms).Block(kSleep);
  t.At(11_ms).WakeFromTimer(30).Run(30);
  t.At(12_ms).Block(kSleep);
  t.At(20_ms).Cpu(0).Block(kSleep);
  return t;
}

TEST(MeasureUse, AHelperWorksForThePhaseThatWokeItUntilItSleeps) {
  TraceBuilder t = Helpers();
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 20_ms, 10, 10);
  const PhaseId inner = b.Add(job, 1_ms, 9_ms, 10, 10);
  const MeasuredResource cpu = MeasureUse(timeline, b.job).resources[0];
  EXPECT_EQ(cpu.totals[inner].own, 8_ms);
  EXPECT_EQ(cpu.totals[inner].helpers, 5_ms);  // from 2 to 7
  EXPECT_EQ(cpu.totals[job].helpers, 0u);
  EXPECT_EQ(cpu.totals[job].with_children, 25_ms);
  // The thread that the helper woke, 2 ms; and the helper itself after a timer, 1 ms.
  EXPECT_EQ(Unattributed(cpu), 3_ms);
}

TEST(MeasureUse, WhenTheHelpedPhaseEndsThePhaseAroundIsHelped) {
  TraceBuilder t = Helpers();
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 6_ms);
  const PhaseId inner = b.Add(job, 1_ms, 5_ms, 10, 10);
  const MeasuredResource cpu = MeasureUse(timeline, b.job).resources[0];
  EXPECT_EQ(cpu.totals[inner].helpers, 3_ms);  // 2 to 5
  EXPECT_EQ(cpu.totals[job].helpers, 1_ms);    // 5 to 6
}

TEST(MeasureUse, WhoIsBornInAPhaseHelpsIt) {
  TraceBuilder t;
  t.Thread(10, "A").At(0).Cpu(0).Run(10);
  t.At(3_ms).New(10, 40, "child", 10).Cpu(1).Run(40);
  t.At(5_ms).Block(kSleep).At(10_ms).Cpu(0).Block(kSleep);
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 10_ms, 10, 10);
  const MeasuredResource cpu = MeasureUse(timeline, b.job).resources[0];
  EXPECT_EQ(cpu.totals[job].helpers, 2_ms);
}

TEST(MeasureUse, BytesBelongToWhoIssuedThem) {
  TraceBuilder t;
  const uint32_t disk = t.Disk("vda");
  const uint32_t nic = t.Interface("eth0");
  t.Thread(10, "A").Thread(30, "helper");
  t.At(0).Cpu(1).Run(30).Block(kSleep);
  t.At(0).Cpu(0).Run(10);
  t.At(2_ms).Issue({.sector = 8, .device = disk, .bytes = 4096, .tid = 10});
  t.At(3_ms).Wake(30).Cpu(1).Run(30);
  t.At(4_ms).Issue({.sector = 16, .device = disk, .bytes = 512, .tid = 30});
  t.At(5_ms).NetSend({.interface = nic, .bytes = 1500, .tid = 30});
  t.At(6_ms).Complete({.sector = 8, .service_ns = 4_ms, .device = disk});
  t.At(6_ms).NetReceive({.interface = nic, .bytes = 100});
  t.At(7_ms).Block(kSleep).Cpu(0);
  t.At(12_ms).Issue({.sector = 24, .device = disk, .bytes = 1024, .tid = 10});
  t.At(20_ms).Block(kSleep);
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 20_ms);
  const PhaseId inner = b.Add(job, 1_ms, 10_ms, 10, 10);
  const PhaseMeasurement use = MeasureUse(timeline, b.job);
  std::map<MeasuredKind, const MeasuredResource*> by_kind;
  for (const MeasuredResource& resource : use.resources) by_kind[resource.kind] = &resource;
  ASSERT_EQ(by_kind.size(), 4u);
  const MeasuredResource& disk_use = *by_kind[MeasuredKind::kDiskWrite];
  EXPECT_EQ(disk_use.name, "vda");
  EXPECT_THAT(Rows(disk_use.own), ElementsAre(Row(inner, 0, 4096)));
  EXPECT_THAT(Rows(disk_use.helpers), ElementsAre(Row(inner, 0, 512)));
  EXPECT_THAT(disk_use.unattributed, ElementsAre(0, 1024));
  EXPECT_EQ(by_kind[MeasuredKind::kSent]->name, "eth0");
  EXPECT_EQ(by_kind[MeasuredKind::kSent]->totals[job].with_children, 1500u);
  EXPECT_EQ(Unattributed(*by_kind[MeasuredKind::kReceived]), 100u);
}

TEST(MeasureUse, TimeOfWhichNothingIsKnownIsTold) {
  TraceBuilder t;
  t.Thread(10, "A").At(0).Cpu(0).Run(10);
  t.At(4_ms).Loss(EventKind::kSwitch, 3, 2_ms);
  t.At(10_ms).Block(kSleep);
  const Timeline timeline = Load(t);
  JobBuilder b;
  const PhaseId job = b.Add(kNoId, 0, 10_ms, 10, 10);
  const PhaseMeasurement use = MeasureUse(timeline, b.job);
  EXPECT_EQ(use.resources[0].totals[job].own + use.unknown_ns[job], 10_ms);
  EXPECT_EQ(use.unknown_ns[job], timeline.entities()[0].unknown_ns);
  EXPECT_GT(use.unknown_ns[job], 0u);
}

// Threads that run, wake each other and sleep at random; phases at random, of threads, processes or
// no place.
class RandomJob {
 public:
  explicit RandomJob(uint32_t seed) : random_(seed) {}

  Timeline MakeTimeline() {
    TraceBuilder t;
    for (int32_t tid = 1; tid <= kThreads; ++tid) t.Thread(tid, "t", (tid + 2) / 3 * 3 - 2);
    std::vector<int32_t> running(kCpus, 0);
    std::vector<int32_t> ready;
    for (int32_t tid = 1; tid <= kThreads; ++tid) ready.push_back(tid);
    uint64_t now_ns = 0;
    for (int step = 0; step < 3000; ++step) {
      now_ns += Below(30'000);
      const auto cpu = static_cast<uint16_t>(Below(kCpus));
      t.At(now_ns).Cpu(cpu);
      if (running[cpu] == 0) {
        if (ready.empty()) {
          if (asleep_.empty()) continue;
          ready.push_back(TakeFrom(asleep_));
          t.WakeFromTimer(ready.back());
        }
        running[cpu] = TakeFrom(ready);
        t.Run(running[cpu]);
      } else if (Below(2) == 0 && !asleep_.empty()) {
        ready.push_back(TakeFrom(asleep_));
        t.Wake(ready.back());
      } else {
        asleep_.push_back(running[cpu]);
        running[cpu] = 0;
        t.Block(kSleep);
      }
    }
    return Load(t);
  }

  Job MakeJob(uint64_t end_ns) {
    JobBuilder b;
    b.Add(kNoId, 0, end_ns, static_cast<int32_t>(Below(2)));
    for (int i = 0; i < 200; ++i) {
      const auto parent = static_cast<PhaseId>(Below(b.job.phases.size()));
      const Phase around = b.job.phases[parent];
      const uint64_t length_ns = around.end_ns - around.start_ns + 1;
      uint64_t start_ns = around.start_ns + Below(length_ns);
      uint64_t to_ns = around.start_ns + Below(length_ns);
      if (start_ns > to_ns) std::swap(start_ns, to_ns);
      const uint64_t bound = Below(3);
      const auto tid = static_cast<int32_t>(1 + Below(kThreads));
      b.Add(parent, start_ns, to_ns, bound == 0 ? 0 : (tid + 2) / 3 * 3 - 2, bound == 1 ? tid : 0);
    }
    return b.job;
  }

 private:
  static constexpr int32_t kThreads = 9;
  static constexpr int kCpus = 3;
  uint64_t Below(uint64_t limit) { return random_() % limit; }
  int32_t TakeFrom(std::vector<int32_t>& tids) {
    std::swap(tids[Below(tids.size())], tids.back());
    const int32_t tid = tids.back();
    tids.pop_back();
    return tid;
  }

  std::mt19937 random_;
  std::vector<int32_t> asleep_;
};

uint64_t RunTime(const Timeline& timeline, uint64_t from_ns, uint64_t to_ns) {
  uint64_t sum = 0;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      const SegmentKind kind = at.segment().kind;
      if (kind != SegmentKind::kRun && kind != SegmentKind::kSpin) continue;
      const uint64_t begin_ns = std::max(at.start_ns(), from_ns);
      const uint64_t end_ns = std::min(at.end_ns(), to_ns);
      if (begin_ns < end_ns) sum += end_ns - begin_ns;
    }
  }
  return sum;
}

// Rule 1 of the header, taken literally at one moment.
PhaseId OwnerByRule(const Job& job, const Entity& thread, uint64_t time_ns) {
  const auto is_within = [&](PhaseId phase, PhaseId around) {
    while (phase != kNoId && phase != around) phase = job.phases[phase].parent;
    return phase == around;
  };
  // The matching phases without another match within; and the phase around them all.
  const auto innermost = [&](auto matches) {
    std::vector<PhaseId> matching;
    for (PhaseId id = 0; id < job.phases.size(); ++id) {
      const Phase& phase = job.phases[id];
      if (matches(phase) && time_ns >= phase.start_ns && time_ns < phase.end_ns) {
        matching.push_back(id);
      }
    }
    PhaseId around = kNoId;
    for (const PhaseId id : matching) {
      const auto within = std::count_if(matching.begin(), matching.end(),
                                        [&](PhaseId other) { return is_within(other, id); });
      if (within > 1) continue;
      if (around == kNoId) around = id;
      while (!is_within(id, around)) around = job.phases[around].parent;
    }
    return around;
  };
  const PhaseId of_thread = innermost([&](const Phase& p) { return p.tid == thread.tid; });
  const PhaseId of_process =
      innermost([&](const Phase& p) { return p.tid == 0 && p.pid != 0 && p.pid == thread.tgid; });
  if (of_thread == kNoId) return of_process;
  return of_process != kNoId && is_within(of_process, of_thread) ? of_process : of_thread;
}

TEST(MeasureUse, AllUseIsSharedOutToTheNanosecondWhateverTheNumberOfThreads) {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    RandomJob random(seed);
    const Timeline timeline = random.MakeTimeline();
    const Job job = random.MakeJob(timeline.end_ns());
    const uint64_t from_ns = seed % 3 == 0 ? timeline.end_ns() / 4 : 0;
    const uint64_t to_ns = seed % 3 == 0 ? timeline.end_ns() / 2 : timeline.end_ns();
    std::vector<std::vector<Row>> rows;
    for (const int threads : {1, 3}) {
      const PhaseMeasurement use =
          MeasureUse(timeline, job,
                     {.slice_ns = 1_ms, .from_ns = from_ns, .to_ns = to_ns, .threads = threads});
      const MeasuredResource& cpu = use.resources[0];
      uint64_t attributed = 0;
      for (const PhaseUse& total : cpu.totals) attributed += total.own + total.helpers;
      EXPECT_EQ(attributed, cpu.totals[0].with_children);
      EXPECT_EQ(attributed + Unattributed(cpu), RunTime(timeline, from_ns, to_ns));
      EXPECT_GT(cpu.totals[0].with_children, 0u);
      uint64_t in_rows = 0;
      for (const UseRows* part : {&cpu.own, &cpu.helpers}) {
        for (const uint64_t amount : part->amounts) in_rows += amount;
      }
      EXPECT_EQ(in_rows, attributed);
      rows.push_back(Rows(cpu.own));
      const std::vector<Row> helpers = Rows(cpu.helpers);
      rows.back().insert(rows.back().end(), helpers.begin(), helpers.end());
    }
    EXPECT_EQ(rows[0], rows[1]);
  }
}

TEST(MeasureUse, OwnUseIsThatOfTheRuleAtEveryMoment) {
  RandomJob random(77);
  const Timeline timeline = random.MakeTimeline();
  const Job job = random.MakeJob(timeline.end_ns());
  // Between two of these times nothing begins or ends.
  std::vector<uint64_t> times;
  for (const Phase& phase : job.phases) {
    times.push_back(phase.start_ns);
    times.push_back(phase.end_ns);
  }
  std::sort(times.begin(), times.end());
  std::vector<uint64_t> expected(job.phases.size());
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    for (auto at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      if (at.segment().kind != SegmentKind::kRun) continue;
      for (uint64_t begin_ns = at.start_ns(); begin_ns < at.end_ns();) {
        const auto next = std::upper_bound(times.begin(), times.end(), begin_ns);
        const uint64_t end_ns = next == times.end() ? at.end_ns() : std::min(*next, at.end_ns());
        const PhaseId owner = OwnerByRule(job, timeline.entities()[thread], begin_ns);
        if (owner != kNoId) expected[owner] += end_ns - begin_ns;
        begin_ns = end_ns;
      }
    }
  }
  const MeasuredResource cpu = MeasureUse(timeline, job).resources[0];
  std::vector<uint64_t> own;
  for (const PhaseUse& total : cpu.totals) own.push_back(total.own);
  EXPECT_EQ(own, expected);
}

TEST(MeasureUse, AJobWithoutPhasesLeavesAllUnattributed) {
  const Timeline timeline = FourRunners();
  EXPECT_EQ(Unattributed(MeasureUse(timeline, {}).resources[0]), 40_ms);
}

}  // namespace
}  // namespace gordian
