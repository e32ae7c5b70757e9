// SPDX-License-Identifier: Apache-2.0
// Objects of waits: which of them are one thing, which threads wait for it, and the reasons of an
// edge's waits.
#include "analyzer/stacks/wait_things.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/stacks/test_trace.h"

namespace gordian::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr WaitCall kFsync{11};

WaitObjectRecord Futex(uint64_t address, int32_t tgid) {
  return {.kind = WaitObjectKind::kFutex, .tgid = tgid, .value = address};
}

WaitObjectRecord File(std::string path) {
  return {.kind = WaitObjectKind::kFile, .call = kFsync, .value = 12, .path = std::move(path)};
}

// Thread i runs on CPU i. `Wait` lets a thread sleep until another wakes it.
class SmallTrace {
 public:
  SmallTrace() {
    for (int32_t tid = 1; tid <= 4; ++tid)
      t.Thread(tid, std::string(1, static_cast<char>('A' + tid - 1)), 9);
    for (int32_t tid = 1; tid <= 4; ++tid) t.Cpu(static_cast<uint16_t>(tid)).Run(tid);
  }

  void Wait(int32_t tid, int32_t waker, uint64_t from_ns, uint64_t length_ns, uint32_t stack,
            uint32_t object, uint8_t weight_log2 = 0) {
    const auto cpu = static_cast<uint16_t>(tid);
    t.At(from_ns).Cpu(cpu).Block().At(from_ns + 200);
    t.AddStackSample(tid, StackMoment::kWait, stack, weight_log2, object);
    t.At(from_ns + length_ns).Cpu(static_cast<uint16_t>(waker)).Wake(tid);
    t.At(from_ns + length_ns + 1000).Cpu(cpu).Run(tid);
  }

  TraceBuilder t;
};

struct Judged {
  explicit Judged(TraceBuilder& t, uint64_t from_ns = 0, uint64_t to_ns = 3600_s)
      : loaded(t),
        sums(loaded.Sums(from_ns, to_ns)),
        things(loaded.timeline(), sums, from_ns, to_ns),
        code(t.symbols()) {}
  std::vector<ReasonShare> Reasons(const char* from, const char* to) const {
    return ReasonsOf(sums.Of(loaded.Id(from), loaded.Id(to), StackSide::kWaiter), code, things);
  }
  Loaded loaded;
  StackSums sums;
  WaitThings things;
  Code code;
};

TEST(WaitThings, ALockIsKnownByItsWaitersOnAllEdges) {
  SmallTrace trace;
  const uint32_t stack = trace.t.Cpu(1).AddStack({"futex_wait"}, {{.function = "Work"}});
  const uint32_t lock = trace.t.AddWaitObject(Futex(0x1000, 9));
  const uint32_t of_other_process = trace.t.AddWaitObject(Futex(0x1000, 8));
  trace.Wait(2, 1, 10_ms, 2_ms, stack, lock);
  trace.Wait(3, 1, 20_ms, 1_ms, stack, lock, 2);  // counts for 4 ms
  trace.Wait(4, 3, 30_ms, 1_ms, stack, lock);
  trace.Wait(4, 3, 40_ms, 1_ms, stack, of_other_process);
  trace.t.At(50_ms);
  const Judged judged(trace.t);
  const auto id = [&](const char* name) { return judged.loaded.Id(name); };
  const WaitThing* thing = judged.things.ThingOf(lock);
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(thing->threads, 3u);
  EXPECT_THAT(thing->edges,
              ElementsAre(Pair(id("C"), id("A")), Pair(id("B"), id("A")), Pair(id("D"), id("C"))));
  EXPECT_EQ(judged.things.ThingOf(of_other_process)->threads, 1u);
}

TEST(WaitThings, OnlyTheRangeThatIsLookedAtCounts) {
  SmallTrace trace;
  const uint32_t stack = trace.t.Cpu(1).AddStack({"futex_wait"}, {{.function = "Work"}});
  const uint32_t lock = trace.t.AddWaitObject(Futex(0x1000, 9));
  trace.Wait(2, 1, 10_ms, 2_ms, stack, lock);
  trace.Wait(3, 1, 20_ms, 2_ms, stack, lock);
  const Judged judged(trace.t, 15_ms, 25_ms);
  ASSERT_NE(judged.things.ThingOf(lock), nullptr);
  EXPECT_EQ(judged.things.ThingOf(lock)->threads, 1u);
}

TEST(WaitThings, ASleepIsNobodyElsesAndAnUndefinedObjectIsUnknown) {
  SmallTrace trace;
  const uint32_t stack = trace.t.Cpu(1).AddStack({"do_nanosleep"});
  const uint32_t sleep =
      trace.t.AddWaitObject({.kind = WaitObjectKind::kTimer, .value = 10'000'000});
  trace.Wait(2, 1, 10_ms, 2_ms, stack, sleep);
  trace.Wait(3, 1, 20_ms, 2_ms, stack, 77);
  const Judged judged(trace.t);
  EXPECT_NE(judged.things.Find(sleep), nullptr);
  EXPECT_EQ(judged.things.ThingOf(sleep), nullptr);
  EXPECT_EQ(judged.things.Find(77), nullptr);
  EXPECT_EQ(judged.things.Find(0), nullptr);
  EXPECT_THAT(judged.Reasons("C", "A")[0].objects, IsEmpty());
}

// "share reason (share text role samples)"
std::vector<std::string> Lines(const std::vector<ReasonShare>& reasons) {
  std::vector<std::string> lines;
  for (const ReasonShare& reason : reasons) {
    std::string line = absl::StrCat(reason.share, " ", std::string(reason.reason));
    for (const ObjectShare& object : reason.objects)
      absl::StrAppend(&line, " (", object.share, " ", object.text, " ",
                      object.role.empty() ? "-" : std::string(object.role), " ", object.samples,
                      ")");
    lines.push_back(line);
  }
  return lines;
}

TEST(WaitThings, ReasonsTellTheirObjectsWithTheSharesOfTheirTime) {
  SmallTrace trace;
  trace.t.Cpu(1);
  const uint32_t locks = trace.t.AddStack(
      {"futex_wait"}, {{"pthread_mutex_lock", "/usr/lib/libc.so.6"}, {"Work", "/usr/bin/server"}});
  const uint32_t pops = trace.t.AddStack(
      {"futex_wait"}, {{"pthread_cond_wait", "/usr/lib/libc.so.6"}, {"Work", "/usr/bin/server"}});
  const uint32_t syncs = trace.t.AddStack({"ext4_sync_file"}, {{"Commit", "/usr/bin/server"}});
  const uint32_t first = trace.t.AddWaitObject(Futex(0x1000, 9));
  const uint32_t second = trace.t.AddWaitObject(Futex(0x2000, 9));
  const uint32_t file = trace.t.AddWaitObject(File("/var/wal"));
  trace.Wait(2, 1, 10_ms, 5_ms, locks, first);
  trace.Wait(2, 1, 20_ms, 1_ms, pops, second, 1);
  trace.Wait(2, 1, 30_ms, 1_ms, syncs, file);
  trace.Wait(2, 1, 40_ms, 2_ms, syncs, 0);  // no longer open: not known
  trace.t.At(50_ms);
  const Judged judged(trace.t);
  EXPECT_THAT(Lines(judged.Reasons("B", "A")),
              ElementsAre("0.7 futex (0.5 futex 0x1000 lock 1) (0.2 futex 0x2000 condition "
                          "variable 1)",
                          "0.3 disk (0.1 fsync of /var/wal - 1)"));
}

TEST(WaitThings, OneObjectUnderSeveralStacksAndNumbersIsOneToTheReader) {
  SmallTrace trace;
  trace.t.Cpu(1);
  const uint32_t one = trace.t.AddStack({"futex_wait"}, {{.function = "One"}});
  const uint32_t other = trace.t.AddStack({"futex_wait"}, {{.function = "Other"}});
  const uint32_t lock = trace.t.AddWaitObject(Futex(0x1000, 9));
  const uint32_t again = trace.t.AddWaitObject(Futex(0x1000, 9));
  trace.Wait(2, 1, 10_ms, 5_ms, one, lock);
  trace.Wait(2, 1, 20_ms, 5_ms, other, again);
  trace.t.At(50_ms);
  const Judged judged(trace.t);
  EXPECT_THAT(Lines(judged.Reasons("B", "A")), ElementsAre("1 futex (1 futex 0x1000 - 2)"));
  EXPECT_EQ(judged.things.ThingOf(lock), judged.things.ThingOf(again));
}

// The kernel's functions decide the reason of a wait: a fault inside of a read is a fault. Without
// their names only the object tells.
TEST(WaitThings, TheKernelsFunctionsComeFirstAndTheObjectStandsIn) {
  SmallTrace trace;
  trace.t.Cpu(1);
  const uint32_t faults = trace.t.AddStack({"filemap_fault"}, {{.function = "Copy"}});
  const uint32_t strange = trace.t.AddStack({"something_new"}, {{.function = "Wait"}});
  const uint32_t file = trace.t.AddWaitObject(File("/var/wal"));
  const uint32_t pipe = trace.t.AddWaitObject({.kind = WaitObjectKind::kPipe, .value = 4711});
  trace.Wait(2, 1, 10_ms, 5_ms, faults, file);
  trace.Wait(2, 1, 20_ms, 3_ms, strange, pipe);
  trace.Wait(2, 1, 30_ms, 2_ms, strange, 0);
  trace.t.At(50_ms);
  const Judged judged(trace.t);
  EXPECT_THAT(Lines(judged.Reasons("B", "A")),
              ElementsAre("0.5 page fault (0.5 fsync of /var/wal - 1)",
                          "0.3 pipe (0.3 pipe 4711 - 1)", "0.2 other"));
  EXPECT_THAT(Lines(ReasonsOf(
                  judged.sums.Of(judged.loaded.Id("B"), judged.loaded.Id("A"), StackSide::kWaiter),
                  Code(), judged.things)),
              ElementsAre("0.5 file (0.5 fsync of /var/wal - 1)", "0.3 pipe (0.3 pipe 4711 - 1)",
                          "0.2 other"));
}

TEST(WaitThings, WithoutNamesAndObjectsThereIsNoReason) {
  const StackSum sums[] = {{.stack_id = 1, .samples = 1, .estimate_ns = 10}};
  EXPECT_THAT(ReasonsOf(sums, Code(), WaitThings()), IsEmpty());
}

TEST(WaitThings, OfAnEdgeAreSharesByReason) {
  TraceBuilder t;
  const uint32_t futex = t.AddStack({"futex_wait"}, {{.function = "Lock"}});
  const uint32_t epoll = t.AddStack({"ep_poll"}, {{.function = "Loop"}});
  const uint32_t other_futex = t.AddStack({"futex_wait"}, {{.function = "Pop"}});
  const Code code(t.symbols());
  const StackSum sums[] = {{.stack_id = epoll, .samples = 1, .estimate_ns = 10},
                           {.stack_id = futex, .samples = 1, .estimate_ns = 9},
                           {.stack_id = other_futex, .samples = 1, .estimate_ns = 6}};
  EXPECT_THAT(Lines(ReasonsOf(sums, code, WaitThings())), ElementsAre("0.6 futex", "0.4 epoll"));
}

}  // namespace
}  // namespace gordian::testing
