// SPDX-License-Identifier: Apache-2.0
namespace {

__attribute__((noinline)) void* Here() {
  return __builtin_extract_return_addr(__builtin_return_address(0));
}

}  // namespace

extern "C" __attribute__((noinline)) void* PuppetPlugin() {
  void* here = Here();  // line of: plugin
  __asm__ volatile("" ::: "memory");
  return here;
}
