// SPDX-License-Identifier: Apache-2.0
#include "words/display_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DisplayText, LeavesOutWhatTakesNoColumn) {
  EXPECT_EQ(DisplayText("e\xcc\x81t\xc3\xa9", Charset::kUnicode), "et\xc3\xa9");
  EXPECT_EQ(DisplayText("a\xe2\x80\x8b"
                        "b",
                        Charset::kUnicode),
            "ab");
}

TEST(DisplayText, CleansControlCharacters) {
  EXPECT_EQ(DisplayText("a\x1b[2Jb", Charset::kUnicode), "a\xef\xbf\xbd[2Jb");
}

TEST(DisplayText, IsAsciiWhereTheTerminalIs) {
  EXPECT_EQ(DisplayText("a → b 3 µs 漢", Charset::kAscii), "a -> b 3 us ?");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("漢字"), 4);
  EXPECT_EQ(DisplayWidth("▁█…→"), 4);
}

TEST(FitColumns, CutsBeforeAWideCharacterThatDoesNotFit) {
  EXPECT_EQ(FitColumns("漢字漢字", 6, Charset::kUnicode), "漢字…");
  EXPECT_EQ(FitColumns("abcdef", 4, Charset::kAscii), "abc~");
  EXPECT_EQ(FitColumns("abc", 0, Charset::kUnicode), "");
}

TEST(WrapColumns, BreaksAtSpacesAndTellsWhatIsCut) {
  EXPECT_THAT(WrapColumns("one two three four", 9, 9, Charset::kUnicode),
              ElementsAre("one two", "three", "four"));
  EXPECT_THAT(WrapColumns("one two three four", 9, 2, Charset::kUnicode),
              ElementsAre("one two", "three fo…"));
  EXPECT_THAT(WrapColumns("abcdefgh", 3, 9, Charset::kUnicode), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(WrapColumns("", 3, 9, Charset::kUnicode), IsEmpty());
}

RC_GTEST_PROP(DisplayText, AnyBytesFitIntoAnyWidth, (const std::string& bytes)) {
  for (const Charset charset : {Charset::kUnicode, Charset::kAscii}) {
    const auto columns = *rc::gen::inRange<size_t>(0, 50);
    RC_ASSERT(DisplayWidth(FitColumns(bytes, columns, charset)) <= columns);
    for (const std::string& line : WrapColumns(bytes, columns, 5, charset))
      RC_ASSERT(DisplayWidth(line) <= columns);
  }
}

}  // namespace
}  // namespace gordian
