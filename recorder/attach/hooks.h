// SPDX-License-Identifier: Apache-2.0
// Which kernel hook each kind of event is taken from, for each backend: a table, so that a new hook
// is a new line.
//
// Every hook has candidates, best first. A candidate is one or more attachments that only make
// sense together (the entry and the exit of an interrupt). The first candidate whose attachments
// all succeed is taken. ENOENT or EINVAL on one means the next candidate. The whole fails only if
// the hook is required and no candidate is left.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "recorder/attach/local_message_choice.h"

namespace gordian {

enum class Backend { kTracepoint, kFentry, kKprobe };
std::string_view BackendName(Backend backend);

struct Attachment {
  enum class Kind { kTyped, kRaw, kKprobe, kKretprobe, kFentry, kCall };
  Kind kind;
  std::string_view program;  // the BPF program's name
  // kKprobe, kKretprobe: the function; a final * stands for the compiler's suffix. kCall: the
  // tracepoint of a system call.
  std::string_view symbol;
  uint64_t cookie = 0;    // handed to the program
  bool optional = false;  // the candidate stands without it
};

struct Candidate {
  std::string_view name;  // as session.pb tells it
  std::vector<Attachment> attachments;
};

struct Hook {
  std::string_view event;
  bool required;
  std::vector<Candidate> candidates;
  bool in_pauses = false;  // stays attached while the recording pauses
};

// Features of the running kernel that other kernels lack.
struct KernelFeatures {
  bool prev_state = false;      // 5.18: sched_switch passes it
  bool rdonly_cast = false;     // 6.2: programs may look at any memory by plain loads
  bool block_start = false;     // 6.5: the tracepoint block_io_start
  bool socket_lengths = false;  // 6.3: tracepoints for the sends and receives of sockets
  // Programs may stand at the beginning and end of these functions (fentry).
  bool enters_sockets = false;
  bool enters_pipes = false;
  // Before 6.7 the kernel does not count the programs at probes that it does not run. From 5.10 on
  // programs of ours can.
  bool probes_left_out_uncounted = false;
};

// Of what is asked for. A hook without a candidate cannot be had on this kernel.
std::vector<Hook> LocalMessageHooks(const LocalMessageChoice& choice,
                                    const KernelFeatures& features);

// With stacks some programs are others, and there are more.
std::vector<Hook> HooksOf(Backend backend, bool stacks, const KernelFeatures& features);

}  // namespace gordian
