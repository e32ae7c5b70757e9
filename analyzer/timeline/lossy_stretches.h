// SPDX-License-Identifier: Apache-2.0
// The stretches of time in which a CPU's switches were lost.
#pragma once

#include <cstdint>
#include <vector>

namespace gordian {

class LossyStretches {
 public:
  // Both ends belong to it. In any order.
  void Add(uint16_t cpu, uint64_t from_ns, uint64_t to_ns);
  // Sorts and joins; call it before the first question.
  void Finish();

  bool Touches(uint16_t cpu, uint64_t from_ns, uint64_t to_ns) const {
    return cpu < of_cpu_.size() && !of_cpu_[cpu].empty() && Search(cpu, from_ns, to_ns);
  }

 private:
  struct Stretch {
    uint64_t from_ns, to_ns;
  };
  bool Search(uint16_t cpu, uint64_t from_ns, uint64_t to_ns) const;

  std::vector<std::vector<Stretch>> of_cpu_;
};

}  // namespace gordian
