// SPDX-License-Identifier: Apache-2.0
#include "words/text_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using Lines = std::vector<std::string>;

TEST(TextLines, WrapBreaksAtSpacesAndCutsWhatIsTooWide) {
  EXPECT_EQ(WrapText("one two  three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(WrapText("ab äöüäöü c", 4), (Lines{"ab", "äöüä", "öü c"}));
  EXPECT_TRUE(WrapText("", 10).empty());
  EXPECT_TRUE(WrapText("   ", 10).empty());
}

TEST(TextLines, WrapKeepsEveryWordAndNoLineIsTooWide) {
  const std::string text = "wer wartet auf wen, und was davon hält den Durchsatz auf?";
  for (size_t width = 1; width < 60; ++width) {
    std::string joined;
    for (const std::string& line : WrapText(text, width)) {
      EXPECT_LE(TextWidth(line), width);
      for (const char c : line) {
        if (c != ' ') joined += c;
      }
    }
    std::string letters = text;
    std::erase(letters, ' ');
    EXPECT_EQ(joined, letters) << width;
  }
}

TEST(TextLines, WidthCountsSignsNotBytes) {
  EXPECT_EQ(TextWidth(""), 0u);
  EXPECT_EQ(TextWidth("vda"), 3u);
  EXPECT_EQ(TextWidth("größe"), 5u);
  EXPECT_EQ(TextWidth("線程\uFFFD"), 3u);
}

TEST(TextLines, WhatIsTooWideIsCutBetweenSigns) {
  EXPECT_EQ(Shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(Shorten("abcdef", 4), "abc…");
  EXPECT_EQ(Shorten("größer", 4), "grö…");
  EXPECT_EQ(Shorten("abc", 1), "…");
}

TEST(TextLines, PaddingFillsUpToTheWidth) {
  EXPECT_EQ(PadRight("ö", 3), "ö  ");
  EXPECT_EQ(PadLeft("ö", 3), "  ö");
  EXPECT_EQ(PadLeft("abcd", 3), "abcd");
}

}  // namespace
}  // namespace gordian
