/* What all programs share: settings, maps, the state of the CPU, and how a record is written.
 *
 * Maps and settings are weak definitions, so that every family's object can stand alone; the linker
 * keeps one of each.
 */
#ifndef GORDIAN_BPF_STATE_H
#define GORDIAN_BPF_STATE_H

#include "bpf/core_fixes.bpf.h"
#include "bpf/events.h"

#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* Settings, written before the programs load. */
const volatile bool only_targets __weak = false;
const volatile __u64 irq_threshold_ns __weak = 100000;
const volatile bool switch_has_prev_state __weak =
    false; /* sched_switch passes prev_state: 5.18+ (fa2c3254d7cf) */
const volatile bool target_comms_set __weak = false;
const volatile bool target_cgroups_set __weak = false;

struct gd_cpu cpus[GD_MAX_CPUS] __weak;

/* Hooks attach and detach one after another, which takes up to some 100 ms. Between them the
 * programs follow what happens (requests in flight, membership) but write nothing: the recorder
 * sets this when all are attached and clears it before the first is detached, so that a recording
 * begins and ends for all kinds of events at once. On a line of its own: it is read with every
 * record and written twice. */
volatile __u8 recording __attribute__((aligned(64))) __weak;

/* One ring per CPU; the inner maps are put in by the recorder. */
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1); /* set to the number of CPUs */
  __type(key, __u32);
  __array(
      values, struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, 4096); /* set to the size asked for */
      });
} rings SEC(".maps") __weak;

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

/* Null where nothing is to be written: nobody records yet, or the ring is full (counted). */
static __always_inline void* reserve(struct gd_cpu* cpu, enum gd_kind kind, __u64 size,
                                     enum counting counting) {
  if (!recording) return 0;
  __u32 id = bpf_get_smp_processor_id();
  if (counting == COUNT_PLAIN)
    cpu->produced[kind]++;
  else
    __sync_fetch_and_add(&cpu->produced[kind], 1);
  void* ring = bpf_map_lookup_elem(&rings, &id);
  void* record = ring ? bpf_ringbuf_reserve(ring, size, 0) : 0;
  if (!record) {
    __sync_fetch_and_add(&cpu->lost[kind], 1);
    cpu->last_lost_ns = bpf_ktime_get_ns();
  }
  return record;
}

/* The recorder comes by itself at short intervals: waking it for a record would cost more than the
 * record. */
static __always_inline void submit(void* record) { bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP); }

static __always_inline __u8 role_of(__s32 tid) {
  __u8* role = bpf_map_lookup_elem(&roles, &tid);
  return role ? *role : 0;
}

static __always_inline void set_role(__s32 tid, __u8 role) {
  bpf_map_update_elem(&roles, &tid, &role, BPF_ANY);
}

#endif
