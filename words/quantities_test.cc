// SPDX-License-Identifier: Apache-2.0
#include "words/quantities.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

TEST(Quantities, SizesCarryTheLargestFittingUnit) {
  const std::vector<std::pair<uint64_t, std::string>> cases = {
      {0, "0 B"},
      {1023, "1023 B"},
      {1024, "1 KiB"},
      {1536, "1.5 KiB"},
      {(1u << 20) - 1, "1 MiB"},
      {64u << 20, "64 MiB"},
      {5ull << 40, "5 TiB"},
      {UINT64_MAX, "16 EiB"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(FormatSize(bytes), text) << bytes;
}

TEST(Quantities, DurationsReadLikeSpeech) {
  const std::vector<std::pair<uint64_t, std::string>> cases = {
      {0, "0 ns"},
      {999, "999 ns"},
      {1'500, "1.5 µs"},
      {999'960, "1 ms"},
      {4'560'000, "4.6 ms"},
      {999'960'000, "1 s"},
      {12'340'000'000, "12.3 s"},
      {59'960'000'000, "1 min"},
      {303'000'000'000, "5 min 3 s"},
      {3'600'000'000'000, "1 h"},
      {7'500'000'000'000, "2 h 5 min"},
      {273'600'000'000'000, "3 d 4 h"},
      {UINT64_MAX, "213503 d 23 h"},
  };
  for (const auto& [span_ns, text] : cases) EXPECT_EQ(FormatDuration(span_ns), text) << span_ns;
}

TEST(Quantities, CountsHaveTheirThousandsParted) {
  const std::vector<std::pair<uint64_t, std::string>> cases = {
      {0, "0"}, {999, "999"}, {1000, "1,000"}, {1234567, "1,234,567"}, {123456, "123,456"},
  };
  for (const auto& [count, text] : cases) EXPECT_EQ(FormatCount(count), text);
}

TEST(Quantities, CountedThingsAreOneOrSeveral) {
  EXPECT_EQ(FormatCount(0, "thread"), "0 threads");
  EXPECT_EQ(FormatCount(1, "thread"), "1 thread");
  EXPECT_EQ(FormatCount(16, "thread"), "16 threads");
  EXPECT_EQ(FormatCount(1234, "wait"), "1,234 waits");
}

TEST(Quantities, SharesHaveADecimalOnlyBelowOnePercent) {
  const std::vector<std::pair<double, std::string>> cases = {
      {0, "0 %"},        {0.0004, "under 0.1 %"}, {0.001, "0.1 %"}, {0.004, "0.4 %"},
      {0.0094, "0.9 %"}, {0.0095, "1 %"},         {0.0199, "2 %"},  {0.354, "35 %"},
      {0.804, "80 %"},   {0.9996, "100 %"},       {1, "100 %"},     {2.5, "250 %"},
  };
  for (const auto& [share, text] : cases) EXPECT_EQ(PercentText(share), text) << share;
  EXPECT_EQ(PercentText(std::numeric_limits<double>::quiet_NaN()), "? %");
  EXPECT_EQ(PercentText(std::numeric_limits<double>::infinity()), "? %");
}

TEST(Quantities, OnlyStandsBeforeSharesThatDoNotSayItThemselves) {
  EXPECT_EQ(NarrowPercentText(0.03), "3 %");
  EXPECT_EQ(NarrowPercentText(0.0004), "<0.1 %");
  EXPECT_EQ(OnlyPercentText(0.03), "only 3 %");
  EXPECT_EQ(OnlyPercentText(0.001), "only 0.1 %");
  EXPECT_EQ(OnlyPercentText(0.0004), "under 0.1 %");
  EXPECT_EQ(OnlyPercentText(0), "0 %");
}

TEST(Quantities, GainsEndWhereNobodyBelievesThem) {
  EXPECT_EQ(GainText(1), "1.0 times");
  EXPECT_EQ(GainText(2), "2.0 times");
  EXPECT_EQ(GainText(9.94), "9.9 times");
  EXPECT_EQ(GainText(15.2), "15 times");
  EXPECT_EQ(GainText(100), "100 times");
  EXPECT_EQ(GainText(1e9), "more than 100 times");
  EXPECT_EQ(GainText(std::numeric_limits<double>::quiet_NaN()), "more than 100 times");
}

TEST(Quantities, SecondsAreWrittenAsDurationsAre) {
  EXPECT_EQ(SecondsText(-1), "0 s");
  EXPECT_EQ(SecondsText(0), "0 s");
  EXPECT_EQ(SecondsText(0.00456), "4.6 ms");
  EXPECT_EQ(SecondsText(9.8), "9.8 s");
  EXPECT_EQ(SecondsText(std::numeric_limits<double>::quiet_NaN()), "0 s");
}

TEST(Quantities, InstantsAreWrittenInUtc) {
  EXPECT_EQ(FormatRealtime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatRealtime(1'795'255'200'999'999'999), "2026-11-21T10:00:00Z");
}

}  // namespace
}  // namespace gordian
