// SPDX-License-Identifier: Apache-2.0
#include "recorder/drain/interface_numbers.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

constexpr uint32_t kOwn = 4026531833;
constexpr uint32_t kFront = 4026532201;
constexpr uint32_t kBack = 4026532305;

TEST(InterfaceNumbers, TheRecordersOwnKeepTheirIndex) {
  InterfaceNumbers numbers(kOwn);
  EXPECT_EQ(numbers.NumberOf(kOwn, 3), 3u);
  EXPECT_EQ(numbers.NumberOf(0, 3), 3u);  // a kernel that does not tell
  EXPECT_TRUE(numbers.foreign().empty());
}

TEST(InterfaceNumbers, TheSameIndexInTwoNamespacesIsTwoInterfaces) {
  InterfaceNumbers numbers(kOwn);
  const uint32_t front = numbers.NumberOf(kFront, 3);
  const uint32_t back = numbers.NumberOf(kBack, 3);
  EXPECT_EQ(front, kFirstForeignInterface);
  EXPECT_EQ(back, kFirstForeignInterface + 1);
  EXPECT_EQ(numbers.NumberOf(kFront, 3), front);
  EXPECT_EQ(numbers.NumberOf(kBack, 3), back);
  EXPECT_EQ(numbers.foreign()[1].network, kBack);
  EXPECT_EQ(numbers.foreign()[1].index, 3u);
}

TEST(InterfaceNumbers, TooManyShareANumberAndAreCounted) {
  InterfaceNumbers numbers(kOwn, /*most=*/2);
  numbers.NumberOf(kFront, 3);
  numbers.NumberOf(kFront, 4);
  EXPECT_EQ(numbers.NumberOf(kFront, 5), kFirstForeignInterface + 2);
  EXPECT_EQ(numbers.NumberOf(kBack, 3), kFirstForeignInterface + 2);
  EXPECT_EQ(numbers.without_number(), 2u);
  EXPECT_EQ(numbers.NumberOf(kFront, 4), kFirstForeignInterface + 1);
  EXPECT_EQ(numbers.foreign().size(), 2u);
}

}  // namespace
}  // namespace gordian
