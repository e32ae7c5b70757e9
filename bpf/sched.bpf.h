// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The records of a switch and a wake. With stacks the same program looks for the stack, too (see
 * stacks.bpf.c): a second program at the same hook would cost half as much as the record. */
#ifndef GORDIAN_BPF_SCHED_H
#define GORDIAN_BPF_SCHED_H

#include "bpf/state.bpf.h"

static __always_inline void forget_interrupts(struct gd_cpu* cpu) {
  cpu->in_hardirq = 0;
  cpu->in_softirq = 0;
  cpu->hard_timer = 0;
  cpu->soft_timer = 0;
  cpu->loopback_sender = 0;
}

static __always_inline int on_switch(__s32 prev_tid, __s32 next_tid, __u32 prev_state,
                                     bool preempted) {
  struct gd_cpu* cpu = this_cpu();
  forget_interrupts(cpu);
  if (only_targets && !role_of(prev_tid) && !role_of(next_tid)) return 0;
  struct gd_switch* record = reserve(cpu, GD_SWITCH, sizeof(*record), COUNT_PLAIN);
  if (!record) return 0;
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_SWITCH;
  record->preempted = preempted;
  record->unused = 0;
  record->prev_tid = prev_tid;
  record->next_tid = next_tid;
  record->prev_state = prev_state;
  submit(record);
  return 0;
}

/* still_queued if the verifier knows the task: plain loads instead of helper calls, on the hottest
 * path. */
static __always_inline bool typed_still_queued(struct task_struct* task) {
  if (bpf_core_field_exists(task->se.sched_delayed) && task->se.sched_delayed) return false;
  return task->on_rq;
}

/* Interrupted threads are not to blame: the innermost interrupt is. Returns gd_wake.how. */
static __always_inline __u8 tell_context(struct gd_cpu* cpu, struct gd_wake* record,
                                         __s32 waker_tid) {
  if (cpu->in_hardirq) {
    __u8 how = cpu->hard_timer ? GD_CONTEXT_TIMER : GD_CONTEXT_HARDIRQ;
    record->vector = cpu->irq;
    if (cpu->hard_disk) {
      how |= GD_DEVICE_DISK << GD_DEVICE_KIND_SHIFT;
      record->device = cpu->hard_disk;
    }
    cpu->hard_woke = 1;
    return how;
  }
  if (cpu->in_softirq) {
    __u8 how = cpu->soft_timer ? GD_CONTEXT_TIMER : GD_CONTEXT_SOFTIRQ;
    record->vector = cpu->softirq_vector;
    if (cpu->soft_disk) {
      how |= GD_DEVICE_DISK << GD_DEVICE_KIND_SHIFT;
      record->device = cpu->soft_disk;
    } else if (cpu->packet_interface) {
      how |= GD_DEVICE_NIC << GD_DEVICE_KIND_SHIFT;
      record->device = cpu->packet_interface;
      record->network = cpu->packet_network;
      record->flow_id = cpu->packet_flow;
      if (cpu->packet_sender && cpu->packet_sender == waker_tid)
        return how | GD_WAKER_IS_CAUSE; /* the thread's deed, not the interrupt's */
    }
    cpu->soft_woke = 1;
    return how;
  }
  return cpu->soft_timer ? GD_CONTEXT_TIMER : GD_CONTEXT_THREAD | GD_WAKER_IS_CAUSE;
}

/* With --only: whether this wake is of interest. A thread that wakes a target is of interest from
 * then on, too. */
static __always_inline bool wake_concerns_targets(struct gd_cpu* cpu, __s32 wakee_tid,
                                                  __s32 waker_tid) {
  __u8 wakee = role_of(wakee_tid);
  if (wakee) {
    bool by_thread = !cpu->in_hardirq && !cpu->in_softirq && !cpu->soft_timer;
    if (wakee == GD_ROLE_TARGET && by_thread && waker_tid && !role_of(waker_tid))
      set_role(waker_tid, GD_ROLE_WAKER);
    return true;
  }
  return role_of(waker_tid) == GD_ROLE_TARGET;
}

/* With --only a packet is told once it is known to have woken a thread of interest. */
static __always_inline void tell_packet(struct gd_cpu* cpu, __s32 tid) {
  if (cpu->packet_told) return;
  cpu->packet_told = 1;
  struct gd_net* record = reserve(cpu, GD_NET_RECEIVE, sizeof(*record), COUNT_ATOMIC);
  if (!record) return;
  __builtin_memset(record, 0, sizeof(*record));
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_NET_RECEIVE;
  record->in_softirq = 1;
  record->tid = tid;
  record->flow_id = cpu->packet_flow;
  record->interface = cpu->packet_interface;
  record->network = cpu->packet_network;
  record->bytes = cpu->packet_bytes;
  record->sequence = cpu->packet_sequence;
  submit(record);
}

static __always_inline int on_wake(__s32 wakee_tid, __s32 waker_tid, enum counting counting) {
  struct gd_cpu* cpu = this_cpu();
  if (only_targets) {
    if (!wake_concerns_targets(cpu, wakee_tid, waker_tid)) return 0;
    if (cpu->in_softirq && !cpu->in_hardirq && cpu->packet_interface) tell_packet(cpu, waker_tid);
  }
  struct gd_wake* record = reserve(cpu, GD_WAKE, sizeof(*record), counting);
  if (!record) return 0;
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_WAKE;
  record->wakee_tid = wakee_tid;
  record->waker_tid = waker_tid;
  record->vector = 0;
  record->device = 0;
  record->flow_id = 0;
  record->network = 0;
  record->how = tell_context(cpu, record, waker_tid);
  submit(record);
  return 0;
}

/* At sched_waking. The kernel holds a lock of the wakee there, with interrupts disabled, unless
 * that is the running task itself: a softirq that interrupted it just before it slept. */
static __always_inline int on_waking(__s32 wakee_tid, __s32 waker_tid) {
  if (wakee_tid == waker_tid) return on_wake(wakee_tid, waker_tid, COUNT_ATOMIC);
  return on_wake(wakee_tid, waker_tid, COUNT_PLAIN);
}

#endif
