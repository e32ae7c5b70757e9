// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The shared part of all programs: settings, maps, the state of the CPU, and the writing of
 * records.
 *
 * Maps and settings are weak definitions, so that every family's object can stand alone; the linker
 * keeps one of each.
 */
#ifndef GORDIAN_BPF_STATE_H
#define GORDIAN_BPF_STATE_H

#include "bpf/core_fixes.bpf.h"
#include "bpf/events.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Settings, written before the programs load. */
const volatile bool only_targets __weak = false;
const volatile __u64 irq_threshold_ns __weak = 100000;
const volatile bool switch_has_prev_state __weak =
    false; /* sched_switch passes prev_state: 5.18+ (fa2c3254d7cf) */
const volatile bool target_comms_set __weak = false;
const volatile bool target_cgroups_set __weak = false;

struct gd_cpu cpus[GD_MAX_CPUS] __weak;

/* Hooks attach and detach one after another, which takes up to some 100 ms. Between them the
 * programs keep their state (requests in flight, membership) but write nothing. The recorder sets
 * this when all are attached and clears it before the first is detached, so that a recording begins
 * and ends for all kinds of events at once. Of enum gd_recording. On a line of its own: it is read
 * with every record and hardly ever written. */
volatile __u8 recording __attribute__((aligned(64))) __weak;

/* One ring per CPU (docs/design-one-ring-per-cpu.md). The recorder reads in the same memory. */
const volatile __u64 ring_bytes __weak = 4096; /* a power of two */
const volatile __u32 ring_chunk_shift __weak = 12;
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1); /* set to all CPUs' chunks */
  __uint(key_size, sizeof(__u32));
  __uint(value_size, 4096 + GD_RING_SPARE_BYTES); /* set to a chunk and what is spare */
} ring_memory SEC(".maps") __weak;
/* How far the recorder has read. */
struct gd_ring_read rings_read[GD_MAX_CPUS] __weak;

/* To change a map of maps waits until no program runs that did before: the recorder does that when
 * it has detached them, and to know that all records of earlier times are written. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1);
  __type(key, __u32);
  __array(
      values, struct {
        __uint(type, BPF_MAP_TYPE_ARRAY);
        __uint(max_entries, 1);
        __type(key, __u32);
        __type(value, __u32);
      });
} waits_for_running SEC(".maps") __weak;

/* --only: threads of interest. */
struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 1); /* set to 131072 with --only */
  __type(key, __s32);
  __type(value, __u8);
} roles SEC(".maps") __weak;

struct gd_comm {
  char text[GD_COMM_LENGTH];
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 64);
  __type(key, struct gd_comm);
  __type(value, __u8);
} target_comms SEC(".maps") __weak;

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 64);
  __type(key, __u64);
  __type(value, __u8);
} target_cgroups SEC(".maps") __weak;

static __always_inline struct gd_cpu* this_cpu(void) {
  return &cpus[bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1)];
}

static __always_inline __s32 current_tid(void) { return (__s32)bpf_get_current_pid_tgid(); }

/* Counts a record that is about to be written. Programs that run with interrupts disabled may count
 * plainly; the others could be interrupted by one that counts the same, and must count atomically.
 */
enum counting { COUNT_PLAIN, COUNT_ATOMIC };

/* Tests widen the times in which an interrupt's programs could do harm, so that interrupts are sure
 * to come in between: this often the clock is read there. 0: the verifier takes the loops out, but
 * the loads of this setting stay. */
const volatile __u32 test_window_rounds __weak = 0;
struct gd_test_windows test_windows __weak;

static __noinline void wait_rounds(void) {
  for (__u32 i = 0; i < GD_TEST_WINDOW_ROUNDS && i < test_window_rounds; i++) {
    __u64 now_ns = bpf_ktime_get_ns();
    asm volatile("" ::"r"(now_ns));
  }
}

static __always_inline void widen_window(void) {
  if (test_window_rounds) wait_rounds();
}

/* Between reserve and submit. `end`: of the ring, when the record's place was taken. */
static __always_inline void widen_writing(struct gd_cpu* cpu, __u64 end, enum counting counting) {
  if (!test_window_rounds) return;
  wait_rounds();
  if (*(volatile __u64*)&cpu->ring_end == end) return;
  if (counting == COUNT_PLAIN)
    __sync_fetch_and_add(&test_windows.plain_interrupted, 1);
  else
    __sync_fetch_and_add(&test_windows.interrupted, 1);
}

/* Moves the end of the ring past a record, and tells where the record begins; false if there is no
 * room. A program that an interrupt may come in between looks again when one did. */
static __always_inline bool take_room(struct gd_cpu* cpu, __u64 bytes, enum counting counting,
                                      __u64* begin) {
  __u64 read_end =
      *(volatile __u64*)&rings_read[bpf_get_smp_processor_id() & (GD_MAX_CPUS - 1)].end;
  for (int attempt = 0; attempt < (counting == COUNT_PLAIN ? 1 : 4); attempt++) {
    __u64 end = *(volatile __u64*)&cpu->ring_end;
    if (end + bytes - read_end > ring_bytes) return false;
    *begin = end;
    if (counting == COUNT_PLAIN) {
      *(volatile __u64*)&cpu->ring_end = end + bytes;
      return true;
    }
    if (attempt == 0) widen_window();
    if (__sync_val_compare_and_swap(&cpu->ring_end, end, end + bytes) == end) return true;
    if (test_window_rounds) __sync_fetch_and_add(&test_windows.taken_again, 1);
  }
  return false;
}

static __always_inline struct gd_ring_header* record_at(struct gd_cpu* cpu, __u64 begin) {
  __u32 chunk = cpu->ring_first_chunk + (__u32)((begin & (ring_bytes - 1)) >> ring_chunk_shift);
  char* memory = bpf_map_lookup_elem(&ring_memory, &chunk);
  if (!memory) return 0;
  return (struct gd_ring_header*)(memory + (begin & ((1u << ring_chunk_shift) - 1)));
}

/* Null if nothing is to be written: no recording has begun yet, or the ring is full (counted).
 * Otherwise it must be submitted: the reader waits for it. */
static __always_inline void* reserve(struct gd_cpu* cpu, enum gd_kind kind, __u64 size,
                                     enum counting counting) {
  if (recording < (kind == GD_TASK ? GD_RECORD_IDENTITIES : GD_RECORD_ALL)) return 0;
  if (counting == COUNT_PLAIN)
    cpu->produced[kind]++;
  else
    __sync_fetch_and_add(&cpu->produced[kind], 1);
  __u64 bytes = sizeof(struct gd_ring_header) + size;
  __u64 begin = 0;
  if (cpu->has_ring && take_room(cpu, (bytes + 7) & ~7ull, counting, &begin)) {
    struct gd_ring_header* header = record_at(cpu, begin);
    if (header) { /* always */
      header->bytes = bytes;
      widen_writing(cpu, begin + ((bytes + 7) & ~7ull), counting);
      return header + 1;
    }
  }
  __sync_fetch_and_add(&cpu->lost[kind], 1);
  return 0;
}

/* The record first, then that it is whole. The recorder comes by itself at short intervals: waking
 * it would cost more than the record. */
static __always_inline void submit(void* record) {
  struct gd_ring_header* header = (struct gd_ring_header*)record - 1;
#if defined(__TARGET_ARCH_x86)
  asm volatile("" ::: "memory"); /* stores are seen in their order */
  *(volatile __u32*)&header->written = 1;
#else
  __sync_lock_test_and_set(&header->written, 1);
#endif
}

static __always_inline __u8 role_of(__s32 tid) {
  __u8* role = bpf_map_lookup_elem(&roles, &tid);
  return role ? *role : 0;
}

static __always_inline void set_role(__s32 tid, __u8 role) {
  if (bpf_map_update_elem(&roles, &tid, &role, BPF_ANY))
    __sync_fetch_and_add(&this_cpu()->targets_not_kept, 1);
}

#endif
