// SPDX-License-Identifier: Apache-2.0
#include "mpi/free_memory.h"

#include <malloc.h>

namespace gordian {
namespace {

// Mapping a block costs a call and its pages' faults. With a megabyte the call does not count.
constexpr int kKeptBytes = 1 << 20;

}  // namespace

void GiveBackFreedBlocks() {
  ::mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
}

}  // namespace gordian
