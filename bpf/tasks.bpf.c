// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Identity of threads: birth, exec, rename, death, and once at the start every thread that is
 * alive. Each record carries the whole identity, so that any one of them is enough to name the
 * thread. */
#include "bpf/path.bpf.h"

const volatile bool record_commands = false;

enum { FLAG_KERNEL_THREAD = 0x00200000 }; /* PF_KTHREAD */
enum { DIRECTORY_STEPS = 24 };            /* names in a directory's path, and mounts on the way */
enum { CHANGE_ALIVE = 0, CHANGE_NEW = 1, CHANGE_EXEC = 2, CHANGE_RENAME = 3, CHANGE_EXIT = 4 };

static __always_inline __s32 namespaced_tid(struct task_struct* task) {
  struct pid* pid = BPF_CORE_READ(task, thread_pid);
  unsigned int level = BPF_CORE_READ(pid, level);
  /* The array's element has members that differ between kernels: step by its true size. */
  void* number =
      (void*)pid + bpf_core_field_offset(pid->numbers) + level * bpf_core_type_size(struct upid);
  __s32 tid = 0;
  bpf_probe_read_kernel(&tid, sizeof(tid), number + bpf_core_field_offset(struct upid, nr));
  return tid;
}

static __always_inline void describe(struct gd_task* record, struct task_struct* task,
                                     __u8 change) {
  __builtin_memset(record, 0, sizeof(*record));
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_TASK;
  record->change = change;
  record->kernel_thread = (BPF_CORE_READ(task, flags) & FLAG_KERNEL_THREAD) != 0;
  record->tid = BPF_CORE_READ(task, pid);
  record->tgid = BPF_CORE_READ(task, tgid);
  record->parent_tid = BPF_CORE_READ(task, real_parent, tgid);
  record->namespaced_tid = namespaced_tid(task);
  record->state = task_state(task);
  record->start_time_ns = BPF_CORE_READ(task, start_time);
  record->cgroup_id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
  BPF_CORE_READ_STR_INTO(&record->comm, task, comm);
}

static __always_inline struct gd_task* reserve_task(void) {
  return reserve(this_cpu(), GD_TASK, sizeof(struct gd_task), COUNT_ATOMIC);
}

static __always_inline bool has_target_comm(const char* comm) {
  struct gd_comm key = {};
  bpf_probe_read_kernel_str(key.text, sizeof(key.text), comm);
  return bpf_map_lookup_elem(&target_comms, &key) != 0;
}

/* A pod's containers and a service's delegated groups lie below the group that is meant. Deeper
 * ones than this are not found: containers in containers in pods have some ten. */
#define MOST_GROUPS_ABOVE 16

static __always_inline bool in_target_cgroup(struct task_struct* task) {
  struct cgroup* group = BPF_CORE_READ(task, cgroups, dfl_cgrp);
  for (int level = 0; level < MOST_GROUPS_ABOVE && group; ++level) {
    __u64 id = BPF_CORE_READ(group, kn, id);
    if (bpf_map_lookup_elem(&target_cgroups, &id)) return true;
    group = BPF_CORE_READ(group, self.parent, cgroup);
  }
  return false;
}

/* --only: new threads inherit, new names and groups decide anew. */
static __always_inline void follow_target(struct gd_task* record, struct task_struct* task) {
  if (role_of(record->tid) == GD_ROLE_TARGET) return;
  bool target =
      role_of(record->parent_tid) == GD_ROLE_TARGET || role_of(record->tgid) == GD_ROLE_TARGET;
  if (target_comms_set) target |= has_target_comm(record->comm);
  if (target_cgroups_set && !target) target = in_target_cgroup(task);
  if (target) set_role(record->tid, GD_ROLE_TARGET);
}

SEC("raw_tp/sched_process_fork")
int BPF_PROG(raw_fork, struct task_struct* parent, struct task_struct* child) {
  struct gd_task* record = reserve_task();
  if (!record) {
    /* The thread's name is lost, its membership must not be. */
    if (only_targets && role_of(current_tid()) == GD_ROLE_TARGET)
      set_role(BPF_CORE_READ(child, pid), GD_ROLE_TARGET);
    return 0;
  }
  describe(record, child, CHANGE_NEW);
  record->parent_tid = BPF_CORE_READ(parent, pid);
  if (only_targets) follow_target(record, child);
  submit(record);
  return 0;
}

/* The current task's, whose memory its arguments lie in: the program was loaded just now, and they
 * were written by the kernel itself. */
static __always_inline void tell_command(struct gd_exec* record, struct task_struct* task) {
  record->argument_bytes = 0;
  record->command_bytes = 0;
  record->directory_bytes = 0;
  __builtin_memset(record->directory, 0, sizeof(record->directory));
  record->directory_state = write_names(
      task, BPF_CORE_READ(task, fs, pwd.dentry), BPF_CORE_READ(task, fs, pwd.mnt),
      record->directory, GD_DIRECTORY_BYTES, &record->directory_bytes, 0, DIRECTORY_STEPS);
  __u64 begin = BPF_CORE_READ(task, mm, arg_start);
  __u64 end = BPF_CORE_READ(task, mm, arg_end);
  if (end <= begin) return;
  __u64 bytes = end - begin;
  record->argument_bytes = bytes > 0xffffffff ? 0xffffffff : bytes;
  if (bytes > GD_COMMAND_BYTES) bytes = GD_COMMAND_BYTES;
  if (bpf_probe_read_user(record->command, bytes, (void*)begin) == 0) record->command_bytes = bytes;
}

/* When another thread than the first of its process calls exec, it takes over the first one's tid:
 * its old tid ends. */
SEC("raw_tp/sched_process_exec")
int BPF_PROG(raw_exec, struct task_struct* task, __s32 old_tid) {
  if (old_tid != BPF_CORE_READ(task, pid)) {
    struct gd_task* ended = reserve_task();
    if (ended) {
      describe(ended, task, CHANGE_EXIT);
      ended->tid = old_tid;
      submit(ended);
    }
  }
  if (!record_commands) {
    struct gd_task* record = reserve_task();
    if (!record) return 0;
    describe(record, task, CHANGE_EXEC);
    if (only_targets) follow_target(record, task);
    submit(record);
    return 0;
  }
  struct gd_exec* record = reserve(this_cpu(), GD_TASK, sizeof(*record), COUNT_ATOMIC);
  if (!record) return 0;
  describe(&record->task, task, CHANGE_EXEC);
  tell_command(record, task);
  if (only_targets) follow_target(&record->task, task);
  submit(record);
  return 0;
}

SEC("raw_tp/task_rename")
int BPF_PROG(raw_rename, struct task_struct* task, const char* comm) {
  struct gd_task* record = reserve_task();
  if (!record) return 0;
  describe(record, task, CHANGE_RENAME);
  bpf_probe_read_kernel_str(record->comm, sizeof(record->comm), comm);
  if (only_targets) follow_target(record, task);
  submit(record);
  return 0;
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(raw_exit, struct task_struct* task) {
  struct gd_task* record = reserve_task();
  if (!record) return 0;
  describe(record, task, CHANGE_EXIT);
  submit(record);
  return 0;
}

/* Read once after records began to be written, so that no thread falls between the two. */
SEC("iter/task")
int alive_tasks(struct bpf_iter__task* ctx) {
  struct task_struct* task = ctx->task;
  if (!task) return 0;
  struct gd_task record;
  describe(&record, task, CHANGE_ALIVE);
  record.switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
  if (only_targets) follow_target(&record, task);
  bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
  return 0;
}
