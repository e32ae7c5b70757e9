// SPDX-License-Identifier: Apache-2.0
#include "analyzer/suggestions/test_herds.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "trace/session_reader.h"

namespace gordian::testing {
namespace {

constexpr StackMoment kWait = StackMoment::kWait;
constexpr int32_t kMain = 1, kBusy = 2, kIdle = 3, kOther = 4;

class HerdBuilder {
 public:
  explicit HerdBuilder(const Herd& herd) : herd_(herd) {
    t_.session().mutable_options()->set_sample_hz(99);
    t_.Thread(kMain, "main").Thread(kBusy, "busy", herd.busy_process).Thread(kIdle, "idle", 1);
    t_.Thread(kOther, "other");
    t_.Cpu(0).Run(kMain).Cpu(1).Run(kBusy).Cpu(2).Run(kIdle).Cpu(3).Run(kOther);
    if (!herd.with_stacks) return;
    t_.Cpu(0);
    place_ = t_.AddStack({herd.reason},
                         {{.function = herd.call, .module = "/lib/libc.so.6"},
                          {.function = "Serve", .file = "serve.cc", .line = 42}},
                         1);
    cut_ = t_.AddStack({herd.reason},
                       {{.function = "pthread_cond_wait", .module = "/lib/libc.so.6"}}, 1);
    elsewhere_ = t_.AddStack({herd.reason}, {{.function = "Elsewhere"}}, 1);
    lock_ = t_.AddStack({"futex_wait"},
                        {{.function = "__lll_lock_wait", .module = "/lib/libc.so.6"},
                         {.function = "Serve", .file = "serve.cc", .line = 41}},
                        1);
  }

  TraceBuilder Build() {
    Sleep(10'000, 1, kBusy, PlaceIn(0));
    Sleep(11'000, 2, kIdle, PlaceIn(0));
    if (!herd_.wakes_other_early) Sleep(12'000, 3, kOther, OthersStack());
    for (int round = 0; round < herd_.rounds; ++round) Round(1_ms * (round + 1), round);
    Do(1_ms * (herd_.rounds + 1), 0, [this] { t_.Block(); });
    for (const auto& [time_ns, action] : actions_) {
      t_.At(time_ns);
      action();
    }
    return std::move(t_);
  }

 private:
  // Builders take events in order of time; a round makes its events thread by thread.
  void Do(uint64_t at_ns, uint16_t cpu, std::function<void()> action) {
    actions_.emplace(at_ns, [this, cpu, action = std::move(action)] {
      t_.Cpu(cpu);
      action();
    });
  }
  void Run(uint64_t at_ns, uint16_t cpu, int32_t tid) {
    Do(at_ns, cpu, [this, tid] { t_.Run(tid); });
  }
  void Wake(uint64_t at_ns, uint16_t cpu, int32_t tid) {
    Do(at_ns, cpu, [this, tid] { t_.Wake(tid); });
  }
  void Sleep(uint64_t at_ns, uint16_t cpu, int32_t tid, uint32_t stack) {
    Do(at_ns, cpu, [this] { t_.Block(); });
    if (stack == 0) return;
    Do(at_ns + 100, cpu,
       [this, tid, stack] { t_.AddStackSample(tid, kWait, stack, herd_.weight_log2); });
  }
  uint32_t PlaceIn(int round) const { return round < herd_.cut_rounds ? cut_ : place_; }
  uint32_t OthersStack() const { return herd_.hands_on_lock ? lock_ : elsewhere_; }

  void Round(uint64_t at_ns, int round) {
    const uint64_t second_ns = at_ns + herd_.between_wakes_ns;
    Wake(at_ns, 0, kBusy);
    Run(at_ns + 500, 1, kBusy);
    if (herd_.by_timer) {
      Do(second_ns, 2, [this] { t_.WakeFromTimer(kIdle); });
    } else {
      Wake(second_ns, 0, kIdle);
    }
    uint64_t idle_ns = second_ns + 1'000;
    Run(idle_ns, 2, kIdle);
    if (herd_.queues_for_lock) {
      Sleep(idle_ns + 1'000, 2, kIdle, lock_);
      Wake(idle_ns + 4'000, 1, kIdle);
      Run(idle_ns + 5'000, 2, kIdle);
      idle_ns += 5'000;
    }
    Act(idle_ns + 500);
    idle_ns += herd_.idle_runs_ns;
    if (herd_.declares) Do(idle_ns - 100, 2, [this] { t_.Probe(kIdle, ProbeKind::kFalseWakeup); });
    Sleep(idle_ns, 2, kIdle,
          herd_.idle_sleeps_elsewhere && round % 2 == 0 ? elsewhere_ : PlaceIn(round + 1));
    Sleep(at_ns + herd_.busy_runs_ns, 1, kBusy, PlaceIn(round + 1));
  }

  void Act(uint64_t at_ns) {
    if (herd_.asks_disk)
      Do(at_ns, 2, [this] { t_.Issue({.device = t_.Disk("vda"), .bytes = 4096, .tid = kIdle}); });
    if (herd_.sends)
      Do(at_ns, 2,
         [this] { t_.NetSend({.interface = t_.Interface("eth0"), .bytes = 100, .tid = kIdle}); });
    if (!herd_.wakes_other && !herd_.hands_on_lock && !herd_.wakes_other_early) return;
    Wake(at_ns, 2, kOther);
    if (herd_.wakes_other_early) {
      Do(at_ns + 200, 3, [this] { t_.Block(); });  // it was about to sleep, and goes on at once
    } else {
      Sleep(at_ns + 700, 3, kOther, OthersStack());
    }
    Run(at_ns + 300, 3, kOther);
  }

  const Herd& herd_;
  TraceBuilder t_;
  std::multimap<uint64_t, std::function<void()>> actions_;
  uint32_t place_ = 0, cut_ = 0, elsewhere_ = 0, lock_ = 0;
};

}  // namespace

TraceBuilder BuildHerd(const Herd& herd) { return HerdBuilder(herd).Build(); }

LoadedTrace::LoadedTrace(TraceBuilder& built, size_t events_per_block) : code_(built.symbols()) {
  const TempDir dir;
  EXPECT_TRUE(built.WriteSession(dir / "trace", events_per_block).ok());
  auto session = SessionReader::Open(dir / "trace");
  EXPECT_TRUE(session.ok()) << session.status();
  auto timeline = LoadTimeline(**session, {.threads = 2});
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  timeline_.emplace(*std::move(timeline));
}

EntityId LoadedTrace::Id(const std::string& name) const {
  for (EntityId id = 0; id < timeline_->thread_count(); ++id) {
    if (timeline_->entities()[id].name == name) return id;
  }
  ADD_FAILURE() << "no " << name;
  return kNobody;
}

std::string LoadedTrace::Segments() const {
  std::string text;
  for (EntityId id = 0; id < timeline_->thread_count(); ++id) {
    const Entity& entity = timeline_->entities()[id];
    absl::StrAppend(&text, entity.name, " ", entity.run_ns, " ", entity.runnable_ns, " ",
                    entity.wait_ns, "\n");
    for (SegmentCursor at = timeline_->SegmentsFrom(id); !at.done(); at.Next()) {
      const ThreadSegment& segment = at.segment();
      absl::StrAppend(&text, segment.start_ns, " ", static_cast<int>(segment.kind), " ",
                      segment.waker, " ", segment.state, " ", static_cast<int>(segment.cause), " ",
                      segment.open_start, segment.open_end, "\n");
    }
  }
  return text;
}

}  // namespace gordian::testing
