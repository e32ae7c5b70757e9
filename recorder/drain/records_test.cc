// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/records.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/drain/wait_objects.h"

namespace gordian {
namespace {

TEST(Records, ASwitchKeepsItsFieldsAndItsCpu) {
  EventBlock block;
  RecordNames names;
  block.cpu = 3;
  const gd_switch record{.time_ns = 7,
                         .kind = GD_SWITCH,
                         .preempted = 1,
                         .prev_tid = 10,
                         .next_tid = 20,
                         .prev_state = 2};
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), names, block));
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
  RecordNames names;
  const gd_wake record{.time_ns = 7,
                       .kind = GD_WAKE,
                       .how = GD_CONTEXT_SOFTIRQ | GD_DEVICE_NIC << GD_DEVICE_KIND_SHIFT,
                       .vector = 3,
                       .wakee_tid = 1,
                       .waker_tid = 2,
                       .device = 5,
                       .flow_id = 9};
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), names, block));
  const WakeEvent& wake = block.events[0].wake;
  EXPECT_EQ(wake.context, WakeContext::kSoftirq);
  EXPECT_EQ(wake.vector, 3);
  EXPECT_EQ(wake.device_kind, DeviceKind::kNic);
  EXPECT_EQ(wake.device, 5u);
  EXPECT_EQ(wake.flow_id, 9u);
  EXPECT_FALSE(wake.waker_is_cause);
}

TEST(Records, AnInterfaceIsThatOfItsNamespaceAndADiskIsNot) {
  EventBlock block;
  RecordNames names{.interfaces = InterfaceNumbers(/*own_network=*/7)};
  gd_wake wake{
      .kind = GD_WAKE, .how = GD_DEVICE_NIC << GD_DEVICE_KIND_SHIFT, .device = 2, .network = 9};
  ASSERT_TRUE(AppendRecord(&wake, sizeof(wake), names, block));
  wake.how = GD_DEVICE_DISK << GD_DEVICE_KIND_SHIFT;
  ASSERT_TRUE(AppendRecord(&wake, sizeof(wake), names, block));
  gd_net packet{.kind = GD_NET_RECEIVE, .interface = 2, .network = 9};
  ASSERT_TRUE(AppendRecord(&packet, sizeof(packet), names, block));
  packet.network = 7;
  ASSERT_TRUE(AppendRecord(&packet, sizeof(packet), names, block));
  EXPECT_EQ(block.events[0].wake.device, kFirstForeignInterface);
  EXPECT_EQ(block.events[1].wake.device, 2u);
  EXPECT_EQ(block.events[2].net.interface, kFirstForeignInterface);
  EXPECT_EQ(block.events[3].net.interface, 2u);
}

TEST(Records, ANameWithoutATerminatingZeroEndsWithItsField) {
  EventBlock block;
  RecordNames names;
  gd_task record{.time_ns = 7, .kind = GD_TASK, .change = 1, .tid = 4};
  std::memset(record.comm, 'x', sizeof(record.comm));
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), names, block));
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
  RecordNames names;
  gd_stack_sample sample{};
  sample.kind = GD_STACK_SAMPLE;
  sample.moment = GD_STACK_WAKE;
  sample.weight_log2 = 3;
  sample.tid = 10;
  sample.hash = 0xabcdef;
  const gd_stack stack = StackOf(0xabcdef);
  ASSERT_TRUE(AppendRecord(&sample, sizeof(sample), names, block));  // of another CPU's stack
  ASSERT_TRUE(AppendRecord(&stack, sizeof(stack), names, block));
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
  RecordNames names;
  gd_stack stack = StackOf(1);
  stack.user_frames = GD_USER_FRAMES + 1;
  EXPECT_FALSE(AppendRecord(&stack, sizeof(stack), names, block));
  EXPECT_TRUE(block.empty());
}

gd_wait_object FileOf(std::string_view path, gd_path_state state) {
  gd_wait_object object{};
  object.kind = GD_WAIT_OBJECT;
  object.object = GD_OBJECT_FILE;
  object.call = GD_CALL_FDATASYNC;
  object.mode = S_IFREG | 0644;
  object.hash = 0x77;
  object.value = 12;
  object.device = DiskId(8, 1);
  object.path_state = static_cast<uint8_t>(state);
  object.path_bytes = static_cast<uint16_t>(path.size());
  std::copy(path.begin(), path.end(), object.path);
  return object;
}

TEST(Records, WhatIsWaitedForIsDefinedOnceAndToldByItsNumber) {
  EventBlock block;
  RecordNames names;
  gd_stack_sample sample{};
  sample.kind = GD_STACK_SAMPLE;
  sample.moment = GD_STACK_WAIT;
  sample.tid = 10;
  sample.object_hash = 0x77;
  const gd_wait_object object = FileOf({"wal\0app\0", 8}, GD_PATH_WHOLE);
  ASSERT_TRUE(AppendRecord(&object, sizeof(object), names, block));
  ASSERT_TRUE(AppendRecord(&sample, sizeof(sample), names, block));
  ASSERT_EQ(block.wait_objects.size(), 1u);
  EXPECT_EQ(block.wait_objects[0],
            (WaitObjectRecord{.object_id = 1,
                              .kind = WaitObjectKind::kFile,
                              .call = static_cast<WaitCall>(GD_CALL_FDATASYNC),
                              .value = 12,
                              .device = DiskId(8, 1),
                              .path = "/app/wal"}));
  EXPECT_EQ(block.events[1].stack_sample.stack_id, 0u);
  EXPECT_EQ(block.events[1].stack_sample.object_id, 1u);
}

TEST(Records, PathsArePutTogetherFromTheirNames) {
  struct Case {
    std::string names;
    gd_path_state state;
    std::string path;
  };
  for (const Case& one :
       std::vector<Case>{{"", GD_PATH_WHOLE, "/"},
                         {"", GD_PATH_CUT, ""},
                         {std::string("b\0a\0", 4), GD_PATH_WHOLE, "/a/b"},
                         {std::string("b\0a\0", 4), GD_PATH_CUT, "…/a/b"},
                         {"unended", GD_PATH_WHOLE, "/unended"},
                         {std::string("memfd:x\0", 8), GD_PATH_NAME, "memfd:x"},
                         {std::string("\0", 1), GD_PATH_NAME, ""},
                         {std::string("\xff\n\0", 3), GD_PATH_WHOLE, "/\xff\n"},
                         {std::string(128, 'x'), GD_PATH_CUT, "…/" + std::string(128, 'x')}}) {
    const auto object = ToWaitObject(FileOf(one.names, one.state));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(object->path, one.path);
  }
}

TEST(Records, FilesAreTakenForWhatTheirModeAndNameSay) {
  const auto kind_of = [](uint16_t mode, bool anonymous, std::string_view name) {
    gd_wait_object object = FileOf(name, GD_PATH_NAME);
    object.mode = mode;
    object.anonymous = anonymous ? 1 : 0;
    return ToWaitObject(object)->kind;
  };
  EXPECT_EQ(kind_of(S_IFREG, false, "[eventfd]"), WaitObjectKind::kFile);
  EXPECT_EQ(kind_of(S_IFIFO, false, ""), WaitObjectKind::kPipe);
  EXPECT_EQ(kind_of(S_IFDIR, false, "d"), WaitObjectKind::kDirectory);
  EXPECT_EQ(kind_of(S_IFBLK, false, "vda"), WaitObjectKind::kDevice);
  EXPECT_EQ(kind_of(S_IFREG, true, "[eventfd]"), WaitObjectKind::kEventFd);
  EXPECT_EQ(kind_of(0, true, "[eventpoll]"), WaitObjectKind::kEpoll);
  EXPECT_EQ(kind_of(0, true, "[io_uring]"), WaitObjectKind::kOtherFile);
}

TEST(Records, AnObjectThatClaimsALongerPathThanItHoldsIsRefused) {
  EventBlock block;
  RecordNames names;
  gd_wait_object object = FileOf("x", GD_PATH_WHOLE);
  object.path_bytes = GD_PATH_BYTES + 1;
  EXPECT_FALSE(AppendRecord(&object, sizeof(object), names, block));
  EXPECT_TRUE(block.empty());
}

TEST(Records, CallsHaveTheNumbersOfTheirNames) {
  EXPECT_EQ(kWaitCalls, size_t{GD_CALLS});
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_READ)), "read");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_FDATASYNC)), "fdatasync");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_CONNECT)), "connect");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_EPOLL_WAIT)), "epoll_wait");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_POLL)), "poll");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_FUTEX)), "futex");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALL_CLOCK_NANOSLEEP)), "clock_nanosleep");
  EXPECT_EQ(WaitCallName(static_cast<WaitCall>(GD_CALLS)), "");
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
        GD_NET_RECEIVE, GD_TASK, GD_COUNTED_CALL, GD_FLOW, GD_STACK_SAMPLE, GD_STACK,
        GD_WAIT_OBJECT, GD_WORK, GD_LOCAL_MESSAGE}) {
    EventBlock block;
    RecordNames names;
    gd_record record{};
    record.kind = kind;
    EXPECT_FALSE(AppendRecord(&record, sizeof(record), names, block)) << int{kind};
    EXPECT_TRUE(block.empty()) << int{kind};
  }
}

TEST(Records, CountedCallIsAProbesCount) {
  EventBlock block;
  RecordNames names{.counted_calls = {"accept4", "fsync"}};
  gd_counted_call record{.time_ns = 500, .kind = GD_COUNTED_CALL, .call = 1, .tid = 7};
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), names, block));
  ASSERT_EQ(block.events.size(), 1u);
  const TraceEvent& event = block.events[0];
  EXPECT_EQ(event.time_ns, 500u);
  EXPECT_EQ(event.kind, EventKind::kProbe);
  EXPECT_EQ(event.probe.tid, 7);
  EXPECT_EQ(event.probe.kind, ProbeKind::kCount);
  EXPECT_EQ(block.names[event.probe.name], "syscall fsync");
  EXPECT_EQ(event.probe.value, 1u);
}

TEST(Records, CallThatNobodyAskedForIsRefused) {
  EventBlock block;
  RecordNames names{.counted_calls = {"accept4"}};
  const gd_counted_call record{.time_ns = 500, .kind = GD_COUNTED_CALL, .call = 1, .tid = 7};
  EXPECT_FALSE(AppendRecord(&record, sizeof(record), names, block));
  EXPECT_TRUE(block.empty());
}

TEST(Records, AnExecHasItsCommandLineAndDirectory) {
  gd_exec exec{.task = {.time_ns = 5, .kind = GD_TASK, .change = 2, .tid = 7, .tgid = 7},
               .argument_bytes = 14,
               .command_bytes = 14,
               .directory_bytes = 6,
               .directory_state = GD_PATH_WHOLE};
  std::memcpy(exec.command, "cc\0--key=x\0a.c", 15);
  std::memcpy(exec.directory, "a\0src", 6);
  EventBlock block;
  RecordNames names;
  EXPECT_TRUE(AppendRecord(&exec, sizeof(exec), names, block));
  ASSERT_EQ(block.tasks.size(), 1u);
  EXPECT_EQ(block.tasks[0].change, TaskChange::kExec);
  EXPECT_TRUE(block.tasks[0].command.starts_with("cc --key=*** a."));
  EXPECT_EQ(block.tasks[0].directory, "/src/a");
  exec.command_bytes = GD_COMMAND_BYTES + 1;
  EXPECT_FALSE(AppendRecord(&exec, sizeof(exec), names, block));
  exec.command_bytes = 0;
  exec.directory_bytes = GD_DIRECTORY_BYTES + 1;
  EXPECT_FALSE(AppendRecord(&exec, sizeof(exec), names, block));
  EXPECT_EQ(block.tasks.size(), 1u);
}

gd_local_flow LocalFlow(uint8_t channel, std::string_view path, uint8_t path_state) {
  gd_local_flow flow{.kind = GD_FLOW, .channel = channel, .path_state = path_state, .flow_id = 7};
  flow.server = GD_SERVER_DESTINATION;
  flow.source = {.number = 21, .inode = 34};
  flow.destination = {.number = 22, .inode = 0};
  flow.path_bytes = static_cast<uint16_t>(path.size());
  path.copy(flow.path, sizeof(flow.path));
  return flow;
}

TEST(Records, ALocalFlowHasItsEndsAndItsName) {
  using namespace std::string_view_literals;
  EventBlock block;
  RecordNames names;
  for (const gd_local_flow& flow :
       {LocalFlow(GD_LOCAL_UNIX, "/run/db\0\0"sv, GD_PATH_NAME),
        LocalFlow(GD_LOCAL_UNIX, "\0dbus"sv, GD_PATH_NAME), LocalFlow(GD_LOCAL_UNIX, ""sv, 0),
        LocalFlow(GD_LOCAL_PIPE, "queue\0run"sv, GD_PATH_WHOLE)})
    EXPECT_TRUE(AppendRecord(&flow, sizeof(flow), names, block));
  ASSERT_EQ(block.flows.size(), 4u);
  EXPECT_EQ(block.flows[0].name, "/run/db");
  EXPECT_EQ(block.flows[0].local, LocalChannel::kUnixSocket);
  EXPECT_EQ(block.flows[0].server, LocalServer::kDestination);
  EXPECT_EQ(block.flows[0].family, FlowFamily::kUnknown);
  EXPECT_EQ(LocalEndOf(block.flows[0].source), (LocalEnd{.number = 21, .inode = 34}));
  EXPECT_EQ(LocalEndOf(block.flows[0].destination), (LocalEnd{.number = 22}));
  EXPECT_EQ(block.flows[1].name, "@dbus");
  EXPECT_EQ(block.flows[2].name, "");
  EXPECT_EQ(block.flows[3].name, "/run/queue");
}

TEST(Records, ALocalFlowThatClaimsTooMuchIsRefused) {
  EventBlock block;
  RecordNames names;
  gd_local_flow flow = LocalFlow(GD_LOCAL_UNIX, "/run/db", GD_PATH_NAME);
  flow.path_bytes = GD_PATH_BYTES + 1;
  EXPECT_FALSE(AppendRecord(&flow, sizeof(flow), names, block));
  flow = LocalFlow(GD_LOCAL_PIPE + 1, "", 0);
  EXPECT_FALSE(AppendRecord(&flow, sizeof(flow), names, block));
  flow = LocalFlow(GD_LOCAL_PIPE, "", 0);
  flow.server = GD_SERVER_DESTINATION + 1;
  EXPECT_FALSE(AppendRecord(&flow, sizeof(flow), names, block));
  EXPECT_TRUE(block.empty());
}

TEST(Records, ALocalMessageIsWhatWasTold) {
  EventBlock block;
  RecordNames names;
  const gd_local_message record{.time_ns = 500,
                                .kind = GD_LOCAL_MESSAGE,
                                .sent = 1,
                                .tid = 7,
                                .flow_id = 9,
                                .bytes = 64,
                                .since_ns = 30};
  ASSERT_TRUE(AppendRecord(&record, sizeof(record), names, block));
  const LocalMessageEvent& message = block.events.at(0).local_message;
  EXPECT_EQ(block.events[0].kind, EventKind::kLocalMessage);
  EXPECT_EQ(block.events[0].time_ns, 500u);
  EXPECT_EQ(message.tid, 7);
  EXPECT_EQ(message.flow_id, 9u);
  EXPECT_EQ(message.bytes, 64u);
  EXPECT_EQ(message.since_ns, 30u);
  EXPECT_TRUE(message.sent);
}

TEST(Records, WorkIsNamedByItsQueueUnlessAllKindsShareIt) {
  EventBlock block;
  RecordNames names;
  for (const char* queue : {"loop0", "events_unbound", ""}) {
    gd_work work{.time_ns = 9, .kind = GD_WORK, .tid = 7, .duration_ns = 30, .runs = 2};
    std::memcpy(work.queue, queue, std::strlen(queue));
    std::memset(work.function, 'f', sizeof(work.function));  // without an end
    EXPECT_TRUE(AppendRecord(&work, sizeof(work), names, block));
  }
  ASSERT_EQ(block.events.size(), 3u);
  EXPECT_EQ(block.names[block.events[0].work.name], "loop0");
  EXPECT_EQ(block.names[block.events[1].work.name], std::string(GD_FUNCTION_BYTES, 'f'));
  EXPECT_EQ(block.events[2].work.name, block.events[1].work.name);
  EXPECT_EQ(block.events[0].work.runs, 2u);
}

TEST(Records, UnknownKindsAreRefused) {
  EventBlock block;
  RecordNames names;
  char bytes[256] = {};
  for (const int kind : {0, 10, 17, 255}) {
    gd_record record{};
    record.kind = static_cast<uint8_t>(kind);
    std::memcpy(bytes, &record, sizeof(record));
    EXPECT_FALSE(AppendRecord(bytes, sizeof(bytes), names, block)) << kind;
  }
  EXPECT_FALSE(AppendRecord(bytes, 3, names, block));
  EXPECT_TRUE(block.empty());
}

}  // namespace
}  // namespace gordian
