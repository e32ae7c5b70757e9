// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/left_out.h"

#include <bpf/bpf.h>

#include <cstddef>

namespace gordian {
namespace {

constexpr auto kNone = static_cast<gd_kind>(0);

struct ProgramKind {
  std::string_view program;
  gd_kind kind;
};

// Programs at the beginning of something count as the record of its end, which lacks without them.
constexpr ProgramKind kPrograms[] = {
    {"tracepoint_switch", GD_SWITCH},
    {"tracepoint_switch_with_stack", GD_SWITCH},
    {"raw_switch", GD_SWITCH},
    {"kprobe_switch_to", GD_SWITCH},
    {"kprobe_finish_switch", GD_SWITCH},
    {"count_switch_left_out", GD_SWITCH},
    {"tracepoint_wake", GD_WAKE},
    {"tracepoint_wake_with_stack", GD_WAKE},
    {"kprobe_wake", GD_WAKE},
    {"fentry_wake", GD_WAKE},
    {"count_wake_left_out", GD_WAKE},
    {"raw_softirq_entry", GD_IRQ_RUN},
    {"raw_softirq_exit", GD_IRQ_RUN},
    {"kprobe_softirq_entry", GD_IRQ_RUN},
    {"kprobe_softirq_exit", GD_IRQ_RUN},
    {"raw_irq_entry", GD_IRQ_RUN},
    {"raw_irq_exit", GD_IRQ_RUN},
    {"kprobe_irq_entry", GD_IRQ_RUN},
    {"kprobe_irq_exit", GD_IRQ_RUN},
    {"count_irq_left_out", GD_IRQ_RUN},
    {"raw_local_timer_entry", GD_IRQ_RUN},
    {"raw_local_timer_exit", GD_IRQ_RUN},
    {"raw_call_function_entry", kNone},
    {"raw_call_function_exit", kNone},
    {"raw_call_single_entry", kNone},
    {"raw_call_single_exit", kNone},
    {"raw_irq_work_entry", kNone},
    {"raw_irq_work_exit", kNone},
    {"raw_hrtimer_entry", kNone},
    {"raw_hrtimer_exit", kNone},
    {"raw_timer_entry", kNone},
    {"raw_timer_exit", kNone},
    {"raw_work_start", GD_WORK},
    {"raw_work_end", GD_WORK},
    {"raw_fork", GD_TASK},
    {"raw_exec", GD_TASK},
    {"raw_rename", GD_TASK},
    {"raw_exit", GD_TASK},
    {"alive_tasks", GD_TASK},
    {"block_start", GD_BLOCK_ISSUE},
    {"block_issue", GD_BLOCK_ISSUE},
    {"raw_block_requeue", GD_BLOCK_ISSUE},
    {"block_complete", GD_BLOCK_COMPLETE},
    {"net_send", GD_NET_SEND},
    {"net_send_by_cast", GD_NET_SEND},
    {"net_receive", GD_NET_RECEIVE},
    {"net_receive_by_cast", GD_NET_RECEIVE},
    {"counted_call", GD_COUNTED_CALL},
    {"local_ready", kNone},
    {"local_send", GD_LOCAL_MESSAGE},
    {"local_receive", GD_LOCAL_MESSAGE},
    {"enter_socket_send", kNone},
    {"leave_socket_send", GD_LOCAL_MESSAGE},
    {"leave_socket_receive", GD_LOCAL_MESSAGE},
    {"enter_pipe_write", kNone},
    {"leave_pipe_write", GD_LOCAL_MESSAGE},
    {"leave_pipe_read", GD_LOCAL_MESSAGE},
    {"local_write_begins", kNone},
    {"local_write_ends", GD_LOCAL_MESSAGE},
    {"local_read_ends", GD_LOCAL_MESSAGE},
    {"raw_wait_stack", GD_STACK_SAMPLE},
    {"raw_wake_stack", GD_STACK_SAMPLE},
    {"cpu_stack", GD_STACK_SAMPLE},
    {"raw_unwind_fork", GD_STACK},
    {"raw_unwind_exec", GD_STACK},
    {"raw_unwind_exit", GD_STACK},
};

// bpf_link_info of 6.7, of which Debian 12's header knows the beginning only.
struct ProbeLinkInfo {
  uint32_t type;
  uint32_t id;
  uint32_t program_id;
  uint32_t unused;
  uint32_t event_type;
  uint32_t unused_too;
  uint64_t function_name;
  uint32_t name_bytes;
  uint32_t offset;
  uint64_t address;
  uint64_t missed;
  uint64_t cookie;
};
static_assert(offsetof(ProbeLinkInfo, missed) == 48);
enum EventType : uint32_t { kKprobe = 3, kKretprobe = 4 };

}  // namespace

std::optional<gd_kind> KindOfProgram(std::string_view program) {
  for (const ProgramKind& row : kPrograms)
    if (row.program == program) return row.kind;
  return std::nullopt;
}

std::vector<uint64_t> SumByKind(const std::vector<LeftOut>& left_out) {
  std::vector<uint64_t> sums(GD_KINDS);
  for (const LeftOut& program : left_out) sums[program.kind] += program.count;
  return sums;
}

uint64_t HitsMissed(int link_fd) {
  ProbeLinkInfo info{};
  uint32_t bytes = sizeof(info);
  if (bpf_obj_get_info_by_fd(link_fd, &info, &bytes) != 0) return 0;
  const bool is_probe = info.event_type == kKprobe || info.event_type == kKretprobe;
  return bytes > offsetof(ProbeLinkInfo, missed) && is_probe ? info.missed : 0;
}

}  // namespace gordian
