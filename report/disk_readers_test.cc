// SPDX-License-Identifier: Apache-2.0
#include "report/disk_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/testing/scenario_timeline.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

constexpr char kSyncAdvice[] = "If one thread writes or syncs for all: sync less often.";
constexpr char kLockAdvice[] = "If they share a lock: split it.";

struct ReaderTold {
  std::vector<std::string> asked;  // change and whom
  std::vector<std::string> advice;
};

// A asks the disk vda for something three times, and of the asked-for changes one is that it does
// not. What is told then.
ReaderTold ToldOfReader(const std::string& operation, const std::vector<std::string>& changes) {
  const ScenarioTimeline recorded(absl::StrCat(
      "end 1000\nthread 1 A S\ndisk 8 vda\n100 0 wake 1 by timer\n100 0 switch 0 1\n", "110 0 ",
      operation, "\n120 0 ", operation, "\n130 0 ", operation, "\n900 0 switch 1 0 S\n"));
  const Timeline& timeline = recorded.timeline();
  const Waits waits(timeline, {});
  std::vector<uint32_t> vertex_of_entity(waits.entities().size());
  std::iota(vertex_of_entity.begin(), vertex_of_entity.end(), 0u);
  pb::Report report;
  for (const Entity& entity : timeline.entities()) {
    pb::ReportVertex& vertex = *report.add_vertices();
    vertex.set_id(static_cast<uint32_t>(report.vertices_size()) - 1);
    vertex.set_name(entity.name);
    vertex.set_kind(entity.kind == EntityKind::kDisk ? "disk" : "thread");
  }
  pb::Finding& finding = *report.add_findings();
  for (const std::string& change : changes) {
    pb::NaturalFix& fix = *finding.add_natural_fixes();
    fix.set_change(change);
    fix.set_who(recorded.Id("A"));
    fix.set_whom(recorded.Id(change == "skip" ? "vda" : "A"));
  }
  finding.add_advice(kSyncAdvice);
  finding.add_advice(kLockAdvice);
  AskReadersForTheirLock(waits, vertex_of_entity, {timeline.start_ns(), timeline.end_ns()}, report);
  ReaderTold told;
  for (const pb::NaturalFix& fix : finding.natural_fixes())
    told.asked.push_back(absl::StrCat(fix.change(), " ", timeline.entities()[fix.whom()].name));
  told.advice.assign(finding.advice().begin(), finding.advice().end());
  return told;
}

std::vector<std::string> AskedOf(const std::string& operation,
                                 const std::vector<std::string>& changes) {
  return ToldOfReader(operation, changes).asked;
}

TEST(DiskReaders, AreAskedForTheirLock) {
  EXPECT_THAT(AskedOf("read 1 8 4096 5", {"no-false-wakeups", "skip", "batch"}),
              ElementsAre("no-false-wakeups A", "lock A"));
}

TEST(DiskReaders, AreAskedForTheirLockOnce) {
  EXPECT_THAT(AskedOf("read 1 8 4096 5", {"skip", "lock", "batch"}), ElementsAre("lock A"));
}

TEST(DiskReaders, AreNotAdvisedToSyncLess) {
  EXPECT_THAT(ToldOfReader("read 1 8 4096 5", {"skip"}).advice,
              ElementsAre(::testing::HasSubstr("mostly read"), kLockAdvice));
  EXPECT_THAT(ToldOfReader("issue 1 8 4096 5", {"skip"}).advice,
              ElementsAre(kSyncAdvice, kLockAdvice));
}

TEST(DiskReaders, AreNoneThatWriteOrFlush) {
  EXPECT_THAT(AskedOf("issue 1 8 4096 5", {"skip", "batch"}), ElementsAre("skip vda", "batch A"));
}

}  // namespace
}  // namespace gordian
