// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Differences between kernels, each in one place, each naming the change. */
#ifndef GORDIAN_BPF_CORE_FIXES_H
#define GORDIAN_BPF_CORE_FIXES_H

#include "bpf/kernel_types.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* 5.14 renamed task_struct.state to __state (2f064a59a11f). */
static __always_inline __u32 task_state(struct task_struct* task) {
  if (bpf_core_field_exists(task->__state)) return BPF_CORE_READ(task, __state);
  return (__u32)BPF_CORE_READ((struct task_struct___old*)task, state);
}

/* 6.12 leaves a sleeping task on its run queue for a while ("delayed dequeue"): on_rq alone no
 * longer says runnable. */
static __always_inline bool task_sleeps_on_queue(struct task_struct* task) {
  if (!bpf_core_field_exists(task->se.sched_delayed)) return false;
  return BPF_CORE_READ(task, se.sched_delayed);
}

/* A task that was preempted, or yielded, or found a signal pending, stays on its queue, regardless
 * of its state (from 5.18 to 6.14 sched_switch told the state from before the signal was seen). The
 * queue is locked here: no CPU wakes it now. */
static __always_inline bool still_queued(struct task_struct* task) {
  return BPF_CORE_READ(task, on_rq) && !task_sleeps_on_queue(task);
}

/* 5.17 removed request.rq_disk; the disk is found through the queue (f3fa33acca9f). */
static __always_inline struct gendisk* request_disk(struct request* request) {
  struct request___old* old = (void*)request;
  if (bpf_core_field_exists(old->rq_disk)) return BPF_CORE_READ(old, rq_disk);
  return BPF_CORE_READ(request, q, disk);
}

#endif
