// SPDX-License-Identifier: Apache-2.0
// The subject of the analysis: the target, and those of its threads that do the work.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/evidence/measures.h"

namespace gordian {

struct Target {
  std::string chosen_by;        // recording, option, busiest group
  std::string description;      // "figure1: 2 threads, 92 % of all recorded CPU time"
  std::vector<char> is_target;  // by vertex
  // The vertices that do the work: at least a hundredth of one CPU or of the target's CPU time, or
  // waiting for disks for a time that matters. Idle pools are not among them.
  std::vector<uint32_t> workers;
  // These are all threads but the target's: what they ask each other is nobody's question here.
  bool is_the_others = false;
};

// Without any mark: the busiest group of threads, by CPU time. Working threads belong together if
// they are of one process or one waits for the other for a time that matters. Kernel threads,
// devices and threads that hardly work tie no threads together. The recorder is never a target.
Target ChooseTarget(const Measures& measures, bool named_by_option);

// A thread of a user outside of the target: a load generator, say. Not devices, not the kernel.
bool IsOutsider(const Measures& measures, const Target& target, uint32_t vertex);

}  // namespace gordian
