// SPDX-License-Identifier: Apache-2.0
#include "serve/answer_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace gordian {
namespace {

HttpAnswer AnswerOf(size_t bytes) {
  return {.body = std::make_shared<const std::string>(bytes, 'x')};
}

TEST(AnswerCache, FindsWhatItKeeps) {
  AnswerCache cache;
  EXPECT_EQ(cache.Find("a").body, nullptr);
  cache.Keep("a", AnswerOf(3));
  ASSERT_NE(cache.Find("a").body, nullptr);
  EXPECT_EQ(*cache.Find("a").body, "xxx");
}

TEST(AnswerCache, DropsWhatWasAskedLongestAgo) {
  AnswerCache cache(10'000);
  cache.Keep("a", AnswerOf(4000));
  cache.Keep("b", AnswerOf(4000));
  cache.Find("a");
  cache.Keep("c", AnswerOf(4000));
  EXPECT_NE(cache.Find("a").body, nullptr);
  EXPECT_EQ(cache.Find("b").body, nullptr);
  EXPECT_NE(cache.Find("c").body, nullptr);
}

TEST(AnswerCache, NeverHoldsMoreThanItsBytes) {
  AnswerCache cache(100'000);
  for (int i = 0; i < 1000; ++i) {
    cache.Keep(std::to_string(i), AnswerOf(static_cast<size_t>(i) * 37 % 5000));
    cache.Keep(std::to_string(i), AnswerOf(10));
    EXPECT_LE(cache.bytes(), 100'000u);
  }
  cache.Keep("large", AnswerOf(200'000));
  EXPECT_EQ(cache.Find("large").body, nullptr);
}

}  // namespace
}  // namespace gordian
