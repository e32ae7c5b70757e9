// SPDX-License-Identifier: Apache-2.0
#include "loglines/line_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

WordLines Counted(const std::string& asked, const std::vector<std::string>& others) {
  WordLines words(asked, 0, 0);
  words.Take(0, 1, asked);
  for (size_t i = 0; i < others.size(); ++i) words.Take(1, i + 1, others[i]);
  return words;
}

std::vector<std::string> RareOf(const WordLines& words) {
  std::vector<std::string> rare;
  for (const WordLines::Word& word : words.RareWords())
    rare.push_back(absl::StrCat(word.word, " ", word.lines));
  return rare;
}

TEST(WordsOf, MarksAtTheEndsAreNoPartOfThem) {
  EXPECT_THAT(WordsOf("a: request=7f3a-22, from [10.0.0.3:7000]. request"),
              ElementsAre("request", "7f3a-22", "from", "10.0.0.3:7000"));
}

TEST(WordLines, AWordInFewLinesIsRare) {
  std::vector<std::string> others(98, "request done");
  others.push_back("request 7f3a begins");
  EXPECT_THAT(RareOf(Counted("request 7f3a timed out", others)),
              ElementsAre("timed 1", "out 1", "7f3a 2"));
}

TEST(WordLines, OfManyLinesMoreMayHaveARareWord) {
  std::vector<std::string> others(10, "request 7f3a");
  EXPECT_THAT(RareOf(Counted("request 7f3a", others)), IsEmpty());
  others.resize(1000, "else");
  EXPECT_THAT(RareOf(Counted("request 7f3a", others)), ElementsAre("request 11", "7f3a 11"));
}

TEST(WordLines, LinesWithRarerWordsComeFirst) {
  std::vector<std::string> others(400, "nothing");
  for (int i = 0; i < 15; ++i) others[static_cast<size_t>(i)] = "client 10.0.0.3";
  others[300] = "id 7f3a of client 10.0.0.3";
  const auto related = Counted("client 10.0.0.3 id 7f3a", others).LinesWithRareWords();
  ASSERT_GE(related.size(), 2u);
  EXPECT_EQ(related[0].place.number, 1u);  // the line itself
  EXPECT_EQ(related[1].place.number, 301u);
  EXPECT_THAT(related[1].words, ElementsAre("7f3a", "client", "10.0.0.3"));
}

TEST(WordLines, TheStampIsNoWord) {
  const std::string line = "02:30:15 x7f3";
  WordLines words(line, 0, 8);
  words.Take(0, 1, line);
  for (int i = 0; i < 9; ++i) words.Take(0, 2, "02:30:15 nothing");
  EXPECT_THAT(RareOf(words), ElementsAre("x7f3 1"));
}

TEST(WordLines, AWordThatIsInALineTwiceCountsOnce) {
  std::vector<std::string> others(20, "nothing");
  others[0] = "7f3a 7f3a 7f3a";
  EXPECT_THAT(RareOf(Counted("7f3a", others)), ElementsAre("7f3a 2"));
}

TEST(WordLines, ALineOfAMegabyteIsReadInPart) {
  const std::string large(1u << 20, 'x');
  EXPECT_THAT(WordsOf(large), IsEmpty());
  std::string words_of_all;
  for (int i = 0; i < 100'000; ++i) absl::StrAppend(&words_of_all, "word", i, " ");
  EXPECT_EQ(WordsOf(words_of_all).size(), 64u);
}

}  // namespace
}  // namespace gordian
