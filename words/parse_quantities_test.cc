// SPDX-License-Identifier: Apache-2.0
#include "words/parse_quantities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "words/quantities.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kSecondNs = 1'000'000'000;

std::string WhyNoTime(std::string_view text) {
  return std::string(ParseDuration(text).status().message());
}

TEST(ParseDuration, TakesTheUsualForms) {
  EXPECT_EQ(ParseDuration("250ms").value(), 250'000'000U);
  EXPECT_EQ(ParseDuration("5.5s").value(), 5'500'000'000U);
  EXPECT_EQ(ParseDuration("1m30s").value(), 90 * kSecondNs);
  EXPECT_EQ(ParseDuration("1h 30min").value(), 5400 * kSecondNs);
  EXPECT_EQ(ParseDuration("3d").value(), 3 * 86'400 * kSecondNs);
  EXPECT_EQ(ParseDuration("0s").value(), 0U);
  EXPECT_EQ(ParseDuration("0.1us").value(), 100U);
  EXPECT_EQ(ParseDuration(".5s").value(), 500'000'000U);
  EXPECT_EQ(ParseDuration("500\u00b5s").value(), 500'000U);
  EXPECT_EQ(ParseDuration("500\u03bcs").value(), 500'000U);
  EXPECT_EQ(ParseDuration("5 seconds").value(), 5 * kSecondNs);
  EXPECT_EQ(ParseDuration("1hour 30mins").value(), 5400 * kSecondNs);
  EXPECT_EQ(ParseDuration("2w").value(), 14 * 86'400 * kSecondNs);
}

TEST(ParseDuration, IsExact) {
  EXPECT_EQ(ParseDuration("0.1s").value(), 100'000'000U);
  EXPECT_EQ(ParseDuration("1234567.123456789s").value(), 1'234'567'123'456'789U);
}

TEST(ParseDuration, SaysWhatIsWrong) {
  for (const char* text : {"10", "1.2.3s", "1m30"})
    EXPECT_THAT(WhyNoTime(text), HasSubstr("' has no unit: give")) << text;
  for (const char* text : {"", "s", "-5s", "5.s", ".s", ".", "10M", "5\u00b5", "\u00b5s",
                           "10 parsecs", "30s1m", "1s1s", "5s x", "1e3s"})
    EXPECT_THAT(WhyNoTime(text), HasSubstr("is no time: give 250ms")) << text;
  EXPECT_THAT(WhyNoTime("99999999999d"), HasSubstr("is too long a time"));
  EXPECT_THAT(WhyNoTime("200000000000000000h"), HasSubstr("is too long a time"));
}

RC_GTEST_PROP(ParseDuration, ReadsWhatReportsWrite, ()) {
  const auto seconds = *rc::gen::inRange<uint64_t>(1, 1'000'000);
  const std::string text = FormatDuration(seconds * kSecondNs);
  const auto again = ParseDuration(text);
  RC_ASSERT(again.ok());
  RC_ASSERT(FormatDuration(*again) == text);
}

RC_GTEST_PROP(ParseDuration, SurvivesAnyText, (const std::string& text)) {
  (void)ParseDuration(text);
  (void)ParseSize(text);
}

TEST(ParseSize, TakesTheUsualForms) {
  EXPECT_EQ(ParseSize("4096").value(), 4096U);
  EXPECT_EQ(ParseSize("64M").value(), 64U << 20);
  EXPECT_EQ(ParseSize("0.5G").value(), 512U << 20);
  EXPECT_EQ(ParseSize("2GiB").value(), uint64_t{2} << 30);
  EXPECT_EQ(ParseSize("1.5 KiB").value(), 1536U);
  EXPECT_EQ(ParseSize("20kb").value(), 20U << 10);
  EXPECT_EQ(ParseSize("7B").value(), 7U);
}

TEST(ParseSize, SaysWhatIsWrong) {
  for (const char* text : {"", "-1", "64X", "lots", "1M1", "1MM", "1iB", "M"})
    EXPECT_THAT(std::string(ParseSize(text).status().message()), HasSubstr("is no size: give 64M"))
        << text;
  EXPECT_THAT(std::string(ParseSize("999999999999G").status().message()),
              HasSubstr("is too large a size"));
}

}  // namespace
}  // namespace gordian
