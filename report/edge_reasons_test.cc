// SPDX-License-Identifier: Apache-2.0
// The texts for the reasons of an edge's waits.
#include "report/edge_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyzer/stacks/test_trace.h"

namespace gordian::testing {
namespace {

pb::WaitObject& Add(WaitReasons& reasons, const std::string& reason, double share,
                    const std::string& text, const std::string& call, double object_share) {
  pb::WaitReason& put = *reasons.Add();
  put.set_reason(reason);
  put.set_share(share);
  pb::WaitObject& object = *put.add_objects();
  object.set_text(text);
  object.set_call(call);
  object.set_share(object_share);
  return object;
}

TEST(EdgeReasons, AreSaidWithTheirHeaviestObjects) {
  WaitReasons reasons;
  Add(reasons, "futex", 0.9, "futex 0x10", "futex", 0.6).set_remark("one lock, 16 threads");
  pb::WaitObject& second = *reasons[0].add_objects();
  second.set_text("futex 0x20");
  second.set_share(0.25);
  Add(reasons, "disk", 0.095, "fsync of /wal", "fsync", 0.095);
  Add(reasons, "pipe", 0.005, "pipe 4711", "read", 0.005);
  EXPECT_EQ(ReasonsText(reasons), "futex 90 %, disk 10 %");
  EXPECT_EQ(ReasonsAndObjectsText(reasons),
            "futex 90 % (60 % futex 0x10: one lock, 16 threads; 25 % futex 0x20), disk 10 %");
  EXPECT_EQ(ObjectLines(reasons),
            "  60 %  futex 0x10: one lock, 16 threads\n"
            "  25 %  futex 0x20\n"
            "  10 %  fsync of /wal\n");
  EXPECT_EQ(ShortReasonText(reasons), "futex 0x10 60 %");
}

TEST(EdgeReasons, AreShortOfNothing) {
  WaitReasons reasons;
  EXPECT_EQ(ShortReasonText(reasons), "");
  EXPECT_EQ(HeaviestObject(reasons), nullptr);
  pb::WaitReason& reason = *reasons.Add();
  reason.set_reason("kernel lock");
  reason.set_share(1);
  EXPECT_EQ(ShortReasonText(reasons), "kernel lock 100 %");
  EXPECT_EQ(ReasonsAndObjectsText(reasons), "kernel lock 100 %");
}

TEST(EdgeReasons, ManySmallObjectsDoNotHideTheReason) {
  WaitReasons reasons;
  Add(reasons, "socket", 1, "socket to 10.0.0.7:1 (tcp)", "read", 0.02);
  EXPECT_EQ(ShortReasonText(reasons), "socket 100 %");
}

TEST(EdgeReasons, AStoryNamesTheFileOfItsCallOnlyIfItIsMostOfTheEdge) {
  WaitReasons reasons;
  pb::WaitObject& object = Add(reasons, "disk", 1, "fsync of /wal", "fsync", 0.9);
  EXPECT_EQ(StoryWithObject("fsync ← Commit", reasons), "fsync of /wal ← Commit");
  EXPECT_EQ(StoryWithObject("fsync", reasons), "fsync of /wal");
  EXPECT_EQ(StoryWithObject("fsync_range ← Commit", reasons), "fsync_range ← Commit");
  EXPECT_EQ(StoryWithObject("write ← Commit", reasons), "write ← Commit");
  object.set_share(0.4);
  EXPECT_EQ(StoryWithObject("fsync ← Commit", reasons), "fsync ← Commit");
}

// B, C and D wait for A at one lock; B's text tells of the others.
TEST(EdgeReasons, ALockIsNamedByItsWaiters) {
  TraceBuilder t;
  pb::Report report;
  for (int32_t tid = 1; tid <= 4; ++tid) {
    const std::string name(1, static_cast<char>('A' + tid - 1));
    t.Thread(tid, name, 9);
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(tid - 1));
    vertex.set_name(name);
    vertex.set_kind("thread");
    vertex.set_tid(tid);
  }
  for (int32_t tid = 1; tid <= 4; ++tid) t.Cpu(static_cast<uint16_t>(tid)).Run(tid);
  const uint32_t stack = t.Cpu(1).AddStack(
      {"futex_wait"}, {{"__lll_lock_wait", "/usr/lib/libc.so.6"}, {"Work", "/usr/bin/server"}});
  const uint32_t lock =
      t.AddWaitObject({.kind = WaitObjectKind::kFutex, .tgid = 9, .value = 0x1000});
  for (int32_t tid = 2; tid <= 4; ++tid) {
    const auto cpu = static_cast<uint16_t>(tid);
    const uint64_t at_ns = tid * 10_ms;
    t.At(at_ns).Cpu(cpu).Block().At(at_ns + 200);
    t.AddStackSample(tid, StackMoment::kWait, stack, 0, lock);
    t.At(at_ns + 1_ms * tid).Cpu(1).Wake(tid).At(at_ns + 1_ms * tid + 1000).Cpu(cpu).Run(tid);
  }
  t.At(60_ms);
  const Loaded loaded(t);
  const StackSums sums = loaded.Sums();
  const WaitThings things(loaded.timeline(), sums, 0, 3600_s);
  WaitReasons reasons;
  ASSERT_EQ(loaded.Id("A"), 0u);
  PutReasons(sums, Code(t.symbols()), things, VertexNames(report), loaded.Id("B"), 0, reasons);
  ASSERT_EQ(reasons.size(), 1);
  ASSERT_EQ(reasons[0].objects_size(), 1);
  const pb::WaitObject& object = reasons[0].objects(0);
  EXPECT_EQ(object.remark(), "one lock, 3 threads; the same as in D → A, C → A");
  EXPECT_EQ(object.role(), "lock");
  EXPECT_EQ(object.threads(), 3u);
  EXPECT_EQ(object.also_edges(), 2u);
  EXPECT_EQ(object.address(), "0x1000");
}

}  // namespace
}  // namespace gordian::testing
