// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Interrupts: the one that each CPU is serving, so that wakes know their origin. Totals per vector
 * always; a run of its own only if it took long or woke a thread (by more than the packet that the
 * interrupted thread just sent over loopback). */
#include "bpf/state.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 16384);
  __type(key, struct gd_irq_key);
  __type(value, struct gd_run_total);
} hardirq_totals SEC(".maps") __weak;

static __always_inline void emit_run(struct gd_cpu* cpu, __u64 end_ns, __u64 duration_ns,
                                     __u32 vector, bool hard, bool woke) {
  if (only_targets ? !woke : !woke && duration_ns < irq_threshold_ns) return;
  struct gd_irq_run* record = reserve(cpu, GD_IRQ_RUN, sizeof(*record), COUNT_ATOMIC);
  if (!record) return;
  record->time_ns = end_ns;
  record->kind = GD_IRQ_RUN;
  record->hard = hard;
  record->woke = woke;
  record->unused = 0;
  record->vector = vector;
  record->duration_ns = duration_ns;
  submit(record);
}

static __always_inline int softirq_begins(__u32 vector) {
  struct gd_cpu* cpu = this_cpu();
  cpu->softirq_vector = vector;
  cpu->softirq_start_ns = bpf_ktime_get_ns();
  cpu->soft_woke = 0;
  cpu->soft_timer = 0;
  cpu->soft_disk = 0;
  cpu->packet_interface = 0;
  cpu->in_softirq = 1;
  return 0;
}

/* Softirqs end with interrupts enabled, and may be preempted on some kernels. */
static __always_inline void add_run(struct gd_run_total* total, __u64 duration_ns) {
  __sync_fetch_and_add(&total->count, 1);
  __sync_fetch_and_add(&total->duration_ns, duration_ns);
}

static __always_inline int softirq_ends(__u32 vector) {
  struct gd_cpu* cpu = this_cpu();
  if (!cpu->in_softirq) return 0; /* its beginning was not seen */
  cpu->in_softirq = 0;
  __u64 now_ns = bpf_ktime_get_ns();
  __u64 duration_ns = now_ns - cpu->softirq_start_ns;
  add_run(&cpu->softirqs[vector & (GD_SOFTIRQ_SLOTS - 1)], duration_ns);
  emit_run(cpu, now_ns, duration_ns, vector, false, cpu->soft_woke);
  return 0;
}

static __always_inline int hardirq_begins(__u32 irq) {
  struct gd_cpu* cpu = this_cpu();
  cpu->irq = irq > GD_IRQ_MAX_REAL && irq < GD_IRQ_LOCAL_TIMER ? GD_IRQ_MAX_REAL : irq;
  cpu->hardirq_start_ns = bpf_ktime_get_ns();
  cpu->hard_woke = 0;
  cpu->hard_timer = 0;
  cpu->hard_disk = 0;
  cpu->in_hardirq = 1;
  return 0;
}

static __always_inline void add_hardirq(__u32 irq, __u64 duration_ns) {
  struct gd_irq_key key = {.cpu = bpf_get_smp_processor_id(), .irq = irq};
  struct gd_run_total* total = bpf_map_lookup_elem(&hardirq_totals, &key);
  if (!total) {
    /* It fails if another program was faster, which is as good. */
    struct gd_run_total none = {};
    bpf_map_update_elem(&hardirq_totals, &key, &none, BPF_NOEXIST);
    total = bpf_map_lookup_elem(&hardirq_totals, &key);
  }
  if (total)
    add_run(total, duration_ns);
  else
    __sync_fetch_and_add(&this_cpu()->irq_runs_not_kept, 1);
}

static __always_inline int hardirq_ends(void) {
  struct gd_cpu* cpu = this_cpu();
  if (!cpu->in_hardirq) return 0;
  cpu->in_hardirq = 0;
  __u64 now_ns = bpf_ktime_get_ns();
  __u64 duration_ns = now_ns - cpu->hardirq_start_ns;
  if (cpu->irq == GD_IRQ_LOCAL_TIMER)
    add_run(&cpu->local_timer, duration_ns); /* as frequent as all others together */
  else
    add_hardirq(cpu->irq, duration_ns);
  emit_run(cpu, now_ns, duration_ns, cpu->irq, true, cpu->hard_woke);
  return 0;
}

/* Inter-processor interrupts come with every remote wake-up: only their context is kept, no time is
 * taken. */
static __always_inline int ipi_begins(__u32 irq) {
  struct gd_cpu* cpu = this_cpu();
  cpu->irq = irq;
  cpu->hard_timer = 0;
  cpu->hard_disk = 0;
  cpu->in_hardirq = 1;
  return 0;
}

static __always_inline int ipi_ends(void) {
  this_cpu()->in_hardirq = 0;
  return 0;
}

/* Only while the timer's function runs: wakes before and after it in the same interrupt are not the
 * timer's. */
static __always_inline int timer_expires(bool begins) {
  struct gd_cpu* cpu = this_cpu();
  if (cpu->in_hardirq)
    cpu->hard_timer = begins;
  else
    cpu->soft_timer = begins;
  return 0;
}

SEC("raw_tp/softirq_entry")
int BPF_PROG(raw_softirq_entry, unsigned int vector) { return softirq_begins(vector); }

SEC("raw_tp/softirq_exit")
int BPF_PROG(raw_softirq_exit, unsigned int vector) { return softirq_ends(vector); }

/* The handlers of single vectors; the attachment tells which one. The tracepoints above fire around
 * them: what begins again within its beginning, and ends again behind its end, changes nothing. */
SEC("kprobe")
int BPF_KPROBE(kprobe_softirq_entry) { return softirq_begins(bpf_get_attach_cookie(ctx)); }

SEC("kretprobe")
int BPF_KRETPROBE(kprobe_softirq_exit) { return softirq_ends(bpf_get_attach_cookie(ctx)); }

SEC("raw_tp/irq_handler_entry")
int BPF_PROG(raw_irq_entry, int irq) { return hardirq_begins(irq); }

SEC("raw_tp/irq_handler_exit")
int BPF_PROG(raw_irq_exit) { return hardirq_ends(); }

SEC("kprobe")
int BPF_KPROBE(kprobe_irq_entry, struct irq_desc* desc) {
  return hardirq_begins(BPF_CORE_READ(desc, irq_data.irq));
}

SEC("kretprobe")
int BPF_KRETPROBE(kprobe_irq_exit) { return hardirq_ends(); }

SEC("raw_tp/local_timer_entry")
int BPF_PROG(raw_local_timer_entry) { return hardirq_begins(GD_IRQ_LOCAL_TIMER); }

SEC("raw_tp/local_timer_exit")
int BPF_PROG(raw_local_timer_exit) { return hardirq_ends(); }

SEC("raw_tp/call_function_entry")
int BPF_PROG(raw_call_function_entry) { return ipi_begins(GD_IRQ_CALL_FUNCTION); }

SEC("raw_tp/call_function_exit")
int BPF_PROG(raw_call_function_exit) { return ipi_ends(); }

SEC("raw_tp/call_function_single_entry")
int BPF_PROG(raw_call_single_entry) { return ipi_begins(GD_IRQ_CALL_FUNCTION); }

SEC("raw_tp/call_function_single_exit")
int BPF_PROG(raw_call_single_exit) { return ipi_ends(); }

SEC("raw_tp/irq_work_entry")
int BPF_PROG(raw_irq_work_entry) { return ipi_begins(GD_IRQ_WORK); }

SEC("raw_tp/irq_work_exit")
int BPF_PROG(raw_irq_work_exit) { return ipi_ends(); }

SEC("raw_tp/hrtimer_expire_entry")
int BPF_PROG(raw_hrtimer_entry) { return timer_expires(true); }

SEC("raw_tp/hrtimer_expire_exit")
int BPF_PROG(raw_hrtimer_exit) { return timer_expires(false); }

SEC("raw_tp/timer_expire_entry")
int BPF_PROG(raw_timer_entry) { return timer_expires(true); }

SEC("raw_tp/timer_expire_exit")
int BPF_PROG(raw_timer_exit) { return timer_expires(false); }
