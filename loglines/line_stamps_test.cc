// SPDX-License-Identifier: Apache-2.0
#include "loglines/line_stamps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// 27 November 2026, 02:30:15 UTC.
constexpr uint64_t kSecond = 1'795'746'615;
constexpr uint64_t kNsOf = 1'000'000'000;
constexpr uint64_t kNear = kSecond * kNsOf;

std::optional<LineStamp> StampOf(const std::string& line, const std::string& zone = "UTC") {
  LineStamps stamps;
  stamps.Learn(line);
  return stamps.Find(line, {.zone = zone, .near_ns = kNear});
}

struct KnownForm {
  const char* line;
  uint64_t since_second_ns;
  uint64_t covers_ns;
  bool has_zone;
};

class KnownForms : public ::testing::TestWithParam<KnownForm> {};

TEST_P(KnownForms, AreRead) {
  const auto stamp = StampOf(GetParam().line);
  ASSERT_TRUE(stamp) << GetParam().line;
  EXPECT_EQ(stamp->time_ns, kNear + GetParam().since_second_ns) << GetParam().line;
  EXPECT_EQ(stamp->covers_ns, GetParam().covers_ns) << GetParam().line;
  EXPECT_EQ(stamp->has_zone, GetParam().has_zone) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(
    LineStamps, KnownForms,
    ::testing::Values(
        KnownForm{"2026-11-27T02:30:15Z start", 0, kNsOf, true},
        KnownForm{"2026-11-27T03:30:15.25+01:00 start", 250'000'000, 10'000'000, true},
        KnownForm{"2026-11-27 02:30:15,123 [main] INFO x", 123'000'000, 1'000'000, false},
        KnownForm{"2026-11-27 02:30:15.123 UTC [123] LOG:  x", 123'000'000, 1'000'000, true},
        KnownForm{R"({"time":"2026-11-27T02:30:15.123456789Z","msg":"x"})", 123'456'789, 1, true},
        KnownForm{"<13>1 2026-11-27T02:30:15.5Z host app 1 - - x", 500'000'000, 100'000'000, true},
        KnownForm{"Nov 27 02:30:15 host app[12]: x", 0, kNsOf, false},
        KnownForm{R"(10.0.0.1 - - [27/Nov/2026:02:30:15 +0000] "GET /" 200 1)", 0, kNsOf, true},
        KnownForm{"2026/11/27 02:30:15 [error] 12#34: *1 x", 0, kNsOf, false},
        KnownForm{"2026/11/27 02:30:15.000123 main.go:1: x", 123'000, 1'000, false},
        KnownForm{"E1127 02:30:15.123456  4711 a.cc:1] x", 123'456'000, 1'000, false},
        KnownForm{"12:M 27 Nov 2026 02:30:15.123 * Ready", 123'000'000, 1'000'000, false},
        KnownForm{"[Fri Nov 27 02:30:15.123456 2026] [core:error] [pid 1:tid 2] x", 123'456'000,
                  1'000, false},
        KnownForm{"[02:30:15.123] x", 123'000'000, 1'000'000, false},
        KnownForm{"1795746615 x", 0, kNsOf, true},
        KnownForm{"1795746615.123 x", 123'000'000, 1'000'000, true},
        KnownForm{R"({"ts":1795746615123,"msg":"x"})", 123'000'000, 1'000'000, true},
        KnownForm{"ts=1795746615123456 x", 123'456'000, 1'000, true},
        KnownForm{"1795746615123456789 x", 123'456'789, 1, true}));

TEST(LineStamps, DaysOfOneDigitAreRead) {
  LineStamps stamps;
  const std::string line = "Nov  7 02:30:15 host app: x";
  stamps.Learn(line);
  const auto stamp = stamps.Find(line, {.near_ns = kNear});
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->time_ns, kNear - 20 * 86'400 * kNsOf);
}

TEST(LineStamps, TimesWithoutAZoneAreOfTheToldOne) {
  const auto stamp = StampOf("2026-11-27 03:30:15 x", FixedZone(60));
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->time_ns, kNear);
}

TEST(LineStamps, AToldZoneDoesNotMoveTimesThatHaveOne) {
  for (const char* line : {"2026-11-27 02:30:15 UTC x", "2026-11-27T02:30:15Z x",
                           "- [27/Nov/2026:02:30:15 +0000] x"}) {
    const auto stamp = StampOf(line, FixedZone(-300));
    ASSERT_TRUE(stamp) << line;
    EXPECT_EQ(stamp->time_ns, kNear) << line;
  }
}

TEST(LineStamps, AYearThatIsMissingIsTheOneThatBringsItNearest) {
  LineStamps stamps;
  const std::string line = "Dec 31 23:59:59 host app: x";
  stamps.Learn(line);
  const uint64_t new_year_ns = 1'798'761'600 * kNsOf;  // 2027-01-01
  const auto stamp = stamps.Find(line, {.near_ns = new_year_ns + 5 * kNsOf});
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->time_ns, new_year_ns - kNsOf);
}

TEST(LineStamps, ADateThatIsMissingIsTheOneThatBringsItNearest) {
  LineStamps stamps;
  const std::string line = "23:59:59.5 x";
  stamps.Learn(line);
  const uint64_t midnight_ns = 1'795'737'600 * kNsOf;  // 2026-11-27
  const auto stamp = stamps.Find(line, {.near_ns = midnight_ns + kNsOf});
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->time_ns, midnight_ns - kNsOf / 2);
}

TEST(LineStamps, TimesOfTheKernelAreMonotonic) {
  const auto stamp = StampOf("[   12.500000] usb 1-1: x");
  ASSERT_TRUE(stamp);
  EXPECT_TRUE(stamp->is_monotonic);
  EXPECT_EQ(stamp->time_ns, 12'500'000'000u);
}

TEST(LineStamps, TheShapeOfMostLinesCounts) {
  LineStamps stamps;
  for (int i = 0; i < 3; ++i) stamps.Learn("02:30:15 read up to 2026-11-01 00:00:00 now");
  stamps.Learn("02:30:16 nothing");
  const auto stamp = stamps.Find("02:30:15 read up to 2026-11-01 00:00:00", {.near_ns = kNear});
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->time_ns, kNear);
}

TEST(LineStamps, LinesOfAnotherShapeHaveNone) {
  LineStamps stamps;
  for (int i = 0; i < 3; ++i) stamps.Learn("2026-11-27T02:30:15Z x");
  EXPECT_FALSE(stamps.Find("\tat org.example.Main.run(Main.java:1795746615)", {}));
  EXPECT_FALSE(stamps.Find("", {}));
}

TEST(LineStamps, ImpossibleTimesAreNone) {
  for (const char* line : {"2026-02-30T02:30:15Z x", "2026-11-27 25:30:15 x", "Xyz 27 02:30:15 x",
                           "1795746615123456789012 x", "version 1.2.3 of 2026", "\0\xff\x80"}) {
    EXPECT_FALSE(StampOf(line)) << line;
  }
}

TEST(LineStamps, WhereItStandsIsTold) {
  const std::string line = "<3> 2026-11-27T02:30:15Z x";
  const auto stamp = StampOf(line);
  ASSERT_TRUE(stamp);
  EXPECT_EQ(line.substr(stamp->begin, stamp->end - stamp->begin), "2026-11-27T02:30:15Z");
}

}  // namespace
}  // namespace gordian
