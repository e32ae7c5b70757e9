// SPDX-License-Identifier: Apache-2.0
#include "jobs/sources/regex_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> LiteralsOf(std::string_view regex) {
  std::vector<std::string> literals;
  for (const RegexPart& part : SplitRegex(regex)) {
    if (!part.literal.empty()) literals.push_back(part.literal);
  }
  return literals;
}

TEST(RegexParts, AreFixedTextsAndWhatStandsBetweenThem) {
  EXPECT_THAT(LiteralsOf(R"(^(?P<time>\S+ \S+) .* took (?P<ms>\d+)ms\.$)"),
              ElementsAre(" ", " took ", "ms."));
  EXPECT_THAT(LiteralsOf(R"(\[[^\]]*\] "[[:alpha:]]]"x)"), ElementsAre("[", "] \"", "]\"x"));
  EXPECT_THAT(LiteralsOf("ab+cd?e{2}fä*g"), ElementsAre("a", "c", "f", "g"));
  EXPECT_EQ(SplitRegex(R"(a (?P<ms>\d+)ms)")[1].group, "ms");
}

TEST(RegexParts, OfWhatIsNotUnderstoodAreNone) {
  for (const char* regex :
       {"a|b", "(?i)abc", "a(?i:b)", R"(\Qa|b\E)", R"(\x41b)", "a{,3}", "a{x", "(", "[a"})
    EXPECT_THAT(SplitRegex(regex), IsEmpty()) << regex;
}

// Of any expression that RE2 takes: its parts are the whole of it, and a line that it matches has
// all fixed texts in their order.
TEST(RegexParts, StandInEveryMatch) {
  std::mt19937 random(1);
  constexpr const char* kAtoms[] = {"a",     "b",     "ab", ".",      "[ab]",      "[^a]", R"(\.)",
                                    R"(\w)", "(a|b)", "|",  "(?:ab)", "(?P<g>a*)", "^",    "$"};
  constexpr const char* kRepeats[] = {"", "", "", "", "*", "+", "?", "{2}", "{0,1}", "*?"};
  int understood = 0, matches = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string source;
    for (unsigned i = random() % 6 + 1; i > 0; --i) {
      source += kAtoms[random() % std::size(kAtoms)];
      source += kRepeats[random() % std::size(kRepeats)];
    }
    const RE2 regex(source, RE2::Quiet);
    if (!regex.ok()) continue;
    const std::vector<RegexPart> parts = SplitRegex(source);
    if (parts.empty()) continue;
    ++understood;
    std::string whole;
    for (const RegexPart& part : parts) whole += part.source;
    ASSERT_EQ(whole, source);
    for (int i = 0; i < 20; ++i) {
      std::string line;
      for (unsigned letters = random() % 8; letters > 0; --letters) line += "ab. "[random() % 4];
      if (!RE2::PartialMatch(line, regex)) continue;
      ++matches;
      size_t at = 0;
      for (const RegexPart& part : parts) {
        at = line.find(part.literal, at);
        ASSERT_NE(at, std::string::npos) << source << " matches " << line;
        at += part.literal.size();
      }
    }
  }
  EXPECT_GT(understood, 1000);
  EXPECT_GT(matches, 1000);
}

}  // namespace
}  // namespace gordian
