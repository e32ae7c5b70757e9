// SPDX-License-Identifier: Apache-2.0
#include "tests/guest/recorded_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "trace/counters.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kPing = 11;
constexpr int kPong = 15;
constexpr int kStranger = 99;

WorkloadReport Report() {
  return {.threads = {{.role = "ping",
                       .tid = kPing,
                       .woken_by = "pong",
                       .context = "thread",
                       .operations = 1,
                       .in_turns = true,
                       .blocks = 1},
                      {.role = "pong",
                       .tid = kPong,
                       .woken_by = "ping",
                       .context = "thread",
                       .in_turns = true}}};
}

TraceEvent Event(uint64_t time_ns, EventKind kind) {
  TraceEvent event{};
  event.time_ns = time_ns;
  event.kind = kind;
  return event;
}

// ping waits once, for `waker`.
EventBlock OneWait(int waker) {
  EventBlock block;
  block.AddTask(100, {.tid = kPing, .tgid = kPing, .comm = "ping"});
  block.AddTask(100, {.tid = kPong, .tgid = kPing, .comm = "pong"});
  TraceEvent event = Event(200, EventKind::kSwitch);
  event.sched_switch = {.prev_tid = kPing, .next_tid = waker, .prev_state = kStateInterruptible};
  block.events.push_back(event);
  event = Event(300, EventKind::kWake);
  event.wake = {.wakee_tid = kPing, .waker_tid = waker};
  block.events.push_back(event);
  event = Event(400, EventKind::kSwitch);
  event.sched_switch = {.prev_tid = waker, .next_tid = kPing, .preempted = true};
  block.events.push_back(event);
  return block;
}

pb::Session CompleteSession() {
  pb::Session session;
  session.set_backend("kprobe");
  session.set_complete(true);
  SetCounter(session, "records_produced_switch", 2);
  SetCounter(session, "records_produced_wake", 1);
  return session;
}

class RecordedSessionTest : public testing::Test {
 protected:
  RecordedSessionTest()
      : directory_(testing::TempDir() + "/recorded_session_test." + std::to_string(getpid())) {
    std::filesystem::remove_all(directory_);
  }
  ~RecordedSessionTest() override { std::filesystem::remove_all(directory_); }

  // Writes a session and reads it again as one of the backend "kprobe".
  RecordedSession WriteAndRead(EventBlock block, const pb::Session& session) {
    {
      auto writer = SessionWriter::Create(directory_, {});
      EXPECT_TRUE(writer.ok()) << writer.status();
      EXPECT_TRUE((*writer)->AppendEvents(block).ok());
      EXPECT_TRUE((*writer)->WriteSession(session).ok());
    }
    const auto recorded = ReadRecordedSession("kprobe", directory_, Report());
    EXPECT_TRUE(recorded.ok()) << recorded.status();
    std::filesystem::remove_all(directory_);
    return *recorded;
  }

  const std::string directory_;
};

TEST_F(RecordedSessionTest, AWholeAndTrueOneHasNoFindings) {
  const RecordedSession recorded = WriteAndRead(OneWait(kPong), CompleteSession());
  EXPECT_THAT(recorded.findings, IsEmpty());
  EXPECT_EQ(recorded.events, 5u);
}

TEST_F(RecordedSessionTest, TwoThatDifferAreToldApart) {
  const RecordedSession one = WriteAndRead(OneWait(kPong), CompleteSession());
  const RecordedSession other = WriteAndRead(OneWait(kStranger), CompleteSession());
  EXPECT_THAT(
      other.findings,
      ElementsAre("ping was woken 1 by thread somebody else; the truth is 1 by thread pong"));
  EXPECT_THAT(CompareCauses(one.causes, other.causes, one.report),
              ElementsAre("ping was woken 1 by thread pong against 1 by thread somebody else"));
  EXPECT_THAT(CompareCauses(one.causes, one.causes, one.report), IsEmpty());
}

TEST_F(RecordedSessionTest, AnotherBackendThanAskedForIsFound) {
  pb::Session session = CompleteSession();
  session.set_backend("tracepoint");
  EXPECT_THAT(WriteAndRead(OneWait(kPong), session).findings,
              ElementsAre("recorded by tracepoint instead"));
}

TEST_F(RecordedSessionTest, AnIncompleteOneIsFound) {
  pb::Session session = CompleteSession();
  session.set_complete(false);
  EXPECT_THAT(WriteAndRead(OneWait(kPong), session).findings,
              ElementsAre("the session was not completed"));
}

TEST_F(RecordedSessionTest, LossesAreFoundByEventAndByCounter) {
  EventBlock block = OneWait(kPong);
  TraceEvent loss = Event(500, EventKind::kLoss);
  loss.loss = {.duration_ns = 10, .count = 3, .kind = EventKind::kWake};
  block.events.push_back(loss);
  pb::Session session = CompleteSession();
  SetCounter(session, "records_lost_wake", 3);
  EXPECT_THAT(WriteAndRead(block, session).findings,
              ElementsAre("3 events were lost", "counter records_lost_wake is 3"));
}

TEST_F(RecordedSessionTest, WhatTheKernelLeftOutIsNoLossOnTheWay) {
  EventBlock block = OneWait(kPong);
  TraceEvent loss = Event(500, EventKind::kLoss);
  loss.loss = {.duration_ns = 10, .count = 3, .kind = EventKind::kWake};
  block.events.push_back(loss);
  pb::Session session = CompleteSession();
  SetCounter(session, "records_left_out_wake", 3);
  EXPECT_THAT(WriteAndRead(block, session).findings, IsEmpty());
  SetCounter(session, "records_left_out_wake", 2);
  EXPECT_THAT(WriteAndRead(block, session).findings, ElementsAre("1 events were lost"));
}

TEST_F(RecordedSessionTest, MoreEmittedThanReceivedIsFound) {
  pb::Session session = CompleteSession();
  SetCounter(session, "records_produced_wake", 2);
  EXPECT_THAT(WriteAndRead(OneWait(kPong), session).findings,
              ElementsAre("2 records of kind wake were emitted and 1 received"));
}

TEST_F(RecordedSessionTest, WhatIsNoSessionIsRefused) {
  EXPECT_FALSE(ReadRecordedSession("kprobe", directory_, Report()).ok());
}

}  // namespace
}  // namespace gordian
