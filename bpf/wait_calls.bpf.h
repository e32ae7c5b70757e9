// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A thread's system call and its arguments: the part that differs between architectures. */
#ifndef GORDIAN_BPF_WAIT_CALLS_H
#define GORDIAN_BPF_WAIT_CALLS_H

#include "bpf/state.bpf.h"

#include <asm/unistd.h>

/* Calls in which threads wait and whose arguments tell the thing they wait for. Of those from
 * GD_CALL_READ to GD_CALL_IO_URING_ENTER the first argument is a file descriptor. */
static const __u8 wait_calls[512] = {
    [__NR_read] = GD_CALL_READ,
    [__NR_write] = GD_CALL_WRITE,
    [__NR_pread64] = GD_CALL_PREAD64,
    [__NR_pwrite64] = GD_CALL_PWRITE64,
    [__NR_readv] = GD_CALL_READV,
    [__NR_writev] = GD_CALL_WRITEV,
    [__NR_preadv] = GD_CALL_PREADV,
    [__NR_pwritev] = GD_CALL_PWRITEV,
    [__NR_preadv2] = GD_CALL_PREADV2,
    [__NR_pwritev2] = GD_CALL_PWRITEV2,
    [__NR_fsync] = GD_CALL_FSYNC,
    [__NR_fdatasync] = GD_CALL_FDATASYNC,
    [__NR_sync_file_range] = GD_CALL_SYNC_FILE_RANGE,
    [__NR_fallocate] = GD_CALL_FALLOCATE,
    [__NR_ftruncate] = GD_CALL_FTRUNCATE,
    [__NR_getdents64] = GD_CALL_GETDENTS64,
    [__NR_lseek] = GD_CALL_LSEEK,
    [__NR_flock] = GD_CALL_FLOCK,
    [__NR_fcntl] = GD_CALL_FCNTL,
    [__NR_ioctl] = GD_CALL_IOCTL,
    [__NR_connect] = GD_CALL_CONNECT,
    [__NR_accept] = GD_CALL_ACCEPT,
    [__NR_accept4] = GD_CALL_ACCEPT4,
    [__NR_sendto] = GD_CALL_SENDTO,
    [__NR_recvfrom] = GD_CALL_RECVFROM,
    [__NR_sendmsg] = GD_CALL_SENDMSG,
    [__NR_recvmsg] = GD_CALL_RECVMSG,
    [__NR_sendmmsg] = GD_CALL_SENDMMSG,
    [__NR_recvmmsg] = GD_CALL_RECVMMSG,
    [__NR_shutdown] = GD_CALL_SHUTDOWN,
    [__NR_sendfile] = GD_CALL_SENDFILE,
    [__NR_splice] = GD_CALL_SPLICE,
    [__NR_copy_file_range] = GD_CALL_COPY_FILE_RANGE,
#ifdef __NR_epoll_wait
    [__NR_epoll_wait] = GD_CALL_EPOLL_WAIT,
#endif
    [__NR_epoll_pwait] = GD_CALL_EPOLL_PWAIT,
    [__NR_epoll_pwait2] = GD_CALL_EPOLL_PWAIT2,
    [__NR_io_uring_enter] = GD_CALL_IO_URING_ENTER,
#ifdef __NR_poll
    [__NR_poll] = GD_CALL_POLL,
#endif
    [__NR_ppoll] = GD_CALL_PPOLL,
#ifdef __NR_select
    [__NR_select] = GD_CALL_SELECT,
#endif
    [__NR_pselect6] = GD_CALL_PSELECT6,
    [__NR_futex] = GD_CALL_FUTEX,
    [__NR_futex_waitv] = GD_CALL_FUTEX_WAITV,
    [455] = GD_CALL_FUTEX_WAIT, /* 6.7+; headers may be older */
    [__NR_wait4] = GD_CALL_WAIT4,
    [__NR_waitid] = GD_CALL_WAITID,
    [__NR_nanosleep] = GD_CALL_NANOSLEEP,
    [__NR_clock_nanosleep] = GD_CALL_CLOCK_NANOSLEEP,
};

/* GD_CALL_NONE for all others. */
static __always_inline __u8 wait_call(__s64 number) {
  if (number < 0 || number >= (__s64)sizeof(wait_calls)) return GD_CALL_NONE;
  return wait_calls[number];
}

enum { NO_CALL = -1 }; /* it came into the kernel by a fault or an interrupt */

struct gd_user_call {
  __s64 number;
  __u64 argument[5];
};

/* False if it cannot be told: the numbers of 32-bit programs are others. */
#if defined(__TARGET_ARCH_x86)
static __always_inline bool user_call(struct task_struct* task, struct gd_user_call* call) {
  enum { CALLED_AS_32_BIT = 2 }; /* TS_COMPAT */
  if (BPF_CORE_READ(task, thread_info.status) & CALLED_AS_32_BIT) return false;
  struct pt_regs* registers = (struct pt_regs*)bpf_task_pt_regs(task);
  call->number = (__s64)registers->orig_rax;
  call->argument[0] = registers->rdi;
  call->argument[1] = registers->rsi;
  call->argument[2] = registers->rdx;
  call->argument[3] = registers->r10;
  call->argument[4] = registers->r8;
  return true;
}
#elif defined(__TARGET_ARCH_arm64)
/* The first argument's register holds the result once there is one, and is kept elsewhere. */
struct pt_regs___call {
  __u64 regs[31];
  __u64 pstate;
  __u64 orig_x0;
  __s32 syscallno;
} __attribute__((preserve_access_index));

static __always_inline bool user_call(struct task_struct* task, struct gd_user_call* call) {
  enum { RUNS_32_BIT = 0x10 }; /* in pstate */
  struct pt_regs___call* registers = (void*)bpf_task_pt_regs(task);
  if (BPF_CORE_READ(registers, pstate) & RUNS_32_BIT) return false;
  call->number = BPF_CORE_READ(registers, syscallno);
  call->argument[0] = BPF_CORE_READ(registers, orig_x0);
  for (__u32 i = 1; i < 5; i++) call->argument[i] = BPF_CORE_READ(registers, regs[i]);
  return true;
}
#else
static __always_inline bool user_call(struct task_struct* task, struct gd_user_call* call) {
  return false;
}
#endif

#endif
