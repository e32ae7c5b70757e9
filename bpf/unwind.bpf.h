// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Follows a user stack by the tables that the recorder made of the frame information in programs
 * and libraries (unwind_tables.h): so code without frame pointers shows its callers all the same.
 * Only saved registers are read, a word or two for each frame; no copy of a stack leaves the
 * kernel.
 */
#ifndef GORDIAN_BPF_UNWIND_H
#define GORDIAN_BPF_UNWIND_H

#include "bpf/stack_scratch.bpf.h"
#include "bpf/unwind_tables.h"

/* Whether an instruction that calls stands before this address: so it does before every return
 * address, and rarely before any other word. */
static __always_inline bool follows_call(__u64 address) {
#if defined(__TARGET_ARCH_x86)
  __u8 before[8]; /* the last of them stands just before the address */
  if (address < sizeof(before)) return false;
  if (bpf_probe_read_user(before, sizeof(before), (const void*)(address - sizeof(before))))
    return false;
  if (before[3] == 0xe8) return true; /* call, relative */
  /* call, through a register or memory: ff /2, with 0, 1 or 4 bytes of displacement, and maybe a
   * byte of scaled index before those */
  return (before[6] == 0xff && ((before[7] & 0xf8) == 0xd0 || (before[7] & 0xf8) == 0x10)) ||
         (before[5] == 0xff && ((before[6] & 0xf8) == 0x50 || before[6] == 0x14)) ||
         (before[4] == 0xff && before[5] == 0x54) ||
         (before[2] == 0xff && ((before[3] & 0xf8) == 0x90 || before[3] == 0x15)) ||
         (before[1] == 0xff && before[2] == 0x94);
#elif defined(__TARGET_ARCH_arm64)
  __u32 before;
  if (bpf_probe_read_user(&before, sizeof(before), (const void*)(address - 4))) return false;
  return (before & 0xfc000000) == 0x94000000 || (before & 0xfffffc1f) == 0xd63f0000; /* bl, blr */
#else
  return true;
#endif
}

#if defined(__TARGET_ARCH_x86)

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1); /* set to GD_UNWIND_PROCESSES with stacks */
  __type(key, __s32);
  __type(value, struct gd_unwind_process);
} unwind_processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1); /* set to GD_UNWIND_SETS with stacks */
  __type(key, __u32);
  __type(value, struct gd_unwind_mappings);
} unwind_mappings SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1); /* set to GD_UNWIND_CHUNKS with stacks */
  __type(key, __u32);
  __array(
      values, struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1);
        __uint(map_flags, BPF_F_MMAPABLE);
        __type(key, __u32);
        __uint(value_size, sizeof(struct gd_unwind_chunk));
      });
} unwind_chunks SEC(".maps");

/* The frame that is looked at. */
struct gd_unwind_state {
  __u64 address;
  __u64 stack; /* the stack pointer */
  __u64 frame; /* the frame register, rbp */
  struct gd_unwind_process process;
  __u8 returns; /* the address is one to return to: the code is that before it */
  __u8 guessed; /* the address was found by the frame register, by code that may not keep one */
  __u8 ever_guessed;
  __u8 innermost; /* where the thread itself is */
};

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 2); /* places as in stacks.bpf.c */
  __type(key, __u32);
  __type(value, struct gd_unwind_state);
} unwind_states SEC(".maps");

__s32 unwind_missed[GD_UNWIND_MISSES];
__u64 unwind_counts[GD_UNWIND_COUNTS];

/* PF_KTHREAD, PF_EXITING: no code of a user's runs there any more. */
enum { FLAG_KTHREAD = 0x00200000, FLAG_EXITING = 4 };

enum unwind_step { STEP_CALLER, STEP_END, STEP_LOST, STEP_OUTSIDE, STEP_UNTOLD };

/* Of `count` sorted entries from `first` on, the last whose key is not above `wanted`; the first if
 * all are. Halves the rest each time, 16 times at most: without a branch on read values, since the
 * verifier would follow both ways of each. */
#define LAST_NOT_ABOVE(entries, key, mask, first, count, wanted)                      \
  ({                                                                                  \
    __u64 low_ = (first), left_ = (count);                                            \
    for (int i_ = 0; i_ < 16; i_++) {                                                 \
      if (left_ <= 1) break;                                                          \
      __u64 half_ = left_ >> 1;                                                       \
      __s64 above_ = (__s64)(wanted) - (__s64)(entries)[(low_ + half_) & (mask)].key; \
      __u64 take_ = ~(__u64)(above_ >> 63);                                           \
      asm volatile("" : "+r"(take_)); /* keeps it a number */                         \
      low_ += half_ & take_;                                                          \
      left_ -= half_;                                                                 \
    }                                                                                 \
    low_&(mask);                                                                      \
  })

/* The caller's place by the frame register alone: right where code keeps one. */
static __always_inline enum unwind_step step_by_frame(struct gd_unwind_state* state) {
  __u64 saved[2]; /* the caller's frame register, the return address */
  if (state->frame < state->stack) return STEP_LOST;
  if (bpf_probe_read_user(saved, sizeof(saved), (const void*)state->frame)) return STEP_LOST;
  if (!follows_call(saved[1])) return STEP_LOST;
  state->stack = state->frame + sizeof(saved);
  state->frame = saved[0];
  state->address = saved[1];
  state->returns = 1;
  state->guessed = state->ever_guessed = 1;
  return STEP_CALLER;
}

/* The kernel has put the registers of the interrupted code on the stack (struct rt_sigframe, part
 * of what user space relies on). */
static __always_inline enum unwind_step step_over_signal(struct gd_unwind_state* state) {
  struct {
    __u64 frame, unused[4], stack, address;
  } saved;
  if (bpf_probe_read_user(&saved, sizeof(saved), (const void*)(state->stack + 120)))
    return STEP_LOST;
  state->stack = saved.stack; /* maybe another stack: not always above */
  state->frame = saved.frame;
  state->address = saved.address;
  state->returns = 0;
  state->guessed = 0;
  return STEP_CALLER;
}

static __always_inline enum unwind_step step_by_row(struct gd_unwind_state* state,
                                                    const struct gd_unwind_row* row) {
  __u64 cfa, frame_at;
  __s64 cfa_words = row->cfa_words;
  __s64 frame_words = row->frame_words;
  switch (row->rule) {
    case GD_UNWIND_END:
      return STEP_END;
    case GD_UNWIND_STACK:
      cfa = state->stack + cfa_words * 8;
      break;
    case GD_UNWIND_FRAME:
      cfa = state->frame + cfa_words * 8;
      break;
    case GD_UNWIND_PLT:
      cfa = state->stack + ((__s64)(state->address & 15) >= cfa_words ? 16 : 8);
      break;
    case GD_UNWIND_REALIGNED:
      if (bpf_probe_read_user(&cfa, sizeof(cfa), (const void*)(state->frame + cfa_words * 8)))
        return STEP_LOST;
      break;
    case GD_UNWIND_SIGNAL:
      return step_over_signal(state);
    default:
      return step_by_frame(state);
  }
  /* A caller's frame is above. This also ends every circle. */
  if (cfa <= state->stack) return STEP_LOST;
  __u64 saved[2];
  if (row->rule == GD_UNWIND_REALIGNED || (frame_words != 0 && frame_words != -2)) {
    frame_at = row->rule == GD_UNWIND_REALIGNED ? state->frame : cfa;
    if (bpf_probe_read_user(&saved[0], sizeof(__u64), (const void*)(frame_at + frame_words * 8)))
      return STEP_LOST;
    if (bpf_probe_read_user(&saved[1], sizeof(__u64), (const void*)(cfa - 8))) return STEP_LOST;
    state->frame = saved[0];
  } else if (frame_words) { /* side by side, as most often */
    if (bpf_probe_read_user(saved, sizeof(saved), (const void*)(cfa - 16))) return STEP_LOST;
    state->frame = saved[0];
  } else {
    if (bpf_probe_read_user(&saved[1], sizeof(__u64), (const void*)(cfa - 8))) return STEP_LOST;
  }
  if (!saved[1]) return STEP_END;
  state->stack = cfa;
  state->address = saved[1];
  state->returns = 1;
  state->guessed = 0;
  return STEP_CALLER;
}

/* From the frame in that place to its caller's. A function of its own for the verifier, which looks
 * at it once and not once for each of a hundred frames. */
__attribute__((noinline)) int unwind_to_caller(__u32 place) {
  struct gd_unwind_state* state = bpf_map_lookup_elem(&unwind_states, &place);
  if (!state) return STEP_LOST;
  __u32 set = state->process.set;
  struct gd_unwind_mappings* mappings = bpf_map_lookup_elem(&unwind_mappings, &set);
  /* The place was given to other rows meanwhile: as good as no row. */
  if (!mappings || mappings->generation != state->process.generation) return STEP_OUTSIDE;

  __u64 code = state->address - (state->returns ? 1 : 0);
  if (code >> 47) return STEP_OUTSIDE; /* no user's; and what follows may count on it */
  __u32 count = mappings->count;
  struct gd_unwind_range* range =
      &mappings
           ->ranges[LAST_NOT_ABOVE(mappings->ranges, start, GD_UNWIND_RANGES - 1, 0, count, code)];
  __u32 chunk_index = range->chunk;
  if (chunk_index == GD_UNWIND_OUTSIDE) return STEP_OUTSIDE;
  if (chunk_index == GD_UNWIND_NO_TABLE)
    return state->innermost ? STEP_UNTOLD : step_by_frame(state);
  state->innermost = 0;

  __u32 only = 0;
  void* inner = bpf_map_lookup_elem(&unwind_chunks, &chunk_index);
  if (!inner) return STEP_LOST;
  struct gd_unwind_chunk* chunk = bpf_map_lookup_elem(inner, &only);
  if (!chunk) return STEP_LOST;
  __u64 wanted = code - range->bias;
  __u32 rows = range->rows ? range->rows : GD_UNWIND_CHUNK_ROWS;
  struct gd_unwind_row* row = &chunk->rows[LAST_NOT_ABOVE(
      chunk->rows, address, GD_UNWIND_CHUNK_ROWS - 1, range->first_row, rows, wanted)];
  if ((__s64)row->address > (__s64)wanted) return step_by_frame(state); /* before the first row */
  return step_by_row(state, row);
}

/* Fills in the user's frames of the stack in that place. Returns the last step, and above 8 bits
 * how many frames there are. */
__attribute__((noinline)) int follow_tables(__u32 place) {
  struct gd_stack_scratch* scratch = bpf_map_lookup_elem(&scratches, &place);
  struct gd_unwind_state* state = bpf_map_lookup_elem(&unwind_states, &place);
  if (!scratch || !state) return STEP_OUTSIDE;
  enum unwind_step step = STEP_OUTSIDE;
  __u32 frames = 0;
  for (__u32 i = 0; i < GD_USER_FRAMES; i++) {
    scratch->stack.user[i] = state->address;
    frames = i + 1;
    step = unwind_to_caller(place);
    if (step != STEP_CALLER) break;
  }
  return (step & 0xff) | frames << 8;
}

static __always_inline void count_unwinding(enum gd_unwind_count what) {
  __sync_fetch_and_add(&unwind_counts[what], 1);
}

/* Fills in the user's part of the stack. False, without a change, if there are no tables for the
 * thread's code: the recorder hears of it and may make tables for the next time. */
static __always_inline bool unwind_user(struct gd_stack* stack, __u32 place) {
  stack->user_frames = 0;
  stack->exact = 0;
  stack->hidden_caller = 0;
  if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) return false;
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  if (task->flags & (FLAG_KTHREAD | FLAG_EXITING)) return false;
  __s32 tgid = bpf_get_current_pid_tgid() >> 32;
  struct gd_unwind_state* state = bpf_map_lookup_elem(&unwind_states, &place);
  struct gd_unwind_process* process = bpf_map_lookup_elem(&unwind_processes, &tgid);
  enum unwind_step step = STEP_OUTSIDE;
  __u32 frames = 0;
  if (state && process) {
    struct pt_regs* registers = (struct pt_regs*)bpf_task_pt_regs(task);
    state->address = PT_REGS_IP(registers);
    state->stack = PT_REGS_SP(registers);
    state->frame = PT_REGS_FP(registers);
    state->process = *process;
    state->returns = state->guessed = state->ever_guessed = 0;
    state->innermost = 1;
    const __u32 followed = follow_tables(place);
    step = followed & 0xff;
    frames = followed >> 8;
  }
  if (step == STEP_OUTSIDE) unwind_missed[tgid & (GD_UNWIND_MISSES - 1)] = tgid;
  if (step == STEP_UNTOLD || (step == STEP_OUTSIDE && frames <= 1)) {
    count_unwinding(GD_UNWIND_BY_FRAME_POINTERS);
    return false;
  }
  /* Code that was loaded since; but a guess that leads outside was wrong. */
  if (step == STEP_OUTSIDE && state && state->guessed) frames--;
  stack->user_frames = frames;
  stack->exact = state && !state->ever_guessed;
  count_unwinding(step == STEP_END      ? GD_UNWIND_WHOLE
                  : step == STEP_CALLER ? GD_UNWIND_TOO_DEEP
                                        : GD_UNWIND_IN_PART);
  return true;
}

/* A forked process has the mappings of its parent. If the recorder forgets those, the generation
 * tells. */
SEC("raw_tp/sched_process_fork")
int BPF_PROG(raw_unwind_fork, struct task_struct* parent, struct task_struct* child) {
  __s32 parent_tgid = BPF_CORE_READ(parent, tgid);
  __s32 tgid = BPF_CORE_READ(child, tgid);
  if (tgid == parent_tgid) return 0;
  struct gd_unwind_process* process = bpf_map_lookup_elem(&unwind_processes, &parent_tgid);
  if (!process) return 0;
  struct gd_unwind_process copy = *process;
  bpf_map_update_elem(&unwind_processes, &tgid, &copy, BPF_ANY);
  return 0;
}

SEC("raw_tp/sched_process_exec")
int BPF_PROG(raw_unwind_exec, struct task_struct* task) {
  __s32 tgid = BPF_CORE_READ(task, tgid);
  bpf_map_delete_elem(&unwind_processes, &tgid);
  return 0;
}

/* With the first thread; if others live on, they are looked at anew. */
SEC("raw_tp/sched_process_exit")
int BPF_PROG(raw_unwind_exit, struct task_struct* task) {
  __s32 tgid = BPF_CORE_READ(task, tgid);
  if (tgid == BPF_CORE_READ(task, pid)) bpf_map_delete_elem(&unwind_processes, &tgid);
  return 0;
}

#else

static __always_inline bool unwind_user(struct gd_stack* stack, __u32 place) { return false; }

#endif

#endif
