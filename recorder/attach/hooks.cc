// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/hooks.h"

namespace gordian {
namespace {

using Kind = Attachment::Kind;

constexpr bool kRequired = true;
constexpr bool kOptional = false;
constexpr bool kInPauses = true;

// Softirq vectors, as the kernel numbers them.
constexpr uint64_t kTimer = 1, kNetReceive = 3, kBlock = 4;

Candidate Raw(std::string_view name, std::string_view program) {
  return {name, {{Kind::kRaw, program, ""}}};
}
Candidate RawPair(std::string_view name, std::string_view entry, std::string_view exit) {
  return {name, {{Kind::kRaw, entry, ""}, {Kind::kRaw, exit, ""}}};
}

// Typed raw tracepoints: the kernel hands over its structures and the programs read them directly.
Candidate Typed(std::string_view name, std::string_view program) {
  return {name, {{Kind::kTyped, program, ""}}};
}
Candidate TypedSwitch(bool stacks) {
  return Typed("tp_btf/sched_switch",
               stacks ? "tracepoint_switch_with_stack" : "tracepoint_switch");
}
Candidate TypedWake(bool stacks) {
  return Typed("tp_btf/sched_waking", stacks ? "tracepoint_wake_with_stack" : "tracepoint_wake");
}
Candidate RawSoftirqs() {
  return RawPair("raw_tp/softirq_entry+exit", "raw_softirq_entry", "raw_softirq_exit");
}
Candidate RawIrqs() {
  return RawPair("raw_tp/irq_handler_entry+exit", "raw_irq_entry", "raw_irq_exit");
}

// The three softirqs that wake most threads by their handlers, each a function of its own that
// tells its vector, and all others (tasklets, RCU, timers of high resolution) by the tracepoints.
Candidate ProbedSoftirqs() {
  Candidate candidate{"kprobe/softirq handlers", {}};
  const auto handler = [&](std::string_view function, uint64_t vector) {
    candidate.attachments.push_back({Kind::kKprobe, "kprobe_softirq_entry", function, vector});
    candidate.attachments.push_back({Kind::kKretprobe, "kprobe_softirq_exit", function, vector});
  };
  handler("net_rx_action", kNetReceive);
  handler("blk_done_softirq", kBlock);
  handler("run_timer_softirq", kTimer);
  for (const Attachment& attachment : RawSoftirqs().attachments)
    candidate.attachments.push_back(attachment);
  return candidate;
}

Candidate ProbedIrqs(std::string_view function) {
  return {"kprobe/irq handlers",
          {{Kind::kKprobe, "kprobe_irq_entry", function},
           {Kind::kKretprobe, "kprobe_irq_exit", function}}};
}

void AddCommonHooks(const KernelFeatures& features, std::vector<Hook>& hooks) {
  hooks.push_back(
      {"timer",
       kRequired,
       {RawPair("raw_tp/hrtimer_expire_entry+exit", "raw_hrtimer_entry", "raw_hrtimer_exit")}});
  hooks.push_back(
      {"softirq timer",
       kOptional,
       {RawPair("raw_tp/timer_expire_entry+exit", "raw_timer_entry", "raw_timer_exit")}});
  hooks.push_back({"timer interrupt",
                   kOptional,
                   {RawPair("raw_tp/local_timer_entry+exit", "raw_local_timer_entry",
                            "raw_local_timer_exit")}});
  hooks.push_back({"call function",
                   kOptional,
                   {RawPair("raw_tp/call_function_entry+exit", "raw_call_function_entry",
                            "raw_call_function_exit")}});
  hooks.push_back({"call function single",
                   kOptional,
                   {RawPair("raw_tp/call_function_single_entry+exit", "raw_call_single_entry",
                            "raw_call_single_exit")}});
  hooks.push_back(
      {"irq work",
       kOptional,
       {RawPair("raw_tp/irq_work_entry+exit", "raw_irq_work_entry", "raw_irq_work_exit")}});
  hooks.push_back(
      {"work",
       kOptional,
       {RawPair("raw_tp/workqueue_execute_start+end", "raw_work_start", "raw_work_end")}});
  hooks.push_back({"fork", kRequired, {Raw("raw_tp/sched_process_fork", "raw_fork")}, kInPauses});
  hooks.push_back({"exec", kRequired, {Raw("raw_tp/sched_process_exec", "raw_exec")}, kInPauses});
  hooks.push_back({"rename", kRequired, {Raw("raw_tp/task_rename", "raw_rename")}, kInPauses});
  hooks.push_back({"exit", kRequired, {Raw("raw_tp/sched_process_exit", "raw_exit")}, kInPauses});
  if (features.block_start)
    hooks.push_back({"block start", kOptional, {Typed("tp_btf/block_io_start", "block_start")}});
  hooks.push_back({"block issue", kRequired, {Typed("tp_btf/block_rq_issue", "block_issue")}});
  hooks.push_back(
      {"block requeue", kOptional, {Raw("raw_tp/block_rq_requeue", "raw_block_requeue")}});
  hooks.push_back(
      {"block complete", kRequired, {Typed("tp_btf/block_rq_complete", "block_complete")}});
  hooks.push_back(
      {"net send",
       kRequired,
       {Typed("tp_btf/net_dev_queue", features.rdonly_cast ? "net_send_by_cast" : "net_send")}});
  hooks.push_back({"net receive",
                   kRequired,
                   {Typed("tp_btf/netif_receive_skb",
                          features.rdonly_cast ? "net_receive_by_cast" : "net_receive")}});
}

// Beside probes, where the kernel does not count those that it leaves out.
void AddLeftOutHooks(std::vector<Hook>& hooks) {
  hooks.push_back(
      {"switch left out", kOptional, {Raw("raw_tp/sched_switch", "count_switch_left_out")}});
  hooks.push_back(
      {"wake left out", kOptional, {Raw("raw_tp/sched_waking", "count_wake_left_out")}});
  hooks.push_back(
      {"hardirq left out", kOptional, {Raw("raw_tp/irq_handler_entry", "count_irq_left_out")}});
}

// If no program of the backend looks for stacks itself, a program for stacks stands beside it.
void AddStackHooks(Backend backend, std::vector<Hook>& hooks) {
  if (backend == Backend::kKprobe)
    hooks.push_back({"wait stack", kRequired, {Raw("raw_tp/sched_switch", "raw_wait_stack")}});
  if (backend != Backend::kTracepoint)
    hooks.push_back({"wake stack", kRequired, {Raw("raw_tp/sched_waking", "raw_wake_stack")}});
#if defined(__x86_64__)
  hooks.push_back({"unwinding after fork",
                   kRequired,
                   {Raw("raw_tp/sched_process_fork", "raw_unwind_fork")},
                   kInPauses});
  hooks.push_back({"unwinding after exec",
                   kRequired,
                   {Raw("raw_tp/sched_process_exec", "raw_unwind_exec")},
                   kInPauses});
  hooks.push_back({"unwinding until exit",
                   kRequired,
                   {Raw("raw_tp/sched_process_exit", "raw_unwind_exit")},
                   kInPauses});
#endif
}

}  // namespace

std::string_view BackendName(Backend backend) {
  switch (backend) {
    case Backend::kTracepoint:
      return "tracepoint";
    case Backend::kFentry:
      return "fentry";
    case Backend::kKprobe:
      return "kprobe";
  }
  return "unknown";
}

std::vector<Hook> LocalMessageHooks(const LocalMessageChoice& choice,
                                    const KernelFeatures& features) {
  std::vector<Hook> hooks;
  if (choice.sockets) {
    Hook& sockets = hooks.emplace_back(Hook{"unix socket messages", kRequired, {}});
    if (features.socket_lengths)
      sockets.candidates.push_back({"tp_btf/sock_send_length+recv_length",
                                    {{Kind::kTyped, "local_ready", ""},
                                     {Kind::kTyped, "local_send", ""},
                                     {Kind::kTyped, "local_receive", ""}}});
    else if (features.enters_sockets)
      sockets.candidates.push_back({"fentry/unix_stream_sendmsg+recvmsg",
                                    {{Kind::kFentry, "enter_socket_send", ""},
                                     {Kind::kFentry, "leave_socket_send", ""},
                                     {Kind::kFentry, "leave_socket_receive", ""}}});
  }
  if (!choice.pipes) return hooks;
  Hook& pipes = hooks.emplace_back(Hook{"pipe messages", kRequired, {}});
  if (features.enters_pipes)
    pipes.candidates.push_back({"fentry/pipe_write+read",
                                {{Kind::kFentry, "enter_pipe_write", ""},
                                 {Kind::kFentry, "leave_pipe_write", ""},
                                 {Kind::kFentry, "leave_pipe_read", ""}}});
  pipes.candidates.push_back({"tracepoint/syscalls read+write",
                              {{Kind::kCall, "local_write_begins", "sys_enter_write"},
                               {Kind::kCall, "local_write_begins", "sys_enter_writev"},
                               {Kind::kCall, "local_write_ends", "sys_exit_write"},
                               {Kind::kCall, "local_write_ends", "sys_exit_writev"},
                               {Kind::kCall, "local_read_ends", "sys_exit_read"},
                               {Kind::kCall, "local_read_ends", "sys_exit_readv"}}});
  return hooks;
}

std::vector<Hook> HooksOf(Backend backend, bool stacks, const KernelFeatures& features) {
  std::vector<Hook> hooks;
  switch (backend) {
    case Backend::kTracepoint:
      hooks.push_back({"switch", kRequired, {TypedSwitch(stacks)}});
      hooks.push_back({"wake", kRequired, {TypedWake(stacks)}});
      hooks.push_back({"softirq", kRequired, {RawSoftirqs()}});
      hooks.push_back({"hardirq", kRequired, {RawIrqs()}});
      break;
    case Backend::kFentry:
      // The switch itself cannot be entered this way on any kernel (notrace, or busy): its
      // tracepoint serves.
      hooks.push_back({"switch", kRequired, {TypedSwitch(stacks)}});
      hooks.push_back(
          {"wake", kRequired, {{"fentry/try_to_wake_up", {{Kind::kFentry, "fentry_wake", ""}}}}});
      // Handlers' functions would tell a part of the vectors only.
      hooks.push_back({"softirq", kRequired, {RawSoftirqs()}});
      hooks.push_back({"hardirq", kRequired, {RawIrqs()}});
      break;
    case Backend::kKprobe:
      hooks.push_back(
          {"switch",
           kRequired,
           {{"kprobe/__switch_to", {{Kind::kKprobe, "kprobe_switch_to", "__switch_to"}}},
            {"kprobe/finish_task_switch",
             {{Kind::kKprobe, "kprobe_finish_switch", "finish_task_switch*"}}},
            Raw("raw_tp/sched_switch", "raw_switch")}});
      // Without a fallback: if try_to_wake_up cannot be probed, there is no kprobe backend.
      hooks.push_back(
          {"wake",
           kRequired,
           {{"kprobe/try_to_wake_up", {{Kind::kKprobe, "kprobe_wake", "try_to_wake_up"}}}}});
      hooks.push_back({"softirq", kRequired, {ProbedSoftirqs(), RawSoftirqs()}});
      hooks.push_back(
          {"hardirq",
           kRequired,
           {ProbedIrqs("__handle_irq_event_percpu"), ProbedIrqs("handle_irq_event"), RawIrqs()}});
      break;
  }
  AddCommonHooks(features, hooks);
  if (stacks) AddStackHooks(backend, hooks);
  if (backend == Backend::kKprobe && features.probes_left_out_uncounted) AddLeftOutHooks(hooks);
  return hooks;
}

}  // namespace gordian
