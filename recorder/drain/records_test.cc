#include "recorder/drain/records.h"

#include <gtest/gtest.h>

#include <cstring>

namespace gordian {
namespace {

TEST(Records, ASwitchKeepsItsFieldsAndItsCpu) {
  EventBlock block;
  StackIds stack_ids;
  block.cpu = 3;
  const gd_switch record{.time_ns = 7,
                         .kind = GD_SWITCH,
                         .preempted = 1,
                         .prev_tid = 10,
                         .next_tid = 20,
                         .prev_state = 2};
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), stack_ids, block));
  ASSERT_EQ(block.events.size(), 1u);
  const TraceEvent& event = block.events[0];
  EXPECT_EQ(event.time_ns, 7u);
  EXPECT_EQ(event.cpu, 3);
  EXPECT_EQ(event.kind, EventKind::kSwitch);
  EXPECT_EQ(event.sched_switch.prev_tid, 10);
  EXPECT_EQ(event.sched_switch.next_tid, 20);
  EXPECT_EQ(event.sched_switch.prev_state, 2u);
  EXPECT_TRUE(event.sched_switch.preempted);
}

TEST(Records, AWakeTellsItsContextAndDevice) {
  EventBlock block;
  StackIds stack_ids;
  const gd_wake record{.time_ns = 7,
                       .kind = GD_WAKE,
                       .context = GD_CONTEXT_SOFTIRQ,
                       .device_kind = GD_DEVICE_NIC,
                       .wakee_tid = 1,
                       .waker_tid = 2,
                       .vector = 3,
                       .device = 5,
                       .flow_id = 9};
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), stack_ids, block));
  const WakeEvent& wake = block.events[0].wake;
  EXPECT_EQ(wake.context, WakeContext::kSoftirq);
  EXPECT_EQ(wake.vector, 3);
  EXPECT_EQ(wake.device_kind, DeviceKind::kNic);
  EXPECT_EQ(wake.device, 5u);
  EXPECT_EQ(wake.flow_id, 9u);
  EXPECT_FALSE(wake.waker_is_cause);
}

TEST(Records, ANameWithoutATerminatingZeroEndsWithItsField) {
  EventBlock block;
  StackIds stack_ids;
  gd_task record{.time_ns = 7, .kind = GD_TASK, .change = 1, .tid = 4};
  std::memset(record.comm, 'x', sizeof(record.comm));
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), stack_ids, block));
  EXPECT_EQ(block.tasks.at(0).comm, std::string(GD_COMM_LENGTH, 'x'));
  EXPECT_EQ(block.tasks.at(0).change, TaskChange::kNew);
}

TEST(Records, EveryKindRefusesARecordThatIsTooShort) {
  for (const uint8_t kind : {GD_SWITCH, GD_WAKE, GD_IRQ_RUN, GD_BLOCK_ISSUE, GD_BLOCK_COMPLETE,
                             GD_NET_SEND, GD_NET_RECEIVE, GD_TASK, GD_FLOW}) {
    EventBlock block;
    StackIds stack_ids;
    gd_record record{};
    record.kind = kind;
    EXPECT_FALSE(AppendRecord(&record, sizeof(record), stack_ids, block)) << int{kind};
    EXPECT_TRUE(block.empty()) << int{kind};
  }
}

TEST(Records, UnknownKindsAreRefused) {
  EventBlock block;
  StackIds stack_ids;
  char bytes[256] = {};
  for (const int kind : {0, 9, 10, 12, 255}) {
    gd_record record{};
    record.kind = static_cast<uint8_t>(kind);
    std::memcpy(bytes, &record, sizeof(record));
    EXPECT_FALSE(AppendRecord(bytes, sizeof(bytes), stack_ids, block)) << kind;
  }
  EXPECT_FALSE(AppendRecord(bytes, 3, stack_ids, block));
  EXPECT_TRUE(block.empty());
}

}  // namespace
}  // namespace gordian
