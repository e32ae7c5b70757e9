// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/decoded_block.h"

#include <algorithm>

#include "analyzer/timeline/sample_matcher.h"

namespace gordian {
namespace {

ThreadRecord LeaveRecord(uint64_t time_ns, uint16_t cpu, const SwitchEvent& event) {
  return {.time_ns = time_ns,
          .other = cpu,
          .state = static_cast<uint16_t>(event.prev_state),
          .kind = event.preempted ? RecordKind::kPreempted : RecordKind::kOut};
}

// The probes that change the kind of a thread's time. The timeline ignores other probes.
bool RecordKindOf(ProbeKind probe, RecordKind& kind) {
  switch (probe) {
    case ProbeKind::kSpinBegin:
      kind = RecordKind::kSpinBegin;
      return true;
    case ProbeKind::kSpinEnd:
      kind = RecordKind::kSpinEnd;
      return true;
    case ProbeKind::kFalseWakeup:
      kind = RecordKind::kFalseWakeup;
      return true;
    case ProbeKind::kCondWaitBegin:
      kind = RecordKind::kCondWaitBegin;
      return true;
    case ProbeKind::kCondWaitEnd:
      kind = RecordKind::kCondWaitEnd;
      return true;
    default:
      return false;
  }
}

}  // namespace

uint32_t LockNumbers::NumberOf(uint64_t address) {
  const std::lock_guard lock(mutex_);
  return numbers_.try_emplace(address, static_cast<uint32_t>(numbers_.size())).first->second;
}

void DecodedBlock::Mention(int32_t tid) {
  if (tid != 0 && (mentioned.empty() || mentioned.back() != tid)) mentioned.push_back(tid);
}

void DecodedBlock::TakeSwitch(const TraceEvent& event) {
  const SwitchEvent& change = event.sched_switch;
  if (change.prev_tid != 0) {
    records.push_back(LeaveRecord(event.time_ns, event.cpu, change));
    tids.push_back(change.prev_tid);
  }
  if (change.next_tid != 0) {
    records.push_back({.time_ns = event.time_ns, .other = event.cpu});
    tids.push_back(change.next_tid);
  }
  if (!first_switch) {
    first_switch = {.time_ns = event.time_ns, .tid = change.prev_tid, .cpu = event.cpu};
  } else if (last_switch->tid != change.prev_tid) {
    hidden_switches.push_back(
        {.from_ns = last_switch->time_ns, .to_ns = event.time_ns, .cpu = event.cpu});
  }
  last_switch = {.time_ns = event.time_ns, .tid = change.next_tid, .cpu = event.cpu};
}

void DecodedBlock::TakeWake(const TraceEvent& event, int32_t current_tid) {
  const WakeEvent& wake = event.wake;
  const WakeSource source = SourceOf(wake);
  if (source.cause != WaitCause::kThread) {
    if (std::find(sources.begin(), sources.end(), source) == sources.end()) {
      sources.push_back(source);
    }
  } else if (wake.waker_tid != current_tid) {
    Mention(wake.waker_tid);
  }
  if (wake.wakee_tid == 0) return;
  if (source.cause == WaitCause::kNic) {
    packet_wakes.push_back({.time_ns = event.time_ns,
                            .thread = static_cast<EntityId>(wake.wakee_tid),
                            .flow_id = wake.flow_id,
                            .cpu = event.cpu});
  }
  records.push_back({.time_ns = event.time_ns,
                     .other = source.number,
                     .kind = RecordKind::kWake,
                     .cause = source.cause});
  tids.push_back(wake.wakee_tid);
}

void DecodedBlock::TakeProbe(const TraceEvent& event, LockNumbers& lock_numbers) {
  const ProbeEvent& probe = event.probe;
  if (probe.tid == 0) return;
  uint32_t lock = 0;
  if (probe.kind == ProbeKind::kSpinBegin || probe.kind == ProbeKind::kSpinEnd ||
      probe.kind == ProbeKind::kSpinRelease) {
    lock = lock_numbers.NumberOf(probe.value);
  }
  if (probe.kind == ProbeKind::kSpinEnd || probe.kind == ProbeKind::kSpinRelease) {
    locks.push_back({.lock = lock, .tid = probe.tid, .time_ns = event.time_ns});
    Mention(probe.tid);
  }
  RecordKind kind{};
  if (!RecordKindOf(probe.kind, kind)) return;
  records.push_back({.time_ns = event.time_ns, .other = lock, .kind = kind});
  tids.push_back(probe.tid);
}

void DecodedBlock::TakeRequest(const TraceEvent& event) {
  const BlockEvent& request = event.block;
  block_records.push_back({.time_ns = event.time_ns,
                           .sector = request.sector,
                           .service_ns = request.service_ns,
                           .device = request.device,
                           .bytes = request.bytes,
                           .thread = static_cast<EntityId>(request.tid),
                           .operation = request.operation,
                           .complete = event.kind == EventKind::kBlockComplete});
  Mention(request.tid);
}

void DecodedBlock::TakePacket(const TraceEvent& event) {
  const NetEvent& packet = event.net;
  const int32_t tid = packet.in_softirq ? 0 : packet.tid;
  packet_records.push_back({.time_ns = event.time_ns,
                            .interface = packet.interface,
                            .bytes = packet.bytes,
                            .thread = static_cast<EntityId>(tid),
                            .flow_id = packet.flow_id,
                            .sequence = packet.sequence,
                            .cpu = event.cpu,
                            .sent = event.kind == EventKind::kNetSend});
  Mention(tid);
}

void DecodedBlock::TakeLocalMessage(const TraceEvent& event) {
  const LocalMessageEvent& message = event.local_message;
  local_messages.push_back(
      {.time_ns = event.time_ns,
       .since_ns = static_cast<uint32_t>(std::min<uint64_t>(message.since_ns, UINT32_MAX)),
       .flow_id = message.flow_id,
       .bytes = message.bytes,
       .thread = static_cast<EntityId>(message.tid),
       .sent = message.sent});
  Mention(message.tid);
}

// After a pause every thread is told anew, by a record that stands for no CPU. That record comes
// first behind the pause, at any time it was told before the next pause. What is told in a pause
// may have come about in it, and says nothing of the end of the one before.
void DecodedBlock::TakeTask(const TaskRecord& task, uint64_t time_ns, uint16_t cpu,
                            const Pauses& pauses) {
  tasks.push_back({time_ns, task});
  if (task.change != TaskChange::kAlive || !task.switches || task.tid == 0 || cpu != kNoCpu) return;
  const uint64_t resumed_ns = pauses.LastResume(time_ns);
  const bool told_in_a_pause = pauses.NextPause(time_ns, Pauses::kNever) == time_ns;
  if (resumed_ns == 0 || told_in_a_pause) return;
  records.push_back(
      ResumedRecord(resumed_ns, time_ns - resumed_ns, task.state != kStateRunning, *task.switches));
  tids.push_back(task.tid);
}

void DecodedBlock::Take(const EventBlock& block, const Pauses& pauses, LockNumbers& lock_numbers) {
  records.clear();
  tids.clear();
  tasks.clear();
  locks.clear();
  losses.clear();
  hidden_switches.clear();
  first_switch.reset();
  last_switch.reset();
  block_records.clear();
  packet_records.clear();
  packet_wakes.clear();
  local_messages.clear();
  flows = block.flows;
  sources.clear();
  mentioned.clear();
  stack_samples.clear();
  wait_objects = block.wait_objects;
  works.clear();
  samples_without_event = 0;
  SampleMatcher matcher(stack_samples, samples_without_event);
  events = block.events.size();
  int32_t current_tid = 0;  // as far as this block tells; its own records make it known
  for (const TraceEvent& event : block.events) {
    switch (event.kind) {
      case EventKind::kSwitch:
        TakeSwitch(event);
        matcher.TakeSwitch(event);
        current_tid = event.sched_switch.next_tid;
        break;
      case EventKind::kWake:
        TakeWake(event, current_tid);
        matcher.TakeWake(event);
        break;
      case EventKind::kTask:
        TakeTask(block.tasks[event.task.index], event.time_ns, block.cpu, pauses);
        break;
      case EventKind::kProbe:
        TakeProbe(event, lock_numbers);
        break;
      case EventKind::kBlockIssue:
      case EventKind::kBlockComplete:
        TakeRequest(event);
        break;
      case EventKind::kNetSend:
      case EventKind::kNetReceive:
        TakePacket(event);
        break;
      case EventKind::kLoss:
        losses.push_back({.cpu = event.cpu, .loss = event.loss, .time_ns = event.time_ns});
        break;
      case EventKind::kStackSample:
        matcher.TakeSample(event);
        break;
      case EventKind::kWork:
        works.push_back({.tid = event.work.tid,
                         .time_ns = event.time_ns,
                         .duration_ns = event.work.duration_ns,
                         .name = event.work.name < block.names.size() ? block.names[event.work.name]
                                                                      : std::string()});
        break;
      case EventKind::kLocalMessage:
        TakeLocalMessage(event);
        break;
      case EventKind::kIrqRun:
      case EventKind::kFlow:
      case EventKind::kStack:
      case EventKind::kWaitObject:
        break;
    }
  }
  matcher.Finish();
  for (const StackRecordOfThread& sample : stack_samples) {
    if (sample.moment == StackMoment::kCpu) Mention(sample.tid);
  }
}

}  // namespace gordian
