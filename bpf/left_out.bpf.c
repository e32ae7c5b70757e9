// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Probes that the kernel leaves out. While it runs any program at a probe (or changes a map for a
 * process), it enters no other on that CPU, and before 6.7 it does not count that. There the
 * programs here stand at tracepoints beside the probes, and count. They run in the same context a
 * moment after the probe, so what holds now held then.
 */
#include "bpf/state.bpf.h"

/* libbpf compares the kinds of these types with the kernel's, in every backend. */
struct kprobe {
  int unused;
};
extern const int bpf_prog_active __ksym __weak;
extern struct kprobe* const current_kprobe __ksym __weak;

static __always_inline bool probes_are_left_out(void) {
  const int* programs = &bpf_prog_active ? bpf_this_cpu_ptr(&bpf_prog_active) : 0;
  if (programs && *programs) return true;
  struct kprobe* const* probe = &current_kprobe ? bpf_this_cpu_ptr(&current_kprobe) : 0;
  return probe && *probe;
}

static __always_inline int count_left_out(enum gd_kind kind) {
  if (recording != GD_RECORD_ALL || !probes_are_left_out()) return 0;
  __sync_fetch_and_add(&this_cpu()->left_out[kind], 1);
  return 0;
}

SEC("raw_tp/sched_switch")
int BPF_PROG(count_switch_left_out, bool preempt, struct task_struct* prev,
             struct task_struct* next) {
  if (only_targets && !role_of(BPF_CORE_READ(prev, pid)) && !role_of(BPF_CORE_READ(next, pid)))
    return 0;
  return count_left_out(GD_SWITCH);
}

SEC("raw_tp/sched_waking")
int BPF_PROG(count_wake_left_out, struct task_struct* wakee) {
  if (only_targets && !role_of(BPF_CORE_READ(wakee, pid)) && !role_of(current_tid())) return 0;
  return count_left_out(GD_WAKE);
}

SEC("raw_tp/irq_handler_entry")
int BPF_PROG(count_irq_left_out) { return count_left_out(GD_IRQ_RUN); }
