// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where a stack, and the thing that its thread waits for, are put together before they are written.
 *
 * The parts of that work are functions of their own that share only this place. So the verifier
 * looks at each once, instead of at all that follows for each way through all that comes before:
 * loading the programs takes a quarter of the time.
 */
#ifndef GORDIAN_BPF_STACK_SCRATCH_H
#define GORDIAN_BPF_STACK_SCRATCH_H

#include "bpf/state.bpf.h"

/* The rest of an object's description, needed only if the object is new. */
struct gd_wait_source {
  struct file* file;
  struct sock* unix_socket;
  __u64 name_hash; /* a file that is renamed is told again */
};

struct gd_wait_scratch {
  struct gd_wait_object object;
  char spare[GD_PATH_BYTES]; /* the verifier knows a name's place and its length, not their sum */
  struct gd_wait_source source;
};

struct gd_stack_scratch {
  struct gd_stack stack;
  struct gd_wait_scratch wait;
  __u32 busy;
};

/* A program that waits and wakes can be interrupted by the one that samples: one place each. If
 * another program gets in between (preemption inside a program), the second goes without a
 * stack. */
enum { SCRATCH_SCHEDULING, SCRATCH_CPU, SCRATCHES };
struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, SCRATCHES);
  __type(key, __u32);
  __type(value, struct gd_stack_scratch);
} scratches SEC(".maps");

#endif
