// SPDX-License-Identifier: Apache-2.0
// Programs that the kernel did not run at their hook, and what they would have told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpf/events.h"

namespace gordian {

struct LeftOut {
  std::string program;
  // The kind of record that it writes; 0: it only keeps a state that others' records tell.
  gd_kind kind{};
  uint64_t count = 0;        // so far
  bool told_by_cpu = false;  // it is in gd_cpu.left_out, too
};

// By kind alone.
std::vector<uint64_t> SumByKind(const std::vector<LeftOut>& left_out);

// Empty for a name that no program of ours has.
std::optional<gd_kind> KindOfProgram(std::string_view program);

// The hits of a kprobe or kretprobe that ran no program, as the kernel (6.7+) counts them. 0 of any
// other link, and on older kernels.
uint64_t HitsMissed(int link_fd);

}  // namespace gordian
