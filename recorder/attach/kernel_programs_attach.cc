// SPDX-License-Identifier: Apache-2.0
// How the loaded programs are attached: hooks, the sampler of CPUs, and counters of system calls.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gordian.skel.h"
#include "recorder/attach/kernel_programs.h"

namespace gordian {
namespace {

// The full name of the function that `pattern` (with a final *) begins, from the kernel's own list;
// the compiler adds suffixes like .isra.0. The pattern itself if there is no such function:
// attaching then says ENOENT.
std::string ResolveSymbol(std::string_view pattern) {
  if (pattern.empty() || pattern.back() != '*') return std::string(pattern);
  std::string stem(pattern.substr(0, pattern.size() - 1));
  const std::string with_suffix = stem + ".";
  std::ifstream symbols("/proc/kallsyms");
  std::string address, type, name, rest;
  while (symbols >> address >> type >> name && std::getline(symbols, rest)) {
    const bool suffixed =
        name.rfind(with_suffix, 0) == 0 && name.find(".cold") == std::string::npos;
    if (name == stem || suffixed) return name;
  }
  return stem;
}

// Single system calls are found by their numbers in tracefs. Distributions mount it at boot, small
// systems may not: then we do, as perf does. If that fails, the error of attaching names the
// missing mount.
void MountTracefs() {
  for (const char* events : {"/sys/kernel/tracing/events", "/sys/kernel/debug/tracing/events"})
    if (access(events, F_OK) == 0) return;
  mount("tracefs", "/sys/kernel/tracing", "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr);
}

}  // namespace

// The software clock is there on every machine, virtual ones included.
absl::Status KernelPrograms::AttachCpuSampler() {
  if (sample_hz_ == 0) return absl::OkStatus();
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_CPU_CLOCK;
  attributes.freq = 1;
  attributes.sample_freq = sample_hz_;
  for (const int cpu : online_) {
    const int event = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC));
    bpf_link* link =
        event < 0 ? nullptr : bpf_program__attach_perf_event(skeleton_->progs.cpu_stack, event);
    if (!link) {
      const int error = errno;
      if (event >= 0) close(event);
      return absl::UnavailableError(
          absl::StrCat("cannot sample CPU ", cpu, ": ", strerror(error),
                       "; record without such samples: --sample-hz 0, or --stacks=off"));
    }
    links_.push_back({.attachment = {}, .link = link});
  }
  return absl::OkStatus();
}

absl::Status KernelPrograms::AttachCallCounters() {
  const std::vector<std::string>& calls = counted_calls_;
  if (!calls.empty()) MountTracefs();
  for (size_t i = 0; i < calls.size(); ++i) {
    bpf_tracepoint_opts options{};
    options.sz = sizeof(options);
    options.bpf_cookie = i;
    bpf_link* link =
        bpf_program__attach_tracepoint_opts(skeleton_->progs.counted_call, "syscalls",
                                            absl::StrCat("sys_exit_", calls[i]).c_str(), &options);
    if (!link) {
      return absl::InvalidArgumentError(absl::StrCat(
          "cannot count the system call ", calls[i], ": ", strerror(errno),
          "; /sys/kernel/tracing/events/syscalls has those this kernel can, as sys_exit_NAME"));
    }
    links_.push_back({.attachment = {}, .link = link});
  }
  return absl::OkStatus();
}

absl::Status KernelPrograms::AttachLocalMessages(std::span<const Hook> hooks) {
  for (const Hook& hook : hooks) {
    const bool by_calls =
        !hook.candidates.empty() &&
        hook.candidates.back().attachments.front().kind == Attachment::Kind::kCall;
    if (by_calls) MountTracefs();
    if (hook.candidates.empty())
      return absl::UnavailableError(
          "this kernel cannot tell messages on unix sockets: it has no tracepoint sock_send_length "
          "(Linux 6.3), and its functions cannot be entered (fentry); record without "
          "--local-messages, or only pipes");
    if (absl::Status status = AttachHook(hook); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status KernelPrograms::AttachHook(const Hook& hook) {
  absl::Status failure;
  for (const Candidate& candidate : hook.candidates) {
    failure = AttachCandidate(candidate, hook.in_pauses);
    if (failure.ok()) {
      hooks_.push_back({std::string(hook.event), std::string(candidate.name)});
      return absl::OkStatus();
    }
  }
  if (!hook.required) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "the ", std::string(backend()), " backend cannot attach here: ", std::string(hook.event),
      ": ", failure.message()));
}

bpf_link* KernelPrograms::AttachOne(const Attachment& attachment) const {
  bpf_program* program =
      bpf_object__find_program_by_name(skeleton_->obj, std::string(attachment.program).c_str());
  if (attachment.kind == Attachment::Kind::kCall)
    return bpf_program__attach_tracepoint(program, "syscalls",
                                          std::string(attachment.symbol).c_str());
  if (attachment.kind != Attachment::Kind::kKprobe &&
      attachment.kind != Attachment::Kind::kKretprobe)
    return bpf_program__attach(program);
  bpf_kprobe_opts options{};
  options.sz = sizeof(options);
  options.bpf_cookie = attachment.cookie;
  options.retprobe = attachment.kind == Attachment::Kind::kKretprobe;
  return bpf_program__attach_kprobe_opts(program, ResolveSymbol(attachment.symbol).c_str(),
                                         &options);
}

// The kernel's count of a probe's missed hits goes with its link.
void KernelPrograms::DetachLink(Link& link) {
  if (link.link == nullptr) return;
  if (const uint64_t missed = HitsMissed(bpf_link__fd(link.link)); missed > 0)
    hits_missed_[std::string(link.attachment.program)] += missed;
  bpf_link__destroy(link.link);
  link.link = nullptr;
}

absl::Status KernelPrograms::AttachCandidate(const Candidate& candidate, bool in_pauses) {
  const size_t before = links_.size();
  for (const Attachment& attachment : candidate.attachments) {
    if (bpf_link* link = AttachOne(attachment)) {
      links_.push_back({attachment, in_pauses, link});
      continue;
    }
    const int error = errno;
    if (attachment.optional) continue;
    while (links_.size() > before) {
      DetachLink(links_.back());
      links_.pop_back();
    }
    return absl::UnavailableError(absl::StrCat(std::string(candidate.name), ": ", strerror(error)));
  }
  return absl::OkStatus();
}

}  // namespace gordian
