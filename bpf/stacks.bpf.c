// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Stacks: where in its code a thread begins to wait, where it wakes another, and where it is while
 * it runs. The programs here stand beside those of the scheduling events or, at the tracepoints,
 * in their place: a recording without stacks pays nothing for them, and every backend gets the
 * same.
 *
 * A stack is written once (GD_STACK, with its addresses) and from then on told by the hash of its
 * contents. Chance decides which of many waits are looked at, see `chosen`.
 */
#include "bpf/sched.bpf.h"
#include "bpf/stack_scratch.bpf.h"
#include "bpf/unwind.bpf.h"

const volatile __u8 stack_mode __weak = GD_STACKS_OFF;
/* Some 100 ms in ticks of the kernel: reading the clock would cost as much as all other work for a
 * wait that is not chosen. */
const volatile __u64 window_ticks __weak = 25;
/* The time of a CPU in a window for stacks of waits and wakes. */
const volatile __u64 stack_budget_ns __weak = 300000;

/* Written definitions, of stacks and of things that threads wait for. The least used give way and
 * are written again when needed: the recorder gives equal stacks one id. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1); /* set to 65536 with stacks */
  __type(key, __u64);
  __type(value, __u8);
} stacks_told SEC(".maps");

#include "bpf/wait_object.bpf.h"

__u64 stacks_not_taken __weak; /* the scratch was in use, or the kernel gave no stack */

/* By the low bits of the thread id: threads that share an entry only share their shift. Those whose
 * ids follow each other, as a program's do, lie on different lines: on different CPUs they would
 * take one line from each other all the time. */
enum { RATES = 16384, RATES_ON_A_LINE = 64 / sizeof(struct gd_rate) };
static __always_inline __u32 rate_of(__s32 tid) {
  return ((__u32)tid * RATES_ON_A_LINE + (__u32)tid / (RATES / RATES_ON_A_LINE)) & (RATES - 1);
}
struct gd_rate wait_rates[RATES];
struct gd_rate wake_rates[RATES];
struct gd_rate cpu_rates[GD_MAX_CPUS];

enum {
  THREAD_STACKS = 8, /* in a window, about: then 80 a second and thread … */
  CPU_STACKS = 128,  /* … and 1,280 a second and CPU */
  MAX_SHIFT = 20,
  MAX_TIGHTNESS = 3, /* one of a thread is left */
};

/* A stack takes from 1 us to 20, by its depth and by the program's use of the caches. */
struct gd_stack_cost stack_costs[GD_MAX_CPUS];

/* Whether the last window was too dear decides how many stacks are wanted in the next. The sum over
 * the chosen stays unbiased, as the chance depends only on facts from before the draw. */
static __always_inline void pay_for_stack(__u64 spent_ns) {
  struct gd_stack_cost* cost = &stack_costs[bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1)];
  __u64 passed_ticks = bpf_jiffies64() - cost->window_start;
  if (passed_ticks >= window_ticks) {
    struct gd_cpu* cpu = this_cpu();
    if (cost->spent_ns > stack_budget_ns) {
      if (cpu->stack_tightness < MAX_TIGHTNESS) cpu->stack_tightness++;
    } else if (cpu->stack_tightness && cost->spent_ns < stack_budget_ns / 4) {
      cpu->stack_tightness--;
    }
    cost->window_start += passed_ticks;
    cost->spent_ns = 0;
  }
  cost->spent_ns += spent_ns;
}

/* xorshift64* (Marsaglia, Vigna): asking the kernel for each of millions of draws would cost more
 * than all the rest of a draw. */
static __always_inline __u32 random_number(struct gd_cpu* cpu) {
  __u64 x = cpu->random;
  if (!x) x = ((__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32()) | 1;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  cpu->random = x;
  return x * 0x2545f4914f6cdd1dull >> 32;
}

/* Whether this one is chosen, by chance: with a probability of 2^-shift. The shift comes from
 * earlier waits (their number in the last window, and so far in this), never from the present one,
 * whose length is not known yet. So a sum over the chosen, each counted 2^shift times, is unbiased.
 * A thread that waits seldom, and then long, is always chosen; a thread that waits a million times
 * a second, rarely. Two CPUs that meet in one entry may lose a count of `seen`: no harm. */
static __always_inline bool chosen(struct gd_cpu* cpu, struct gd_rate* rate, __u64 now_ticks,
                                   __u32 wanted, __u32* shift) {
  if (now_ticks - rate->window_start >= window_ticks) {
    __u32 fitting = 0;
    if (now_ticks - rate->window_start < 2 * window_ticks) {
      for (__u32 i = 0; i < MAX_SHIFT; i++)
        if (rate->seen >> i > wanted) fitting = i + 1;
    }
    rate->window_start = now_ticks;
    rate->seen = 0;
    rate->shift = fitting;
  }
  __u32 now_shift = rate->shift & 31;
  *shift += now_shift;
  rate->seen++;
  if (rate->seen > (2 * wanted) << now_shift && now_shift < MAX_SHIFT) rate->shift = now_shift + 1;
  return (random_number(cpu) & ((1u << now_shift) - 1)) == 0;
}

/* Mixes every address into one number, order included. */
static __always_inline __u64 hash_addresses(__u64 hash, const __u64* addresses, __u32 count,
                                            __u32 most) {
  for (__u32 i = 0; i < most; i++) {
    if (i >= count) break;
    hash = (hash ^ addresses[i]) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  return hash;
}

/* The kernel follows frame pointers. In code without them (many distributions' libraries) it
 * follows the bytes in that register: a different nonsense each time. An entry that is no return
 * address is cut off with all behind it; the innermost, where the thread is, is always right. */
__attribute__((noinline)) int cut_nonsense(__u32 place) {
  struct gd_stack_scratch* scratch = bpf_map_lookup_elem(&scratches, &place);
  if (!scratch) return 0;
  struct gd_stack* stack = &scratch->stack;
  for (__u32 i = 1; i < GD_USER_FRAMES; i++) {
    if (i >= stack->user_frames) break;
    if (follows_call(stack->user[i])) continue;
    stack->user_frames = i;
    break;
  }
  return 0;
}

#if defined(__TARGET_ARCH_x86)
/* Whether the code at this address has just made a system call and returns right after it: compare
 * the result with the errors, jump if it is one, return. So end libc's plain wrappers. Only then is
 * it certain that the stack pointer points at a return address; elsewhere an old one may lie there.
 */
static __always_inline bool returns_after_system_call(__u64 address) {
  __u8 code[11]; /* syscall; cmp $..f0xx,%rax; jcc; ret */
  if (bpf_probe_read_user(code, sizeof(code), (const void*)(address - 2))) return false;
  return code[0] == 0x0f && code[1] == 0x05 && code[2] == 0x48 && code[3] == 0x3d &&
         code[5] == 0xf0 && code[6] == 0xff && code[7] == 0xff && (code[8] & 0xf0) == 0x70 &&
         code[10] == 0xc3;
}
#endif

/* A function without a frame of its own hides its caller from a walk along frame pointers. If it
 * makes a system call, the return address lies where the stack pointer points. */
static __always_inline void find_hidden_caller(struct gd_stack* stack) {
#if defined(__TARGET_ARCH_x86)
  if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) return; /* 5.15+ */
  struct pt_regs* registers =
      (struct pt_regs*)bpf_task_pt_regs((struct task_struct*)bpf_get_current_task_btf());
  if (!returns_after_system_call(stack->user[0])) return;
  __u64 stack_pointer = PT_REGS_SP(registers);
  __u64 caller = 0;
  if (bpf_probe_read_user(&caller, sizeof(caller), (const void*)stack_pointer)) return;
  if (caller != stack->user[1] && follows_call(caller)) stack->hidden_caller = caller;
#endif
}

static __always_inline void follow_frame_pointers(void* ctx, struct gd_stack* stack, __u32 place) {
  long user_bytes = bpf_get_stack(ctx, stack->user, sizeof(stack->user), BPF_F_USER_STACK);
  stack->user_frames = user_bytes > 0 ? user_bytes / sizeof(__u64) : 0; /* kernel threads: none */
  cut_nonsense(place);
  stack->hidden_caller = 0;
  if (stack->user_frames) find_hidden_caller(stack);
}

/* Of the stack in that place, into its hash. */
__attribute__((noinline)) int hash_stack(__u32 place) {
  struct gd_stack_scratch* scratch = bpf_map_lookup_elem(&scratches, &place);
  if (!scratch) return 0;
  struct gd_stack* stack = &scratch->stack;
  __u64 hash = 0x243f6a8885a308d3ull ^ (__u32)stack->tgid ^ stack->hidden_caller << 16;
  hash = hash_addresses(hash, stack->kernel, stack->kernel_frames, GD_KERNEL_FRAMES);
  hash = hash_addresses(hash ^ 1, stack->user, stack->user_frames, GD_USER_FRAMES);
  stack->hash = hash ? hash : 1;
  return 0;
}

/* The hash of the current stack, its definition written if need be; 0 if there is none. */
static __always_inline __u64 tell_stack(void* ctx, struct gd_cpu* cpu, struct gd_stack* stack,
                                        __u32 place) {
  long kernel_bytes = bpf_get_stack(ctx, stack->kernel, sizeof(stack->kernel), 0);
  stack->kernel_frames = kernel_bytes > 0 ? kernel_bytes / sizeof(__u64) : 0;
  if (!unwind_user(stack, place)) follow_frame_pointers(ctx, stack, place);
  if (!stack->kernel_frames && !stack->user_frames) return 0;
  stack->tgid = stack->user_frames ? bpf_get_current_pid_tgid() >> 32 : 0;
  hash_stack(place);
  __u64 hash = stack->hash;
  if (bpf_map_lookup_elem(&stacks_told, &hash)) return hash;

  void* record = reserve(cpu, GD_STACK, sizeof(*stack), COUNT_ATOMIC);
  if (!record) return hash; /* counted as lost; the next of its kind tries again */
  stack->time_ns = bpf_ktime_get_ns();
  stack->kind = GD_STACK;
  bpf_probe_read_kernel(record, sizeof(*stack), stack);
  submit(record);
  __u8 told = 1;
  bpf_map_update_elem(&stacks_told, &hash, &told, BPF_ANY);
  return hash;
}

static __always_inline void sample(void* ctx, enum gd_stack_moment moment, __u32 scratch_index,
                                   __u32 weight_log2) {
  if (recording != GD_RECORD_ALL) return;
  __u64 start_ns = moment == GD_STACK_CPU ? 0 : bpf_ktime_get_ns();
  struct gd_stack_scratch* scratch = bpf_map_lookup_elem(&scratches, &scratch_index);
  if (!scratch || __sync_lock_test_and_set(&scratch->busy, 1)) {
    __sync_fetch_and_add(&stacks_not_taken, 1);
    return;
  }
  struct gd_cpu* cpu = this_cpu();
  __u64 hash = tell_stack(ctx, cpu, &scratch->stack, scratch_index);
  __u64 object_hash =
      moment == GD_STACK_WAIT ? tell_wait_object(cpu, &scratch->wait, scratch_index) : 0;
  __sync_lock_test_and_set(&scratch->busy, 0);
  if (!hash) __sync_fetch_and_add(&stacks_not_taken, 1);
  __u64 now_ns = bpf_ktime_get_ns();
  if (moment != GD_STACK_CPU) pay_for_stack(now_ns - start_ns);
  struct gd_stack_sample* record = reserve(cpu, GD_STACK_SAMPLE, sizeof(*record), COUNT_ATOMIC);
  if (!record) return;
  record->time_ns = now_ns;
  record->kind = GD_STACK_SAMPLE;
  record->moment = moment;
  record->weight_log2 = weight_log2;
  record->unused = 0;
  record->tid = current_tid();
  record->hash = hash;
  record->object_hash = object_hash;
  submit(record);
}

/* Two draws, so that neither a thread nor a CPU takes too many: their chances multiply. */
static __always_inline bool drawn(struct gd_cpu* cpu, struct gd_rate* thread_rate, __u32* shift) {
  if (stack_mode == GD_STACKS_ALL) return true;
  __u64 now_ticks = bpf_jiffies64();
  __u32 tightness = cpu->stack_tightness & MAX_TIGHTNESS;
  if (!chosen(cpu, thread_rate, now_ticks, THREAD_STACKS >> tightness, shift)) return false;
  struct gd_rate* cpu_rate = &cpu_rates[bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1)];
  return chosen(cpu, cpu_rate, now_ticks, CPU_STACKS >> tightness, shift);
}

/* Apart, and called only for those that were drawn: the others pay little. */
static __noinline int sample_wait(void* ctx, __u32 weight_log2) {
  sample(ctx, GD_STACK_WAIT, SCRATCH_SCHEDULING, weight_log2);
  return 0;
}

static __noinline int sample_wake(void* ctx, __u32 weight_log2) {
  sample(ctx, GD_STACK_WAKE, SCRATCH_SCHEDULING, weight_log2);
  return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(tracepoint_switch_with_stack, bool preempt, struct task_struct* prev,
             struct task_struct* next) {
  __u32 state = switch_has_prev_state ? (__u32)ctx[3] : task_state(prev);
  bool queued = preempt || typed_still_queued(prev);
  __s32 tid = prev->pid;
  on_switch(tid, next->pid, state, queued);
  if (!tid || queued || !state) return 0;
  if (only_targets && !role_of(tid)) return 0;
  __u32 shift = 0;
  if (drawn(this_cpu(), &wait_rates[rate_of(tid)], &shift)) sample_wait(ctx, shift);
  return 0;
}

/* A wake from an interrupt does not come from the code it interrupted. */
static __always_inline bool is_own_deed(struct gd_cpu* cpu, __s32 tid) {
  return tid && !cpu->in_hardirq && !cpu->in_softirq && !cpu->soft_timer;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(tracepoint_wake_with_stack, struct task_struct* wakee) {
  __s32 wakee_tid = wakee->pid;
  __s32 tid = current_tid();
  on_waking(wakee_tid, tid);
  if (!is_own_deed(this_cpu(), tid)) return 0;
  if (only_targets && !role_of(tid) && !role_of(wakee_tid)) return 0;
  __u32 shift = 0;
  if (drawn(this_cpu(), &wake_rates[rate_of(tid)], &shift)) sample_wake(ctx, shift);
  return 0;
}

/* The same beside programs at other hooks.
 *
 * A task that was woken meanwhile stays on its queue, and does not wait. That is rare and dear to
 * look for from here, so only drawn tasks are checked. The others' part in the draw changes nothing
 * of the chance of each. */
SEC("raw_tp/sched_switch")
int BPF_PROG(raw_wait_stack, bool preempt, struct task_struct* prev, struct task_struct* next) {
  __s32 tid = current_tid(); /* prev still is */
  __u32 state = switch_has_prev_state ? (__u32)ctx[3] : task_state(prev);
  if (!tid || preempt || !state) return 0;
  if (only_targets && !role_of(tid)) return 0;
  __u32 shift = 0;
  if (drawn(this_cpu(), &wait_rates[rate_of(tid)], &shift) && !still_queued(prev))
    sample_wait(ctx, shift);
  return 0;
}

SEC("raw_tp/sched_waking")
int BPF_PROG(raw_wake_stack, struct task_struct* wakee) {
  __s32 tid = current_tid();
  if (!is_own_deed(this_cpu(), tid)) return 0;
  if (only_targets && !role_of(tid) && !role_of(BPF_CORE_READ(wakee, pid))) return 0;
  __u32 shift = 0;
  if (drawn(this_cpu(), &wake_rates[rate_of(tid)], &shift)) sample_wake(ctx, shift);
  return 0;
}

const volatile __u64 sample_period_ns __weak = 0;

/* The kernel leaves out samples and does not count them: while it runs another program at a probe,
 * when it throttles them, and when the CPU itself stood still. The clock tells. Samples are due at
 * equal distances and may come late, but never before: the earliest tells when they are due. */
static __always_inline void count_missed_samples(struct gd_cpu* cpu) {
  if (!sample_period_ns) return;
  __u64 now_ns = bpf_ktime_get_ns();
  __u64 periods = (now_ns - cpu->sample_due_ns) / sample_period_ns;
  if (!cpu->sample_due_ns || !periods) {
    cpu->sample_due_ns = now_ns;
    return;
  }
  cpu->samples_missed += periods - 1;
  cpu->sample_due_ns += periods * sample_period_ns;
}

/* Opened by the recorder on the software clock of every CPU. */
SEC("perf_event")
int cpu_stack(struct bpf_perf_event_data* ctx) {
  if (recording == GD_RECORD_ALL) count_missed_samples(this_cpu());
  __s32 tid = current_tid();
  if (!tid || (only_targets && !role_of(tid))) return 0;
  sample(ctx, GD_STACK_CPU, SCRATCH_CPU, 0);
  return 0;
}
