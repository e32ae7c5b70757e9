// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Workqueues: what the kernel's workers do. A worker (kworker/u8:3) runs work of many queues, one
 * after the other, and its name says nothing. A record tells of a stretch of work of one kind: the
 * queue, the function, how often it ran and for how long. It is written when the worker goes on to
 * another kind, or has done this one for a while. */
#include "bpf/state.bpf.h"

enum { WORK_STRETCH_NS = 100 * 1000 * 1000 };

enum { WORKERS = 4096 };
struct gd_worker workers[WORKERS];

/* Whether work of all kinds is in such a queue (events…, mm_percpu_wq; unknown): then the function
 * says more. To find its name costs as much as the rest, so others do without. */
static __always_inline bool shares_queue(const char* name) {
  if (!name[0]) return true;
  bool events = name[0] == 'e' && name[1] == 'v' && name[2] == 'e' && name[3] == 'n';
  bool memory = name[0] == 'm' && name[1] == 'm' && name[2] == '_';
  return events || memory;
}

static __always_inline void tell_work(struct gd_worker* worker, __u64 now_ns) {
  struct gd_work* record = reserve(this_cpu(), GD_WORK, sizeof(*record), COUNT_ATOMIC);
  if (record) {
    __builtin_memset(record, 0, sizeof(*record));
    record->time_ns = now_ns;
    record->kind = GD_WORK;
    record->tid = worker->tid;
    record->runs = worker->runs;
    record->duration_ns = worker->duration_ns;
    __builtin_memcpy(record->queue, worker->queue_name, sizeof(record->queue));
    if (shares_queue(worker->queue_name) &&
        bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_snprintf)) { /* 5.13+ */
      __u64 function = worker->function;
      static const char format[] = "%ps";
      bpf_snprintf(record->function, sizeof(record->function), format, &function, sizeof(function));
    }
    submit(record);
  }
  worker->runs = 0;
  worker->duration_ns = 0;
  worker->told_ns = now_ns;
}

static __always_inline struct workqueue_struct* queue_of_current(void) {
  struct task_struct* task = (struct task_struct*)bpf_get_current_task();
  if (!bpf_core_field_exists(task->worker_private)) return 0; /* 5.17+ */
  struct kthread* kthread = BPF_CORE_READ(task, worker_private);
  struct worker* worker = BPF_CORE_READ(kthread, data);
  return BPF_CORE_READ(worker, current_pwq, wq);
}

SEC("raw_tp/workqueue_execute_start")
int BPF_PROG(raw_work_start, struct work_struct* work) {
  __s32 tid = current_tid();
  struct gd_worker* worker = &workers[tid & (WORKERS - 1)];
  __u64 now_ns = bpf_ktime_get_ns();
  __u64 function = (__u64)BPF_CORE_READ(work, func);
  struct workqueue_struct* queue = queue_of_current();
  if (worker->tid != tid || worker->function != function || worker->queue != (__u64)queue) {
    if (worker->runs) tell_work(worker, now_ns);
    worker->tid = tid;
    worker->function = function;
    worker->queue = (__u64)queue;
    worker->told_ns = now_ns;
    worker->runs = 0;
    worker->duration_ns = 0;
    BPF_CORE_READ_STR_INTO(&worker->queue_name, queue, name);
  }
  worker->started_ns = now_ns;
  return 0;
}

SEC("raw_tp/workqueue_execute_end")
int BPF_PROG(raw_work_end, struct work_struct* work) {
  __s32 tid = current_tid();
  struct gd_worker* worker = &workers[tid & (WORKERS - 1)];
  if (worker->tid != tid || !worker->started_ns) return 0; /* its start was not seen */
  __u64 now_ns = bpf_ktime_get_ns();
  worker->duration_ns += now_ns - worker->started_ns;
  worker->started_ns = 0;
  worker->runs++;
  if (now_ns - worker->told_ns >= WORK_STRETCH_NS) tell_work(worker, now_ns);
  return 0;
}
