// SPDX-License-Identifier: Apache-2.0
#include "symbols/spin_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace gordian {
namespace {

using Code = std::vector<uint8_t>;

// Whether it spins, seen from each of `loop`'s instructions, with other code before and behind.
bool Spins(const Code& loop, const std::vector<size_t>& instructions, Machine machine) {
  constexpr size_t kAround = 64;
  Code code(2 * kAround + loop.size(), 0xcc);
  std::copy(loop.begin(), loop.end(), code.begin() + kAround);
  for (const size_t at : instructions) {
    if (!IsSpinLoop(code, kAround + at, machine)) return false;
  }
  return true;
}
bool SpinsOnX86(const Code& loop, const std::vector<size_t>& instructions = {0}) {
  return Spins(loop, instructions, Machine::kX86);
}

TEST(SpinLoop, IsAnExchangeUntilItSucceeds) {
  // mov %r13d,%eax; xchg %al,(%r12); test %al,%al; jne back
  EXPECT_TRUE(
      SpinsOnX86({0x44, 0x89, 0xe8, 0x41, 0x86, 0x04, 0x24, 0x84, 0xc0, 0x75, 0xf5}, {0, 3, 7, 9}));
  // xor %eax,%eax; lock cmpxchg %ecx,(%rdx); jne back
  EXPECT_TRUE(SpinsOnX86({0x31, 0xc0, 0xf0, 0x0f, 0xb1, 0x0a, 0x75, 0xf8}, {0, 2, 6}));
}

TEST(SpinLoop, IsALoadUntilItChanges) {
  EXPECT_TRUE(SpinsOnX86({0x0f, 0xb6, 0x07, 0x84, 0xc0, 0x75, 0xf9}, {0, 3, 5}));  // movzx, test
  EXPECT_TRUE(
      SpinsOnX86({0x83, 0x3d, 0x10, 0x20, 0x00, 0x00, 0x00, 0x74, 0xf7}));  // cmp $0,x(%rip)
  EXPECT_TRUE(
      SpinsOnX86({0x8b, 0x07, 0x85, 0xc0, 0x0f, 0x84, 0xf6, 0xff, 0xff, 0xff}));  // long jump
}

TEST(SpinLoop, IsWhatTellsTheProcessorThatItWaits) {
  // dec %ecx; pause; jne: pauses a while, so it counts
  EXPECT_TRUE(SpinsOnX86({0xff, 0xc9, 0xf3, 0x90, 0x75, 0xfa}, {0, 2, 4}));
  // ldr w0, [x1]; yield; cbnz
  EXPECT_TRUE(Spins({0x20, 0x00, 0x40, 0xb9, 0x3f, 0x20, 0x03, 0xd5, 0xc0, 0xff, 0xff, 0x35},
                    {0, 4, 8}, Machine::kArm64));
}

TEST(SpinLoop, IsNoneThatComputes) {
  // add (%rdi),%rax; add $8,%rdi; cmp %rdi,%rsi; jne: a sum
  EXPECT_FALSE(
      SpinsOnX86({0x48, 0x03, 0x07, 0x48, 0x83, 0xc7, 0x08, 0x48, 0x39, 0xfe, 0x75, 0xf4}));
  // mov (%rax),%rax; test %rax,%rax; jne: a walk along a list
  EXPECT_FALSE(SpinsOnX86({0x48, 0x8b, 0x00, 0x48, 0x85, 0xc0, 0x75, 0xf8}));
  // mov %dl,(%rdi); test %dl,%dl; jne: it stores
  EXPECT_FALSE(SpinsOnX86({0x88, 0x17, 0x84, 0xd2, 0x75, 0xfa}));
  // lock xadd %eax,(%rdi); test; jne: it counts
  EXPECT_FALSE(SpinsOnX86({0xf0, 0x0f, 0xc1, 0x07, 0x85, 0xc0, 0x75, 0xf8}));
  // test %al,%al; jne: reads nothing
  EXPECT_FALSE(SpinsOnX86({0x84, 0xc0, 0x75, 0xfc}));
  // a load and a test that do not jump back
  EXPECT_FALSE(SpinsOnX86({0x0f, 0xb6, 0x07, 0x84, 0xc0, 0x75, 0x10}));
  // the same loop, of another machine
  EXPECT_FALSE(Spins({0x0f, 0xb6, 0x07, 0x84, 0xc0, 0x75, 0xf9}, {0}, Machine::kOther));
  EXPECT_FALSE(Spins({0x0f, 0xb6, 0x07, 0x84, 0xc0, 0x75, 0xf9}, {0}, Machine::kArm64));
}

TEST(SpinLoop, CountsOnlyWhereTheThreadIsInIt) {
  const Code code = {0x0f, 0xb6, 0x07, 0x84, 0xc0, 0x75, 0xf9, 0x48, 0xff, 0xc0, 0xc3};
  EXPECT_TRUE(IsSpinLoop(code, 0, Machine::kX86));
  EXPECT_FALSE(IsSpinLoop(code, 7, Machine::kX86));
}

TEST(SpinLoop, IsLookedForInAnyBytes) {
  std::mt19937 random(4);
  int found = 0;
  for (int round = 0; round < 20'000; ++round) {
    Code code(random() % 130);
    for (uint8_t& byte : code) byte = static_cast<uint8_t>(random());
    for (size_t i = 0; i + 1 < code.size(); ++i) {
      if (code[i] == 0xf3 && code[i + 1] == 0x90) code[i] = 0;
    }
    found += IsSpinLoop(code, random() % 130, Machine::kX86);
    IsSpinLoop(code, random() % 130, Machine::kArm64);
  }
  EXPECT_LT(found, 20);  // hardly ever by chance
}

TEST(SpinLoops, AreNoneWhereThereIsNoFile) {
  EXPECT_FALSE(SpinLoops(nullptr).HasOneAt(0));
  const FileHandle closed;
  EXPECT_FALSE(SpinLoops(&closed).HasOneAt(4096));
}

}  // namespace
}  // namespace gordian
