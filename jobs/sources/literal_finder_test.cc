// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/literal_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::string RandomText(std::mt19937& random, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += static_cast<char>('a' + random() % 3);
  return text;
}

TEST(LiteralFinder, FindsThoseThatAreThereAndNoOthers) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> literals;
    while (literals.size() < 1 + random() % 12)
      literals.push_back(RandomText(random, 1 + random() % 6));
    LiteralFinder finder(literals);
    for (int i = 0; i < 50; ++i) {
      const std::string line = RandomText(random, random() % 30);
      std::vector<uint32_t> expected;
      for (uint32_t literal = 0; literal < literals.size(); ++literal) {
        if (line.find(literals[literal]) != std::string::npos) expected.push_back(literal);
      }
      EXPECT_THAT(finder.Find(line), UnorderedElementsAreArray(expected)) << line;
    }
  }
}

TEST(LiteralFinder, FindsLongTextsByTheirBeginning) {
  const std::string text(LiteralFinder::kMaxLiteralBytes, 'x');
  LiteralFinder finder({text + "yz"});
  EXPECT_THAT(finder.Find(text + "yz"), ElementsAre(0));
  EXPECT_THAT(finder.Find(text.substr(1) + "yz"), IsEmpty());
}

TEST(LiteralFinder, KnowsEveryByte) {
  std::vector<std::string> literals;
  for (int byte = 0; byte < 256; ++byte) literals.emplace_back(2, static_cast<char>(byte));
  LiteralFinder finder(literals);
  EXPECT_THAT(finder.Find(std::string_view("a\0\0b\xff\xff", 6)),
              UnorderedElementsAreArray({0u, 255u}));
}

}  // namespace
}  // namespace gordian
