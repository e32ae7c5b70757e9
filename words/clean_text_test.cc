// SPDX-License-Identifier: Apache-2.0
#include "words/clean_text.h"

#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

TEST(CleanText, PlainNamesStayAsTheyAre) {
  EXPECT_EQ(CleanText("kworker/0:1H-kblockd"), "kworker/0:1H-kblockd");
  EXPECT_EQ(CleanText("größe 線程 🧶"), "größe 線程 🧶");
  EXPECT_EQ(CleanText(""), "");
}

TEST(CleanText, WhatCouldForgeLinesOrColoursIsReplaced) {
  EXPECT_EQ(CleanText("a\nb\tc\x1b[31m\x7f"), "a\uFFFDb\uFFFDc\uFFFD[31m\uFFFD");
  EXPECT_EQ(CleanText("\u009b31m"), "\uFFFD31m");  // the one-character form of ESC [
  EXPECT_EQ(CleanText("abc\u202Edef\u2066"), "abc\uFFFDdef\uFFFD");
  EXPECT_EQ(CleanText("x\u2028y"), "x\uFFFDy");
  EXPECT_EQ(CleanText("x\u061cy\u200f"), "x\uFFFDy\uFFFD");
}

TEST(CleanText, BytesThatAreNoUtf8AreReplacedOneByOne) {
  EXPECT_EQ(CleanText("\xff\xfe"), "\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("a\xc3"), "a\uFFFD");  // cut in the middle, as a 15-byte comm can be
  EXPECT_EQ(CleanText("gr\xc3\xbc\xc3\x9f\x01\xc3"), "grüß\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xc0\xaf"), "\uFFFD\uFFFD");  // an overlong slash
  EXPECT_EQ(CleanText("\xe0\x80\xaf"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // half a surrogate pair
  EXPECT_EQ(CleanText("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(CleanText, IsCleanTheSecondTime) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string clean = CleanText(all);
  EXPECT_EQ(CleanText(clean), clean);
  EXPECT_EQ(clean.find_first_of("\n\r\t\x1b"), std::string::npos);
}

}  // namespace
}  // namespace gordian
