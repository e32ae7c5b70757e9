// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The object of a wait: the thing behind the arguments of the thread's system call.
 *
 * Looked at where a wait's stack is taken, while the waiter still is current: so its registers and
 * its table of files are its own. As with stacks, a thing is described once (GD_WAIT_OBJECT) and
 * from then on told by a hash of its identity; only a new thing's path is walked.
 *
 * Nothing is guessed: a call that is not listed, a descriptor that is not open any more, a 32-bit
 * program's call, or a kernel thread has no object.
 */
#ifndef GORDIAN_BPF_WAIT_OBJECT_H
#define GORDIAN_BPF_WAIT_OBJECT_H

#include "bpf/wait_calls.bpf.h"
#include "bpf/wait_files.bpf.h"

enum {
  TASK_EXITING = 0x4, /* it does not wait for what its last call was about */
  TASK_IO_WORKER = 0x10,
  TASK_USER_WORKER = 0x4000, /* 6.4+; before, rare programs that load modules */
  TASK_KERNEL_THREAD = 0x200000,
  TASK_STOPPED_OR_TRACED = 0x4 | 0x8,
  FUTEX_IS_PRIVATE = 128,
  WAITID_CHILD = 1,
  WAITID_GROUP = 2,
  WAITID_DESCRIPTOR = 3,
  SLEEP_UNTIL = 1,
  SELECT_WORDS = 16, /* 1,024 descriptors, as many as select knows */
};

/* To three digits, so that lengths that hardly differ are one object. */
static __always_inline __u64 rounded_length(__u64 length_ns) {
  __u64 scale = 1;
  for (__u32 i = 0; i < 16; i++) {
    if (length_ns / scale < 1000) break;
    scale *= 10;
  }
  return (length_ns + scale / 2) / scale * scale;
}

static __always_inline void set_timer(struct gd_wait_object* object, __u64 length_ns) {
  object->object = GD_OBJECT_TIMER;
  object->value = rounded_length(length_ns);
}

/* `unit_ns`: of the second number, which is microseconds for select. */
static __always_inline void find_timer(__u64 address, __u64 unit_ns,
                                       struct gd_wait_object* object) {
  __u64 length[2];
  if (!address || bpf_probe_read_user(length, sizeof(length), (const void*)address)) return;
  set_timer(object, length[0] * 1000000000 + length[1] * unit_ns);
}

/* One descriptor is told as its object, several by their number; a call without descriptors is a
 * sleep. */
static __always_inline void find_polled(struct task_struct* task, struct gd_user_call* call,
                                        struct gd_wait_object* object,
                                        struct gd_wait_source* source) {
  __u64 count = call->argument[1];
  if (count == 0) {
    if (object->call == GD_CALL_PPOLL)
      find_timer(call->argument[2], 1, object);
    else if ((__s32)call->argument[2] >= 0)
      set_timer(object, (__u64)(__u32)call->argument[2] * 1000000);
    return;
  }
  if (count == 1) {
    __s32 descriptor;
    if (!bpf_probe_read_user(&descriptor, sizeof(descriptor), (const void*)call->argument[0]))
      find_file(task, descriptor, object, source);
    return;
  }
  object->object = GD_OBJECT_DESCRIPTORS;
  object->value = count;
}

static __always_inline __u32 bits_in(__u64 word) {
  word -= word >> 1 & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return word * 0x0101010101010101ull >> 56;
}

/* How many are watched for reading or for writing; one that is watched for both counts once. */
static __always_inline __u32 count_selected(__u64 highest, __u64 readers, __u64 writers) {
  __u32 selected = 0;
  for (__u32 i = 0; i < SELECT_WORDS; i++) {
    if (i * 64 >= highest) break;
    __u64 read = 0, written = 0;
    if (readers) bpf_probe_read_user(&read, sizeof(read), (const void*)(readers + i * 8));
    if (writers) bpf_probe_read_user(&written, sizeof(written), (const void*)(writers + i * 8));
    __u64 word = read | written;
    if (highest - i * 64 < 64) word &= (1ull << (highest - i * 64)) - 1;
    selected += bits_in(word);
  }
  return selected;
}

static __always_inline void find_selected(struct gd_user_call* call,
                                          struct gd_wait_object* object) {
  __u32 selected = count_selected(call->argument[0], call->argument[1], call->argument[2]);
  if (selected) {
    object->object = GD_OBJECT_DESCRIPTORS;
    object->value = selected;
  } else {
    find_timer(call->argument[4], object->call == GD_CALL_SELECT ? 1000 : 1, object);
  }
}

static __always_inline void find_futex(struct task_struct* task, struct gd_user_call* call,
                                       struct gd_wait_object* object) {
  __u64 flags = call->argument[object->call == GD_CALL_FUTEX ? 1 : 3];
  object->value = call->argument[0];
  if (object->call == GD_CALL_FUTEX_WAITV) { /* of several: the first tells them apart */
    struct {
      __u64 expected;
      __u64 address;
      __u32 flags;
      __u32 unused;
    } first;
    if (bpf_probe_read_user(&first, sizeof(first), (const void*)call->argument[0])) return;
    object->value = first.address;
    flags = first.flags;
  }
  object->object = GD_OBJECT_FUTEX;
  object->tgid = BPF_CORE_READ(task, tgid);
  object->shared = !(flags & FUTEX_IS_PRIVATE);
}

/* Children are told as wait4 does: the child's id, -1 any, -g one of process group g, 0 one of the
 * own. */
static __always_inline void find_child(struct task_struct* task, struct gd_user_call* call,
                                       struct gd_wait_object* object,
                                       struct gd_wait_source* source) {
  __s64 child = (__s32)call->argument[0];
  if (object->call == GD_CALL_WAITID) {
    __s64 id = (__s32)call->argument[1];
    if (child == WAITID_DESCRIPTOR) {
      find_file(task, id, object, source);
      return;
    }
    child = child == WAITID_CHILD ? id : child == WAITID_GROUP ? -id : -1;
  }
  object->object = GD_OBJECT_CHILD;
  object->value = (__u64)child;
}

static __always_inline void find_object(struct task_struct* task, struct gd_user_call* call,
                                        struct gd_wait_object* object,
                                        struct gd_wait_source* source) {
  switch (object->call) {
    case GD_CALL_FUTEX:
    case GD_CALL_FUTEX_WAITV:
    case GD_CALL_FUTEX_WAIT:
      find_futex(task, call, object);
      break;
    case GD_CALL_POLL:
    case GD_CALL_PPOLL:
      find_polled(task, call, object, source);
      break;
    case GD_CALL_SELECT:
    case GD_CALL_PSELECT6:
      find_selected(call, object);
      break;
    case GD_CALL_WAIT4:
    case GD_CALL_WAITID:
      find_child(task, call, object, source);
      break;
    case GD_CALL_NANOSLEEP:
      find_timer(call->argument[0], 1, object);
      break;
    case GD_CALL_CLOCK_NANOSLEEP:
      if (call->argument[1] & SLEEP_UNTIL)
        object->object = GD_OBJECT_TIMER; /* its length depends on when it was asked for */
      else
        find_timer(call->argument[2], 1, object);
      break;
    default:
      find_file(task, call->argument[0], object, source);
  }
}

static __always_inline __u64 mix(__u64 hash, __u64 word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

static __always_inline __u64 hash_object(const struct gd_wait_object* object,
                                         const struct gd_wait_source* source) {
  __u64 hash =
      mix(0x13198a2e03707344ull, object->object | object->call << 8 | object->shared << 16 |
                                     object->listening << 17 | (__u64)object->mode << 32);
  hash = mix(hash, (__u32)object->tgid | (__u64)object->descriptor << 32);
  hash = mix(hash, object->value);
  hash = mix(hash, object->device | (__u64)object->generation << 32);
  hash = mix(hash, source->name_hash);
  if (object->object == GD_OBJECT_SOCKET) {
    hash = mix(hash, object->family | (__u64)object->protocol << 16 |
                         (__u64)object->local_port << 32 | (__u64)object->peer_port << 48);
    for (__u32 i = 0; i < 2; i++) {
      hash = mix(hash, ((const __u64*)object->local)[i]);
      hash = mix(hash, ((const __u64*)object->peer)[i]);
    }
    hash = mix(hash, object->peer_tgid);
  }
  return hash ? hash : 1;
}

/* 5.15+. Each function asks by itself: the verifier looks at all of them, called or not. */
#define CAN_SEE_CALLS bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)

/* What the current thread begins to wait for, into the scratch in that place. 0 if it is not
 * known. */
__attribute__((noinline)) int find_wait_object(__u32 place) {
  if (!CAN_SEE_CALLS) return 0;
  struct gd_stack_scratch* scratch = bpf_map_lookup_elem(&scratches, &place);
  if (!scratch) return 0;
  struct task_struct* task = (struct task_struct*)bpf_get_current_task_btf();
  if (BPF_CORE_READ(task, flags) &
      (TASK_EXITING | TASK_IO_WORKER | TASK_USER_WORKER | TASK_KERNEL_THREAD))
    return 0;
  struct gd_wait_object* object = &scratch->wait.object;
  struct gd_wait_source* source = &scratch->wait.source;
  __builtin_memset(object, 0, sizeof(*object) - sizeof(object->path));
  __builtin_memset(source, 0, sizeof(*source));
  struct gd_user_call call = {};
  if (!user_call(task, &call)) return 0;
  if (call.number == NO_CALL) {
    if (task_state(task) & TASK_STOPPED_OR_TRACED) return 0;
    object->object = GD_OBJECT_FAULT;
  } else {
    object->call = wait_call(call.number);
    if (!object->call) return 0;
    find_object(task, &call, object, source);
    if (!object->object) return 0;
  }
  object->hash = hash_object(object, source);
  return 1;
}

/* Its name, for an object that is new. */
__attribute__((noinline)) int name_wait_object(__u32 place) {
  if (!CAN_SEE_CALLS) return 0;
  struct gd_stack_scratch* scratch = bpf_map_lookup_elem(&scratches, &place);
  if (!scratch) return 0;
  struct gd_wait_object* object = &scratch->wait.object;
  __builtin_memset(object->path, 0, sizeof(object->path));
  struct file* file = scratch->wait.source.file;
  if (file) write_path((struct task_struct*)bpf_get_current_task_btf(), file, object);
  struct sock* unix_socket = scratch->wait.source.unix_socket;
  if (unix_socket) write_unix_path(unix_socket, object);
  return 0;
}

/* The hash of the thing that the current thread begins to wait for, its description written if need
 * be; 0 if it is not known. */
static __always_inline __u64 tell_wait_object(struct gd_cpu* cpu, struct gd_wait_scratch* scratch,
                                              __u32 place) {
  if (!find_wait_object(place)) return 0;
  struct gd_wait_object* object = &scratch->object;
  __u64 hash = object->hash;
  if (bpf_map_lookup_elem(&stacks_told, &hash)) return hash;

  name_wait_object(place);
  void* record = reserve(cpu, GD_WAIT_OBJECT, sizeof(*object), COUNT_ATOMIC);
  if (!record) return hash; /* counted as lost; the next of its kind tries again */
  object->time_ns = bpf_ktime_get_ns();
  object->kind = GD_WAIT_OBJECT;
  bpf_probe_read_kernel(record, sizeof(*object), object);
  submit(record);
  __u8 told = 1;
  bpf_map_update_elem(&stacks_told, &hash, &told, BPF_ANY);
  return hash;
}

#endif
