// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stacks/inner_frames.h"

#include "analyzer/stacks/name_list.h"

namespace gordian {
namespace {

// Beginnings of names, for names that are numbered or generated.
constexpr std::string_view kTracingPrefixes[] = {
    "bpf_prog_",    "bpf_trace_run",  "bpf_get_stack",         "bpf_trampoline_",
    "__traceiter_", "__bpf_trace_",   "__bpf_prog_",           "bpf_dispatcher",
    "perf_trace_",  "trace_call_bpf", "trace_event_raw_event_"};
// The functions that a sample on a timer, and a kprobe, come through.
constexpr std::string_view kTracing[] = {"kprobe_dispatcher",
                                         "kprobe_perf_func",
                                         "kretprobe_dispatcher",
                                         "kretprobe_perf_func",
                                         "kprobe_ftrace_handler",
                                         "kprobe_handler",
                                         "kprobe_int3_handler",
                                         "opt_kprobe_func",
                                         "optimized_callback",
                                         "ftrace_call",
                                         "ftrace_regs_call",
                                         "ftrace_ops_assist_func",
                                         "ftrace_regs_caller",
                                         "ftrace_caller",
                                         "exc_int3",
                                         "asm_exc_int3",
                                         "do_int3",
                                         "pre_handler_kretprobe",
                                         "__this_module"};
constexpr std::string_view kWaiting[] = {"__schedule",
                                         "schedule",
                                         "preempt_schedule",
                                         "schedule_idle",
                                         "io_schedule",
                                         "io_schedule_timeout",
                                         "schedule_timeout",
                                         "schedule_preempt_disabled",
                                         "schedule_timeout_interruptible",
                                         "schedule_timeout_uninterruptible",
                                         "schedule_hrtimeout",
                                         "schedule_hrtimeout_range",
                                         "schedule_hrtimeout_range_clock",
                                         "preempt_schedule_common",
                                         "preempt_schedule_notrace",
                                         "__cond_resched",
                                         "rt_mutex_schedule",
                                         "finish_task_switch"};
constexpr std::string_view kWaking[] = {"try_to_wake_up",
                                        "ttwu_do_activate",
                                        "ttwu_queue_wakelist",
                                        "wake_up_process",
                                        "wake_up_state",
                                        "default_wake_function",
                                        "wake_up_q",
                                        "autoremove_wake_function",
                                        "woken_wake_function",
                                        "__wake_up_common",
                                        "__wake_up_common_lock",
                                        "__wake_up",
                                        "__wake_up_sync",
                                        "__wake_up_sync_key",
                                        "__wake_up_locked",
                                        "__wake_up_locked_key",
                                        "__wake_up_locked_sync_key"};
constexpr std::string_view kSampling[] = {"perf_swevent_hrtimer",
                                          "__perf_event_overflow",
                                          "perf_event_overflow",
                                          "__hrtimer_run_queues",
                                          "hrtimer_run_queues",
                                          "hrtimer_interrupt",
                                          "__sysvec_apic_timer_interrupt",
                                          "sysvec_apic_timer_interrupt",
                                          "asm_sysvec_apic_timer_interrupt",
                                          "bpf_overflow_handler",
                                          "arch_timer_handler_virt",
                                          "arch_timer_handler_phys",
                                          "cpu_clock_event_start"};

}  // namespace

bool IsTakingOfSample(std::string_view function, StackSide side) {
  for (const std::string_view prefix : kTracingPrefixes) {
    if (function.starts_with(prefix)) return true;
  }
  if (Holds(kTracing, function)) return true;
  switch (side) {
    case StackSide::kWaiter:
      return Holds(kWaiting, function);
    case StackSide::kWaker:
      return Holds(kWaking, function);
    case StackSide::kRunning:
      return Holds(kSampling, function);
  }
  return false;
}

}  // namespace gordian
