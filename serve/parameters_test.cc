// SPDX-License-Identifier: Apache-2.0
#include "serve/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Parameters, AreNumbersOrTheirDefault) {
  EXPECT_EQ(*GetUnsigned({{"from", "17"}}, "from", 3), 17u);
  EXPECT_EQ(*GetUnsigned({}, "from", 3), 3u);
  EXPECT_EQ(*GetUnsigned({{"from", "18446744073709551615"}}, "from", 3), UINT64_MAX);
  EXPECT_EQ(*GetReal({{"x", "1.5e3"}}, "x", 0), 1500);
}

TEST(Parameters, SayWhichOneIsWrong) {
  for (const char* text :
       {"", "-1", "+1", " 1", "1 ", "1.5", "0x10", "18446744073709551616", "1e3"}) {
    const auto number = GetUnsigned({{"from", text}}, "from", 0);
    EXPECT_TRUE(absl::IsInvalidArgument(number.status())) << text;
    EXPECT_THAT(std::string(number.status().message()), HasSubstr("from"));
  }
  EXPECT_FALSE(GetUnsigned({{"n", "101"}}, "n", 0, 100).ok());
  for (const char* text : {"", "nan", "inf", "x", "1e999"})
    EXPECT_FALSE(GetReal({{"x", text}}, "x", 0).ok()) << text;
}

TEST(Parameters, AreOneOfSomeWords) {
  constexpr std::array<std::string_view, 2> kWords = {"cpu", "waits"};
  EXPECT_EQ(*GetChoice({{"what", "waits"}}, "what", kWords), 1u);
  EXPECT_EQ(*GetChoice({}, "what", kWords), 0u);
  const auto wrong = GetChoice({{"what", "<b>"}}, "what", kWords);
  EXPECT_EQ(wrong.status().message(), "what must be one of cpu, waits");
}

TEST(Parameters, AreListsOfBoundedLength) {
  EXPECT_THAT(*GetUnsignedList({{"ids", "1,2,3"}}, "ids", 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(*GetUnsignedList({{"ids", ""}}, "ids", 3), ElementsAre());
  EXPECT_FALSE(GetUnsignedList({{"ids", "1,2,3,4"}}, "ids", 3).ok());
  EXPECT_FALSE(GetUnsignedList({{"ids", "1,,3"}}, "ids", 3).ok());
  EXPECT_FALSE(GetText({{"sql", std::string(5000, 'x')}}, "sql").ok());
}

TEST(Parameters, AreARangeThatHasTime) {
  EXPECT_EQ(GetAskedRange({{"from", "5"}, {"to", "9"}})->to_ns, 9u);
  EXPECT_EQ(GetAskedRange({})->from_ns, 0u);
  EXPECT_FALSE(GetAskedRange({{"from", "5"}, {"to", "5"}}).ok());
}

TEST(Parameters, AreKnownByName) {
  constexpr std::array<std::string_view, 1> kKnown = {"from"};
  EXPECT_TRUE(CheckNames({{"from", "1"}}, kKnown).ok());
  EXPECT_FALSE(CheckNames({{"form", "1"}}, kKnown).ok());
}

}  // namespace
}  // namespace gordian
