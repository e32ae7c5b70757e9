// SPDX-License-Identifier: Apache-2.0
// Detaching for a while, and the cost of all programs.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gordian.skel.h"
#include "recorder/attach/kernel_programs.h"

namespace gordian {
namespace {

constexpr double kDearShare = 0.01;

// A CPU's state when its programs were detached is over when they come back. They would take it for
// the present state.
void ForgetContext(gd_cpu& cpu) {
  cpu.in_hardirq = cpu.in_softirq = cpu.hard_timer = cpu.soft_timer = 0;
  cpu.hard_woke = cpu.soft_woke = cpu.packet_told = 0;
  cpu.hard_disk = cpu.soft_disk = cpu.packet_interface = cpu.packet_flow = 0;
  cpu.packet_sender = cpu.loopback_sender = 0;
  cpu.sample_due_ns = 0;
  memset(cpu.loopbacks, 0, sizeof(cpu.loopbacks));
}

// The programs that must see all of a request to a disk, or nothing of it.
bool FollowsRequests(std::string_view program) {
  return program.find("block_") != std::string_view::npos;
}

}  // namespace

std::map<std::string, uint64_t> KernelPrograms::RunTimesNs() const {
  std::map<std::string, uint64_t> run_ns;
  ForEachLoaded([&](std::string_view name, const bpf_prog_info& info) {
    run_ns[std::string(name)] = info.run_time_ns;
  });
  return run_ns;
}

void KernelPrograms::BeginAccount() { run_before_ns_ = RunTimesNs(); }

bool KernelPrograms::EndAccount(uint64_t& run_ns) {
  std::map<std::string, uint64_t> took_ns = RunTimesNs();
  run_ns = 0;
  for (auto& [program, ns] : took_ns) run_ns += ns -= std::min(ns, run_before_ns_[program]);
  if (run_ns == 0) return false;
  const auto all_ns = static_cast<double>(run_ns);
  std::set<std::string_view> staying;
  share_in_pauses_ = 0;
  for (Link& link : links_) {
    const auto its_ns = static_cast<double>(took_ns[std::string(link.attachment.program)]);
    link.dear = !link.in_pauses && its_ns > kDearShare * all_ns;
    // One program may stand at several places.
    if (!link.dear && staying.insert(link.attachment.program).second)
      share_in_pauses_ += its_ns / all_ns;
  }
  return true;
}

// The sampler and the counters of calls are always detached, and made anew.
void KernelPrograms::Pause() {
  __atomic_store_n(&skeleton_->bss->recording, GD_RECORD_IDENTITIES, __ATOMIC_SEQ_CST);
  for (Link& link : links_) {
    const bool stays = link.in_pauses || !link.dear;
    if (stays && !link.attachment.program.empty()) continue;
    DetachLink(link);
  }
  std::erase_if(links_, [](const Link& link) { return link.attachment.program.empty(); });
}

absl::Status KernelPrograms::Resume(uint64_t now_ns) {
  for (int cpu = 0; cpu < cpus_; ++cpu) ForgetContext(skeleton_->bss->cpus[cpu]);
  for (Link& link : links_) {
    if (link.link != nullptr) continue;
    if (FollowsRequests(link.attachment.program)) skeleton_->bss->requests_known_since_ns = now_ns;
    link.link = AttachOne(link.attachment);
    if (link.link != nullptr) continue;
    return absl::UnavailableError(
        absl::StrCat("cannot attach ", std::string(link.attachment.program),
                     " again after a pause: ", strerror(errno), "; record with --budget none"));
  }
  if (absl::Status status = AttachCpuSampler(); !status.ok()) return status;
  return AttachCallCounters();
}

}  // namespace gordian
