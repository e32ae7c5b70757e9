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

gd_stack StackOf(uint64_t hash) {
  gd_stack stack{};
  stack.time_ns = 70;
  stack.kind = GD_STACK;
  stack.kernel_frames = 2;
  stack.user_frames = 1;
  stack.tgid = 9;
  stack.hash = hash;
  stack.kernel[0] = 0xffff1;
  stack.kernel[1] = 0xffff2;
  stack.user[0] = 0x401000;
  return stack;
}

TEST(Records, AStackIsDefinedOnceAndToldByItsNumber) {
  EventBlock block;
  StackIds stack_ids;
  gd_stack_sample sample{};
  sample.kind = GD_STACK_SAMPLE;
  sample.moment = GD_STACK_WAKE;
  sample.weight_log2 = 3;
  sample.tid = 10;
  sample.hash = 0xabcdef;
  const gd_stack stack = StackOf(0xabcdef);
  ASSERT_TRUE(AppendRecord(&sample, sizeof(sample), stack_ids, block));  // of another CPU's stack
  ASSERT_TRUE(AppendRecord(&stack, sizeof(stack), stack_ids, block));
  ASSERT_EQ(block.stacks.size(), 1u);
  EXPECT_EQ(
      block.stacks[0],
      (StackRecord{.stack_id = 1, .tgid = 9, .kernel = {0xffff1, 0xffff2}, .user = {0x401000}}));
  const StackSampleEvent& event = block.events[0].stack_sample;
  EXPECT_EQ(event.stack_id, 1u);
  EXPECT_EQ(event.tid, 10);
  EXPECT_EQ(event.moment, StackMoment::kWake);
  EXPECT_EQ(event.weight_log2, 3);
}

TEST(Records, AStackThatClaimsMoreFramesThanItHoldsIsRefused) {
  EventBlock block;
  StackIds stack_ids;
  gd_stack stack = StackOf(1);
  stack.user_frames = GD_USER_FRAMES + 1;
  EXPECT_FALSE(AppendRecord(&stack, sizeof(stack), stack_ids, block));
  EXPECT_TRUE(block.empty());
}

TEST(Records, StacksBeyondTheNumbersThereAreAreCounted) {
  StackIds ids(2);
  EXPECT_EQ(ids.IdOf(0), 0u);
  EXPECT_EQ(ids.IdOf(7), 1u);
  EXPECT_EQ(ids.IdOf(8), 2u);
  EXPECT_EQ(ids.IdOf(9), 0u);
  EXPECT_EQ(ids.IdOf(7), 1u);
  EXPECT_EQ(ids.without_number(), 1u);
}

TEST(Records, EveryKindRefusesARecordThatIsTooShort) {
  for (const uint8_t kind :
       {GD_SWITCH, GD_WAKE, GD_IRQ_RUN, GD_BLOCK_ISSUE, GD_BLOCK_COMPLETE, GD_NET_SEND,
        GD_NET_RECEIVE, GD_TASK, GD_FLOW, GD_STACK_SAMPLE, GD_STACK}) {
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
  for (const int kind : {0, 9, 10, 14, 255}) {
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
