// SPDX-License-Identifier: Apache-2.0
// The loaded programs' data beside their rings: lists, sums and counters.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gordian.skel.h"
#include "recorder/attach/kernel_programs.h"

namespace gordian {

absl::StatusOr<std::vector<gd_task>> KernelPrograms::ReadAliveTasks() {
  bpf_link* link = bpf_program__attach_iter(skeleton_->progs.alive_tasks, nullptr);
  if (!link)
    return absl::UnavailableError(
        absl::StrCat("cannot list the node's threads: ", strerror(errno)));
  const int fd = bpf_iter_create(bpf_link__fd(link));
  bpf_link__destroy(link);
  if (fd < 0)
    return absl::UnavailableError(absl::StrCat("cannot list the node's threads: ", strerror(-fd)));

  std::vector<gd_task> tasks;
  std::vector<char> bytes(64 * sizeof(gd_task));
  size_t filled = 0;
  for (;;) {
    const ssize_t count = read(fd, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    filled += count;
    const size_t whole = filled / sizeof(gd_task);
    const size_t at = tasks.size();
    tasks.resize(at + whole);
    memcpy(tasks.data() + at, bytes.data(), whole * sizeof(gd_task));
    filled -= whole * sizeof(gd_task);
    memmove(bytes.data(), bytes.data() + whole * sizeof(gd_task), filled);
  }
  close(fd);
  return tasks;
}

std::vector<HardirqTotal> KernelPrograms::ReadHardirqTotals() const {
  std::vector<HardirqTotal> totals;
  const int map = bpf_map__fd(skeleton_->maps.hardirq_totals);
  gd_irq_key key{}, next{};
  gd_irq_key* previous = nullptr;
  while (bpf_map_get_next_key(map, previous, &next) == 0) {
    gd_run_total total{};
    if (bpf_map_lookup_elem(map, &next, &total) == 0) totals.push_back({next.cpu, next.irq, total});
    key = next;
    previous = &key;
  }
  return totals;
}

uint64_t KernelPrograms::CountStacksNotTaken() const {
  return __atomic_load_n(&skeleton_->bss->stacks_not_taken, __ATOMIC_RELAXED);
}

const gd_test_windows& KernelPrograms::test_windows() const { return skeleton_->bss->test_windows; }

void KernelPrograms::ForEachLoaded(
    const std::function<void(std::string_view name, const bpf_prog_info& info)>& look) const {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton_->obj) {
    if (bpf_program__fd(program) < 0) continue;
    bpf_prog_info info{};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) == 0)
      look(bpf_program__name(program), info);
  }
}

std::vector<LeftOut> KernelPrograms::CountLeftOut() const {
  std::map<std::string, uint64_t> counts = hits_missed_;
  ForEachLoaded([&](std::string_view name, const bpf_prog_info& info) {
    counts[std::string(name)] += info.recursion_misses;
  });
  for (const Link& link : links_)
    if (link.link != nullptr)
      counts[std::string(link.attachment.program)] += HitsMissed(bpf_link__fd(link.link));
  std::vector<LeftOut> left_out;
  for (const auto& [program, count] : counts) {
    const auto before = left_out_before_.find(program);
    const uint64_t since = before == left_out_before_.end() ? count : count - before->second;
    if (since > 0)
      left_out.push_back({program, KindOfProgram(program).value_or(gd_kind{}), since, false});
  }
  // Counted by programs of ours (bpf/left_out.bpf.c), in the name of those that were left out.
  for (const auto& [program, kind] : {std::pair{"kprobe_switch_to", GD_SWITCH},
                                      {"kprobe_wake", GD_WAKE},
                                      {"kprobe_irq_entry", GD_IRQ_RUN}}) {
    uint64_t count = 0;
    for (int cpu = 0; cpu < cpus_; ++cpu)
      count += __atomic_load_n(&this->cpu(cpu).left_out[kind], __ATOMIC_RELAXED);
    if (count > 0) left_out.push_back({program, kind, count, true});
  }
  return left_out;
}

}  // namespace gordian
