// SPDX-License-Identifier: Apache-2.0
#include "jobs/logs/log_time.h"
#include "trace/logs/decimal_time.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace gordian {
namespace {

using Kind = LogTimeFormat::Kind;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kNoon = 1'700'049'600 * kSecond;  // 2023-11-15T12:00:00Z

struct Case {
  Kind kind;
  const char* text;
  uint64_t wanted_ns;  // 0: refused
  const char* zone = "UTC";
};

TEST(LogTime, ReadsEveryFormat) {
  const Case kCases[] = {
      {Kind::kAuto, "2023-11-15T12:00:00Z", kNoon},
      {Kind::kAuto, "1700049600", kNoon},
      {Kind::kAuto, "1700049600.25", kNoon + 250'000'000},
      {Kind::kAuto, "1700049600123", kNoon + 123'000'000},
      {Kind::kAuto, "1700049600123456", kNoon + 123'456'000},
      {Kind::kAuto, "1700049600123456789", kNoon + 123'456'789},
      {Kind::kIso8601, "2023-11-15 12:00:00", kNoon},
      {Kind::kIso8601, "2023-11-15 12:00:00,123", kNoon + 123'000'000},
      {Kind::kIso8601, "2023-11-15T12:00:00.000000001Z", kNoon + 1},
      {Kind::kIso8601, "2023-11-15T12:00:00.0000000019Z", kNoon + 1},
      {Kind::kIso8601, "2023-11-15T13:30:00+01:30", kNoon},
      {Kind::kIso8601, "2023-11-15T10:00:00-0200", kNoon},
      {Kind::kIso8601, "2023-11-15T10:00:00-02", kNoon},
      {Kind::kIso8601, "2023-11-15 13:00:00", kNoon, "Europe/Berlin"},
      {Kind::kIso8601, "2023-11-15 12:00:00Z", kNoon, "Europe/Berlin"},
      {Kind::kCommonLog, "15/Nov/2023:13:00:00 +0100", kNoon},
      {Kind::kEpochSeconds, "1700049600.5", kNoon + 500'000'000},
      {Kind::kEpochMilliseconds, "1700049600001", kNoon + 1'000'000},
      {Kind::kEpochMilliseconds, "1700049600001.5", kNoon + 1'500'000},
      {Kind::kEpochMicroseconds, "1700049600000001", kNoon + 1'000},
      {Kind::kEpochNanoseconds, "1700049600000000001", kNoon + 1},
      {Kind::kIso8601, "2023-02-30 12:00:00", 0},
      {Kind::kIso8601, "2023-13-01 12:00:00", 0},
      {Kind::kIso8601, "2023-11-15 24:00:00", 0},
      {Kind::kIso8601, "2023-11-15 12:00", 0},
      {Kind::kIso8601, "2023-11-15 12:00:00 hours", 0},
      {Kind::kIso8601, "2023-11-15T12:00:00+1", 0},
      {Kind::kIso8601, "1960-01-01 00:00:00", 0},
      {Kind::kIso8601, "9999-01-01 00:00:00", 0},
      {Kind::kEpochSeconds, "99999999999999999999", 0},
      {Kind::kEpochSeconds, "-1", 0},
      {Kind::kEpochSeconds, "1e9", 0},
      {Kind::kEpochSeconds, "", 0},
      {Kind::kEpochSeconds, "nan", 0},
      {Kind::kAuto, "yesterday", 0},
      {Kind::kCommonLog, "15/Nov/2023", 0},
  };
  for (const Case& one : kCases) {
    const LogTimeParser parser({.kind = one.kind, .pattern = {}, .zone = one.zone});
    EXPECT_EQ(parser.Parse(one.text).value_or(0), one.wanted_ns) << one.text;
  }
}

TEST(LogTime, ReadsPatternsWithFractionsYearsAndZones) {
  const auto parse = [](const char* pattern, const char* text, int year = 0,
                        const char* zone = "UTC") {
    return LogTimeParser({.kind = Kind::kPattern, .pattern = pattern, .year = year, .zone = zone})
        .Parse(text)
        .value_or(0);
  };
  EXPECT_EQ(parse("%y/%m/%d %H:%M:%S", "23/11/15 12:00:00"), kNoon);
  EXPECT_EQ(parse("%Y-%m-%d %H:%M:%S,%f", "2023-11-15 12:00:00,250"), kNoon + 250'000'000);
  EXPECT_EQ(parse("%Y-%m-%d %H:%M:%S.%f", "2023-11-15 12:00:00.25"), kNoon + 250'000'000);
  EXPECT_EQ(parse("%b %d %H:%M:%S", "Nov 15 12:00:00", 2023), kNoon);
  EXPECT_EQ(parse("%Y-%m-%d %H:%M:%S", "2023-11-15 07:00:00", 0, "America/New_York"), kNoon);
  EXPECT_EQ(parse("%Y-%m-%d", "2023-11-15 12:00:00"), 0u);
}

TEST(DecimalNs, KeepsEveryDigit) {
  EXPECT_EQ(ParseDecimalNs("1700049600.123456789", kSecond), 1'700'049'600'123'456'789u);
  EXPECT_EQ(ParseDecimalNs("0.0000000001", kSecond), 0u);
  EXPECT_EQ(ParseDecimalNs("9223372036.9", kSecond), std::nullopt);
  EXPECT_EQ(ParseDecimalNs("1.2.3", kSecond), std::nullopt);
}

// A pattern's fixed widths are read without strptime: it must make no difference.
TEST(LogTime, ReadsPatternsAsStrptimeDoes) {
  struct Pattern {
    const char* model;
    const char* strptime;
  };
  constexpr Pattern kPatterns[] = {{"%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%d %H:%M:%E*S"},
                                   {"%d/%b/%Y:%H:%M:%S %z", "%d/%b/%Y:%H:%M:%S %z"},
                                   {"%F %T.%f", "%F %H:%M:%E*S"},
                                   {"[%m/%d/%Y %H:%M:%S]", "[%m/%d/%Y %H:%M:%S]"}};
  std::mt19937_64 random(1);
  absl::TimeZone berlin;
  ASSERT_TRUE(absl::LoadTimeZone("Europe/Berlin", &berlin));
  size_t read = 0;
  for (const Pattern& pattern : kPatterns) {
    const LogTimeParser parser(
        {.kind = Kind::kPattern, .pattern = pattern.model, .zone = "Europe/Berlin"});
    for (int i = 0; i < 3000; ++i) {
      const absl::Time time = absl::FromUnixNanos(static_cast<int64_t>(random() % (1ull << 62)));
      std::string text = absl::FormatTime(pattern.strptime, time, berlin);
      if (random() % 2 == 0) text[random() % text.size()] = "0123456789 :+x"[random() % 14];
      if (random() % 8 == 0) text.erase(random() % text.size(), 1);
      absl::Time expected;
      std::string error;
      std::string with_point = text;
      const size_t comma = with_point.rfind(',');
      if (comma != std::string::npos && pattern.model[18] == ',') with_point[comma] = '.';
      const bool is_time =
          absl::ParseTime(pattern.strptime, with_point, berlin, &expected, &error) &&
          expected >= absl::UnixEpoch() && expected < absl::FromUnixNanos(INT64_MAX);
      const auto found = parser.Parse(text);
      ASSERT_EQ(found.has_value(), is_time) << pattern.model << ": " << text;
      if (!is_time) continue;
      ++read;
      EXPECT_EQ(*found, static_cast<uint64_t>(absl::ToUnixNanos(expected))) << text;
    }
  }
  EXPECT_GT(read, 4000u);
}

}  // namespace
}  // namespace gordian
