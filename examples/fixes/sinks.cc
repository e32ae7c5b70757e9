// SPDX-License-Identifier: Apache-2.0
// CPU time.
#include "examples/fixes/fixes.h"
#include "examples/fixes/queue.h"

namespace gordian::fixes {

__attribute__((noinline)) void Compress(uint64_t work_us) {
  Work(work_us);
  asm volatile("");  // else the call above would be a jump, and this function in no stack
}

// A reader, and a compressor that is slower. Fixed: Compress takes half the time.
double CpuSink(const Options& options) {
  Run run(options);
  Queue<int> items(8);
  run.Start("reader", [&] {
    while (run.Goes()) {
      Work(100);
      items.Put(0);
    }
  });
  run.Start("compressor", [&] {
    while (items.Take()) {
      Work(50);
      Compress(options.fixed ? 200 : 400);
      run.CountOne();
    }
  });
  return run.Finish([&] { items.Close(); });
}

// Two threads that only work. (What mends it is not more threads: to be run on one CPU and on two.)
double Hogs(const Options& options) {
  Run run(options);
  for (int i = 0; i < 2; ++i) {
    run.Start("hog", [&] {
      while (run.Goes()) {
        Work(500);
        run.CountOne();
      }
    });
  }
  return run.Finish();
}

}  // namespace gordian::fixes
