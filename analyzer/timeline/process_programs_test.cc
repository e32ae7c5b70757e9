// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/process_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"

namespace gordian {
namespace {

using gordian::testing::TempDir;
using gordian::testing::TraceBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using gordian::testing::operator""_ms;

Timeline Load(TraceBuilder& trace) {
  const TempDir folder;
  const std::string session_folder = folder.path() + "/trace";
  EXPECT_TRUE(trace.WriteSession(session_folder).ok());
  auto session = SessionReader::Open(session_folder);
  EXPECT_TRUE(session.ok());
  auto timeline = Timeline::Load(**session, {.threads = 1}, {});
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  return timeline.ok() ? *std::move(timeline) : Timeline();
}

EntityId Find(const Timeline& timeline, int32_t tid, int life = 0) {
  for (EntityId id = 0; id < timeline.thread_count(); ++id)
    if (timeline.entities()[id].tid == tid && life-- == 0) return id;
  ADD_FAILURE() << "no thread " << tid;
  return 0;
}

// "make: make -j8 in /src from 0 ms"
std::vector<std::string> Programs(const Timeline& timeline, int32_t tid, int life = 0) {
  std::vector<std::string> lines;
  for (const Program& program : timeline.programs(Find(timeline, tid, life)))
    lines.push_back(program.name + ": " + program.command + " in " + program.directory + " from " +
                    std::to_string((program.start_ns - timeline.start_ns()) / 1'000'000) + " ms");
  return lines;
}

// make runs, forks a child that execs twice, and ends.
TraceBuilder Build() {
  TraceBuilder t;
  t.Thread(10, "make").Thread(11, "helper", 10);
  t.At(0_ms).Cpu(0).Command(10, "make -j8", "/src").Run(10);
  t.At(1_ms).New(10, 20, "make");
  t.At(2_ms).Block(kStateInterruptible, 20);
  t.At(3_ms).Exec(20, "sh", "sh -c 'cc a.c'", "/src");
  t.At(5_ms).Exec(20, "cc", "cc a.c", "/src/a");
  t.At(6_ms).New(20, 21, "cc", 20);
  t.At(9_ms).Exit(20).Block(kStateDead);
  return t;
}

TEST(ProcessPrograms, AreThoseOfItsBirthAndItsExecs) {
  TraceBuilder trace = Build();
  const Timeline timeline = Load(trace);
  EXPECT_THAT(Programs(timeline, 10), ElementsAre("make: make -j8 in /src from 0 ms"));
  EXPECT_THAT(Programs(timeline, 20), ElementsAre("make: make -j8 in /src from 1 ms",
                                                  "sh: sh -c 'cc a.c' in /src from 3 ms",
                                                  "cc: cc a.c in /src/a from 5 ms"));
}

TEST(ProcessPrograms, AreSharedByTheThreadsOfAProcess) {
  TraceBuilder trace = Build();
  const Timeline timeline = Load(trace);
  EXPECT_THAT(Programs(timeline, 11), ElementsAre("make: make -j8 in /src from 0 ms"));
  EXPECT_EQ(Programs(timeline, 21), Programs(timeline, 20));
}

TEST(ProcessPrograms, AnEntityHasItsProcessesLastCommand) {
  TraceBuilder trace = Build();
  const Timeline timeline = Load(trace);
  const Entity& cc = timeline.entities()[Find(timeline, 20)];
  EXPECT_EQ(cc.command, "cc a.c");
  EXPECT_EQ(cc.directory, "/src/a");
  EXPECT_EQ(timeline.entities()[Find(timeline, 11)].command, "make -j8");
}

TEST(ProcessPrograms, AParentMayBeListedAfterItsChildWasBorn) {
  TraceBuilder t;
  t.Thread(10, "make");
  t.At(0_ms).Cpu(0).Run(10);
  t.At(2_ms).New(10, 20, "make");
  t.At(3_ms).Command(10, "make -j8", "/src");
  const Timeline timeline = Load(t);
  EXPECT_THAT(Programs(timeline, 20), ElementsAre("make: make -j8 in /src from 2 ms"));
}

TEST(ProcessPrograms, EachLifeOfATidHasItsOwn) {
  TraceBuilder t;
  t.Thread(10, "make");
  t.At(0_ms).Cpu(0).Run(10);
  t.At(1_ms).New(10, 20, "make").Exec(20, "cc", "cc a.c", "/a");
  t.At(2_ms).Block(kStateInterruptible, 20);
  t.At(3_ms).Exit(20).Block(kStateDead);
  t.At(4_ms).Cpu(1).New(10, 20, "make");
  t.At(5_ms).Exec(20, "ld", "ld a.o", "/b");
  const Timeline timeline = Load(t);
  EXPECT_THAT(Programs(timeline, 20, 0),
              ElementsAre("make:  in  from 1 ms", "cc: cc a.c in /a from 1 ms"));
  EXPECT_THAT(Programs(timeline, 20, 1),
              ElementsAre("make:  in  from 4 ms", "ld: ld a.o in /b from 5 ms"));
}

TEST(ProcessPrograms, OldRecordingsTellNamesAlone) {
  TraceBuilder t;
  t.Thread(10, "make");
  t.At(0_ms).Cpu(0).Run(10);
  t.At(1_ms).New(10, 20, "make").Exec(20, "cc");
  t.At(2_ms).WakeFromTimer(99);
  const Timeline timeline = Load(t);
  EXPECT_THAT(Programs(timeline, 20), ElementsAre("make:  in  from 1 ms", "cc:  in  from 1 ms"));
  EXPECT_THAT(Programs(timeline, 99), IsEmpty());
  EXPECT_EQ(timeline.entities()[Find(timeline, 20)].command, "");
}

TEST(ProcessPrograms, HostileTextIsCutAndCleaned) {
  TraceBuilder t;
  t.Thread(10, "make");
  t.At(0_ms).Cpu(0).Run(10);
  t.Exec(10, "x", std::string(100'000, 'x'), "\x1b[31m");
  const Timeline timeline = Load(t);
  const Program& last = timeline.programs(Find(timeline, 10)).back();
  EXPECT_EQ(last.command.size(), 256u);
  EXPECT_EQ(last.directory, "\uFFFD[31m");
}

}  // namespace
}  // namespace gordian
