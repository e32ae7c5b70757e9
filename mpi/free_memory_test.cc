// SPDX-License-Identifier: Apache-2.0
#include "mpi/free_memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace gordian {
namespace {

// The allocator learns from the first ones that were freed.
TEST(FreeMemory, IsNotKeptInLargeBlocks) {
  constexpr size_t kBlockBytes = 8 << 20;
  constexpr size_t kBlocks = 8;
  GiveBackFreedBlocks();
  const size_t before = ::mallinfo2().fordblks;
  for (int time = 0; time < 3; ++time) {
    std::vector<std::unique_ptr<char[]>> blocks;
    std::vector<std::unique_ptr<char[]>> between;  // so that nothing but blocks can be given back
    for (size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(std::make_unique<char[]>(kBlockBytes));
      between.push_back(std::make_unique<char[]>(64));
    }
    blocks.clear();
    EXPECT_LT(::mallinfo2().fordblks, before + kBlockBytes);
  }
}

}  // namespace
}  // namespace gordian
