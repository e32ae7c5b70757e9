// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/stacks/stacks.h"
#include "tests/support/trace_builder.h"

namespace gordian::testing {
namespace {

TEST(WaitReasons, FollowFromTheKernelsFrames) {
  struct Case {
    std::vector<std::string> kernel;  // innermost first, as Linux 6 names them
    const char* reason;
  };
  const Case cases[] = {
      {{"schedule", "futex_wait_queue", "futex_wait", "do_futex", "__x64_sys_futex"}, "futex"},
      {{"schedule", "pipe_read", "vfs_read", "ksys_read"}, "pipe"},
      {{"schedule_timeout", "sk_wait_data", "tcp_recvmsg_locked", "inet_recvmsg"}, "socket"},
      {{"schedule_timeout", "unix_stream_read_generic", "sock_read_iter"}, "socket"},
      {{"schedule_hrtimeout_range", "ep_poll", "do_epoll_wait"}, "epoll"},
      {{"schedule_hrtimeout_range", "poll_schedule_timeout", "do_poll", "do_sys_poll"}, "poll"},
      {{"io_schedule", "folio_wait_bit_common", "file_write_and_wait_range", "ext4_sync_file",
        "do_fsync"},
       "disk"},
      {{"schedule", "jbd2_log_wait_commit", "ext4_sync_file"}, "disk"},
      {{"io_schedule", "folio_wait_bit_common", "filemap_get_pages", "filemap_read", "vfs_read"},
       "disk"},
      {{"io_schedule", "folio_wait_bit_common", "__folio_lock", "filemap_fault", "__do_fault",
        "handle_mm_fault"},
       "page fault"},
      {{"schedule_timeout", "reclaim_throttle", "shrink_inactive_list",
        "try_to_free_mem_cgroup_pages", "try_charge_memcg", "do_anonymous_page", "handle_mm_fault"},
       "memory"},
      {{"schedule_timeout_killable", "__mem_cgroup_handle_over_high", "exit_to_user_mode_loop"},
       "memory"},
      {{"schedule", "do_wait", "kernel_wait4", "__do_sys_wait4"}, "child"},
      {{"schedule", "do_nanosleep", "hrtimer_nanosleep"}, "timer"},
      {{"schedule", "rwsem_down_read_slowpath", "down_read", "do_user_addr_fault"}, "kernel lock"},
      {{"schedule", "worker_thread", "kthread"}, "kernel work"},
      {{"schedule", "something_new"}, "other"},
  };
  for (const Case& one : cases) {
    TraceBuilder t;
    const uint32_t stack = t.AddStack(one.kernel, {{.function = "do_futex"}});
    const Code code(t.symbols());
    EXPECT_EQ(ReasonOf(code.PathOf(stack, StackSide::kWaiter), code), one.reason)
        << ::testing::PrintToString(one.kernel);
  }
}

}  // namespace
}  // namespace gordian::testing
