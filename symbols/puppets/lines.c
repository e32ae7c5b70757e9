// SPDX-License-Identifier: Apache-2.0
#include "puppet.h"

void* PuppetHere(void) { return __builtin_extract_return_addr(__builtin_return_address(0)); }

void* PuppetLines(void) {
  void* here = PuppetHere();  // line of: lines
  __asm__ volatile("" ::: "memory");
  return here;
}
