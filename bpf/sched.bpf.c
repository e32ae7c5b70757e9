// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Scheduling: the threads that leave and come to a CPU, and which thread wakes which, from
 * where. */
#include "bpf/sched.bpf.h"

SEC("tp_btf/sched_switch")
int BPF_PROG(tracepoint_switch, bool preempt, struct task_struct* prev, struct task_struct* next) {
  __u32 state = switch_has_prev_state ? (__u32)ctx[3] : task_state(prev);
  return on_switch(prev->pid, next->pid, state, preempt || typed_still_queued(prev));
}

SEC("raw_tp/sched_switch")
int BPF_PROG(raw_switch, bool preempt, struct task_struct* prev, struct task_struct* next) {
  __u32 state = switch_has_prev_state ? (__u32)ctx[3] : task_state(prev);
  return on_switch(BPF_CORE_READ(prev, pid), BPF_CORE_READ(next, pid), state,
                   preempt || still_queued(prev));
}

/* The published hook; recent kernels do not let it be probed. */
SEC("kprobe")
int BPF_KPROBE(kprobe_switch_to, struct task_struct* prev, struct task_struct* next) {
  return on_switch(BPF_CORE_READ(prev, pid), BPF_CORE_READ(next, pid), task_state(prev),
                   still_queued(prev));
}

/* Runs as the next task, before interrupts are enabled again: a concurrent waker can have changed
 * prev's state to TASK_WAKING by now (it then waits for us), never to running. */
SEC("kprobe")
int BPF_KPROBE(kprobe_finish_switch, struct task_struct* prev) {
  return on_switch(BPF_CORE_READ(prev, pid), current_tid(), task_state(prev), still_queued(prev));
}

/* Fires while the waker is still current, once it is certain that the wakee's state asks for it. */
SEC("tp_btf/sched_waking")
int BPF_PROG(tracepoint_wake, struct task_struct* wakee) {
  return on_waking(wakee->pid, current_tid());
}

/* try_to_wake_up does nothing unless the wakee's state is among those asked for. Checked here
 * without its lock: of two wakers within the same few nanoseconds both may be recorded, and the
 * first one counts. */
static __always_inline int on_try_to_wake_up(struct task_struct* wakee, __u32 states) {
  if (!(task_state(wakee) & states)) return 0;
  return on_wake(BPF_CORE_READ(wakee, pid), current_tid(), COUNT_ATOMIC);
}

SEC("kprobe")
int BPF_KPROBE(kprobe_wake, struct task_struct* wakee, unsigned int states) {
  return on_try_to_wake_up(wakee, states);
}

SEC("fentry/try_to_wake_up")
int BPF_PROG(fentry_wake, struct task_struct* wakee, unsigned int states) {
  return on_try_to_wake_up(wakee, states);
}
