// SPDX-License-Identifier: Apache-2.0
#include "symbols/jail_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace gordian {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

// Memory, the files at hand, an end. No call opens a file or reaches another process; of the files
// at hand only the pipe is open for writing.
constexpr int kAllowed[] = {
    SYS_read,
    SYS_pread64,
    SYS_write,
    SYS_lseek,
    SYS_fstat,
    SYS_newfstatat,
    SYS_close,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_exit_group,
    SYS_rt_sigreturn,
    SYS_rt_sigprocmask,
    SYS_clock_gettime,
    SYS_futex,
    SYS_getrandom,
    SYS_sched_yield,
    SYS_gettid,
    SYS_getpid,
    SYS_sigaltstack,
    SYS_exit,
    SYS_restart_syscall,
    // Lead nowhere but back here; sanitizers look through them whether memory can be read.
    SYS_pipe2,
#ifdef SYS_pipe
    SYS_pipe,
#endif
};

sock_filter Step(unsigned short code, unsigned value, unsigned char if_true = 0,
                 unsigned char if_false = 0) {
  return {code, if_true, if_false, value};
}

}  // namespace

bool EnterJailFilter() {
  if (kArchitecture == 0) return true;
  std::vector<sock_filter> program = {
      Step(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      Step(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      Step(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      Step(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  for (const int number : kAllowed) {
    program.push_back(Step(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
    program.push_back(Step(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  // libelf asks how a file is open. Other commands of fcntl can have signals sent.
  program.push_back(Step(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3));
  program.push_back(Step(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])));
  program.push_back(Step(BPF_JMP | BPF_JEQ | BPF_K, F_GETFL, 0, 1));
  program.push_back(Step(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  program.push_back(Step(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace gordian
