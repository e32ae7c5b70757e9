// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* System calls that are counted: each that succeeds, as it returns. Nothing is attached without a
 * request, as every system call of the node then takes the kernel's slower way. */
#include "bpf/state.bpf.h"

/* As /sys/kernel/tracing/events/syscalls/sys_exit_NAME/format describes them all. */
struct call_return {
  __u64 common;
  __s32 number;
  __u32 unused;
  __s64 result;
};

/* The place of its attachment tells the call. May be interrupted by the other programs. */
SEC("tracepoint")
int counted_call(struct call_return* returned) {
  if (returned->result < 0) return 0;
  __s32 tid = current_tid();
  if (only_targets && role_of(tid) == 0) return 0;
  struct gd_counted_call* record =
      reserve(this_cpu(), GD_COUNTED_CALL, sizeof(*record), COUNT_ATOMIC);
  if (!record) return 0;
  record->time_ns = bpf_ktime_get_ns();
  record->kind = GD_COUNTED_CALL;
  record->call = (__u8)bpf_get_attach_cookie(returned);
  record->tid = tid;
  submit(record);
  return 0;
}
