// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "puppet.h"

namespace knots {

inline __attribute__((always_inline)) void* Innermost() {
  void* here = PuppetHere();  // line of: innermost
  __asm__ volatile("" ::: "memory");
  return here;
}

inline __attribute__((always_inline)) void* Middle() {
  return Innermost();  // line of: middle
}

template <typename Value>
__attribute__((noinline)) void* Outer(const std::vector<Value>&) {
  return Middle();  // line of: outer
}

}  // namespace knots

void* PuppetInlined() { return knots::Outer(std::vector<int>{}); }
