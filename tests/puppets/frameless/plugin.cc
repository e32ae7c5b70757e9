// SPDX-License-Identifier: Apache-2.0
// Loaded while the puppet runs.

extern "C" __attribute__((noinline)) int ThroughPlugin(int (*inner)(int), int depth) {
  volatile int padding[7] = {depth};  // a frame of its own size
  padding[3] = inner(depth + 1);
  return padding[3] + padding[0];
}
