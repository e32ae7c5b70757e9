// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/stacks/stacks.h"

namespace gordian {
namespace {

// Functions of the kernel whose names begin so wait for this. The innermost listed function counts,
// so functions that many kinds of waits come through (vfs_read, folio_wait_bit) are not listed.
struct Reason {
  std::string_view prefix;
  std::string_view reason;
};
constexpr Reason kReasons[] = {
    {"shrink_folio_list", kMemoryReason},  // or for dirty pages on their way to the disk
    {"shrink_page_list", kMemoryReason},
    {"shrink_inactive_list", kMemoryReason},
    {"reclaim_throttle", kMemoryReason},
    {"throttle_direct_reclaim", kMemoryReason},
    {"try_to_free_", kMemoryReason},
    {"mem_cgroup_handle_over_high", kMemoryReason},
    {"__mem_cgroup_handle_over_high", kMemoryReason},
    {"mem_cgroup_oom_synchronize", kMemoryReason},
    {"__alloc_pages_direct", kMemoryReason},
    {"futex_", "futex"},
    {"__futex_", "futex"},
    {"do_futex", "futex"},
    {"pipe_", "pipe"},
    {"anon_pipe_", "pipe"},
    {"fifo_open", "pipe"},
    {"wait_for_partner", "pipe"},
    {"unix_", "socket"},
    {"tcp_", "socket"},
    {"udp_", "socket"},
    {"inet_", "socket"},
    {"inet6_", "socket"},
    {"sk_wait_data", "socket"},
    {"sk_stream_wait", "socket"},
    {"__skb_wait_for_more_packets", "socket"},
    {"__skb_recv_", "socket"},
    {"netlink_", "socket"},
    {"vsock_", "socket"},
    {"ep_poll", "epoll"},
    {"do_epoll_", "epoll"},
    {"do_sys_poll", "poll"},
    {"do_poll", "poll"},
    {"do_select", "poll"},
    {"core_sys_select", "poll"},
    {"poll_schedule_timeout", "poll"},
    {"io_cqring_wait", "io_uring"},
    {"io_wq_", "io_uring"},
    {"io_sq_thread", "io_uring"},
    {"eventfd_", "eventfd"},
    {"filemap_fault", "page fault"},
    {"handle_mm_fault", "page fault"},
    {"do_user_addr_fault", "page fault"},
    {"exc_page_fault", "page fault"},
    {"do_page_fault", "page fault"},
    {"do_swap_page", "page fault"},
    {"handle_userfault", "page fault"},
    {"vfs_fsync", "disk"},
    {"do_fsync", "disk"},
    {"file_write_and_wait", "disk"},
    {"file_fdatawait", "disk"},
    {"__filemap_fdatawait", "disk"},
    {"filemap_read", "disk"},
    {"filemap_get_pages", "disk"},
    {"generic_file_", "disk"},
    {"ext4_", "disk"},
    {"xfs_", "disk"},
    {"btrfs_", "disk"},
    {"f2fs_", "disk"},
    {"jbd2_", "disk"},
    {"__jbd2_", "disk"},
    {"blkdev_", "disk"},
    {"submit_bio_wait", "disk"},
    {"blk_", "disk"},
    {"__blk_", "disk"},
    {"rq_qos_wait", "disk"},
    {"wbt_wait", "disk"},
    {"__wait_on_buffer", "disk"},
    {"balance_dirty_pages", "disk"},
    {"sync_inodes_sb", "disk"},
    {"iomap_dio_", "disk"},
    {"__iomap_dio_", "disk"},
    {"read_events", "disk"},  // of io_submit
    {"nfs_", "network file system"},
    {"nfs4_", "network file system"},
    {"rpc_wait", "network file system"},
    {"fuse_", "fuse"},
    {"request_wait_answer", "fuse"},
    {"do_wait", "child"},
    {"kernel_wait4", "child"},
    {"kernel_waitid", "child"},
    {"wait_for_vfork_done", "child"},
    {"do_nanosleep", "timer"},
    {"hrtimer_nanosleep", "timer"},
    {"common_nsleep", "timer"},
    {"msleep", "timer"},
    {"usleep_range", "timer"},
    {"do_sigtimedwait", "signal"},
    {"sigsuspend", "signal"},
    {"__x64_sys_pause", "signal"},
    {"do_signal_stop", "signal"},
    {"n_tty_", "terminal"},
    {"tty_", "terminal"},
    {"do_semtimedop", "semaphore"},
    {"__do_semtimedop", "semaphore"},
    {"do_msgrcv", "message queue"},
    {"do_msgsnd", "message queue"},
    {"mq_timed", "message queue"},
    {"fcntl_setlk", "file lock"},
    {"flock_lock", "file lock"},
    {"locks_lock_", "file lock"},
    {"__mutex_lock", "kernel lock"},
    {"mutex_lock", "kernel lock"},
    {"rwsem_down_", "kernel lock"},
    {"down_read", "kernel lock"},
    {"down_write", "kernel lock"},
    {"__down", "kernel lock"},
    {"rt_mutex_", "kernel lock"},
    {"synchronize_rcu", "kernel lock"},
    {"synchronize_sched", "kernel lock"},
    {"worker_thread", "kernel work"},
    {"rescuer_thread", "kernel work"},
    {"smpboot_thread_fn", "kernel work"},
    {"rcu_gp_", "kernel work"},
    {"kthreadd", "kernel work"},
    {"kswapd", "kernel work"},
    {"kcompactd", "kernel work"},
    {"kjournald", "kernel work"},
};

}  // namespace

std::string_view ReasonOf(const CodePath& path, const Code& code) {
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (!frame.kernel) break;
    for (const Reason& reason : kReasons) {
      if (frame.function.starts_with(reason.prefix)) return reason.reason;
    }
  }
  return kOtherReason;
}

}  // namespace gordian
