// SPDX-License-Identifier: Apache-2.0
#include "loglines/line_stamps.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"

namespace gordian {
namespace {

// Stamps stand at the beginning of lines. JSON lines may begin with other fields.
constexpr size_t kMostStampPlace = 512;
constexpr uint64_t kStampSecondNs = 1'000'000'000;

enum class Missing : uint8_t { kNothing, kYear, kDate };

// The digits after the last point or comma.
uint64_t CoveredByFraction(std::string_view time, uint64_t unit_ns) {
  const size_t mark = time.find_last_of(".,");
  if (mark == std::string_view::npos) return unit_ns;
  uint64_t covers_ns = unit_ns;
  for (size_t i = mark + 1; i < time.size() && time[i] >= '0' && time[i] <= '9'; ++i)
    covers_ns = std::max<uint64_t>(1, covers_ns / 10);
  return covers_ns;
}

uint64_t UnitOf(LogTimeFormat::Kind kind) {
  switch (kind) {
    case LogTimeFormat::Kind::kEpochMilliseconds:
      return 1'000'000;
    case LogTimeFormat::Kind::kEpochMicroseconds:
      return 1'000;
    case LogTimeFormat::Kind::kEpochNanoseconds:
      return 1;
    default:
      return kStampSecondNs;
  }
}

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

bool TellsZone(std::string_view zone) { return !zone.empty(); }

bool IsNamedUtc(std::string_view zone) { return zone == "UTC" || zone == "GMT"; }

}  // namespace

struct LineStamps::Shape {
  std::string_view name;
  // Its first group is the time, its second, if there is one, the zone.
  std::unique_ptr<RE2> regex;
  LogTimeFormat::Kind kind = LogTimeFormat::Kind::kIso8601;
  std::string pattern;  // of kPattern, with what is missing in front
  Missing missing = Missing::kNothing;
  bool zone_in_pattern = false;
  bool is_monotonic = false;
};

// The more particular ones first: an epoch time is only a number.
const std::array<LineStamps::Shape, LineStamps::kShapes>& LineStamps::Shapes() {
  using Kind = LogTimeFormat::Kind;
  const auto regex = [](const char* text) { return std::make_unique<RE2>(text, RE2::Quiet); };
  static const auto* const kTable = new std::array<Shape, kShapes>{{
      {"iso8601", regex(R"((?:^|[^\d])(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?) ?)"
                        R"((Z|z|[+-]\d\d(?::?\d\d)?|UTC|GMT)?(?:[^\dA-Za-z]|$))")},
      {"common log", regex(R"(\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\])"),
       Kind::kCommonLog, "", Missing::kNothing, true},
      {"apache error",
       regex(R"(^\[[A-Z][a-z]{2} ([A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)? \d{4})\])"),
       Kind::kPattern, "%b %e %H:%M:%E*S %Y"},
      {"slashes", regex(R"((?:^|[^\d])(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?))"),
       Kind::kPattern, "%Y/%m/%d %H:%M:%E*S"},
      {"redis",
       regex(R"(^(?:\d+:[A-Z] |\[\d+\] )?(\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?))"),
       Kind::kPattern, "%d %b %Y %H:%M:%E*S"},
      {"syslog", regex(R"(^(?:<\d{1,3}>)?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?)\b)"),
       Kind::kPattern, "%Y %b %e %H:%M:%E*S", Missing::kYear},
      {"glog", regex(R"(^[A-Z](\d{4} \d\d:\d\d:\d\d\.\d{1,9})\b)"), Kind::kPattern,
       "%Y %m%d %H:%M:%E*S", Missing::kYear},
      {"kernel", regex(R"(^(?:<\d{1,3}>)?\[ *(\d{1,9}\.\d{6})\] )"), Kind::kEpochSeconds, "",
       Missing::kNothing, false, true},
      {"time of day", regex(R"(^\[?(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\b)"), Kind::kIso8601, "",
       Missing::kDate},
      {"nanoseconds", regex(R"((?:^|[^\w.])(\d{19})(?:[^\w.]|$))"), Kind::kEpochNanoseconds},
      {"microseconds or milliseconds", regex(R"((?:^|[^\w.])(\d{16}|\d{13})(?:[^\w.]|$))"),
       Kind::kAuto},
      {"seconds", regex(R"((?:^|[^\w.])(\d{10}(?:\.\d{1,9})?)(?:[^\w.]|$))"), Kind::kEpochSeconds},
  }};
  return *kTable;
}

std::string FixedZone(int minutes_ahead) {
  const int minutes = minutes_ahead < 0 ? -minutes_ahead : minutes_ahead;
  return absl::StrFormat("Fixed/UTC%c%02d:%02d:00", minutes_ahead < 0 ? '-' : '+', minutes / 60,
                         minutes % 60);
}

LineStamps::LineStamps() = default;
LineStamps::~LineStamps() = default;
LineStamps::LineStamps(LineStamps&&) noexcept = default;
LineStamps& LineStamps::operator=(LineStamps&&) noexcept = default;

void LineStamps::Learn(std::string_view line) {
  line = line.substr(0, kMostStampPlace);
  for (size_t i = 0; i < kShapes; ++i) {
    if (RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), *Shapes()[i].regex))
      ++lines_[i];
  }
}

const LineStamps::Shape* LineStamps::Chosen() const {
  const auto most = std::max_element(lines_.begin(), lines_.end());
  if (*most == 0) return nullptr;
  return &Shapes()[static_cast<size_t>(most - lines_.begin())];
}

std::string_view LineStamps::shape() const {
  const Shape* chosen = Chosen();
  return chosen == nullptr ? std::string_view() : chosen->name;
}

const LogTimeParser& LineStamps::ParserFor(const std::string& zone) const {
  const Shape* shape = Chosen();
  const auto key = std::pair(shape, zone);
  const auto known = parsers_.find(key);
  if (known != parsers_.end()) return known->second;
  LogTimeFormat format;
  format.kind = shape->kind;
  format.pattern = shape->pattern;
  format.zone = zone;
  return parsers_.emplace(key, LogTimeParser(std::move(format))).first->second;
}

std::optional<LineStamp> LineStamps::Find(std::string_view line,
                                          const StampReading& reading) const {
  const Shape* shape = Chosen();
  if (shape == nullptr) return {};
  line = line.substr(0, kMostStampPlace);
  re2::StringPiece groups[3];
  const int wanted = std::min(3, 1 + shape->regex->NumberOfCapturingGroups());
  const re2::StringPiece text(line.data(), line.size());
  if (!shape->regex->Match(text, 0, text.size(), RE2::UNANCHORED, groups, wanted)) return {};
  const std::string time(groups[1].data(), groups[1].size());
  const std::string zone =
      groups[2].data() == nullptr ? "" : std::string(groups[2].data(), groups[2].size());
  LineStamp stamp;
  stamp.has_zone = shape->zone_in_pattern || TellsZone(zone) ||
                   (shape->kind >= LogTimeFormat::Kind::kEpochSeconds &&
                    shape->kind <= LogTimeFormat::Kind::kEpochNanoseconds) ||
                   shape->kind == LogTimeFormat::Kind::kAuto;
  stamp.is_monotonic = shape->is_monotonic;
  stamp.begin = static_cast<size_t>(groups[1].data() - line.data());
  stamp.end = stamp.begin + groups[1].size() + zone.size();
  const LogTimeParser& parser = ParserFor(IsNamedUtc(zone) ? "UTC" : reading.zone);
  if (shape->missing == Missing::kNothing) {
    const auto at_ns = parser.Parse(IsNamedUtc(zone) ? time : time + zone);
    if (!at_ns) return {};
    stamp.time_ns = *at_ns;
  } else {
    // The year, or the day, that brings it nearest; a day more or less than there, as the zone
    // may move the date.
    const absl::CivilSecond near = absl::ToCivilSecond(
        absl::FromUnixNanos(static_cast<int64_t>(reading.near_ns)), absl::UTCTimeZone());
    std::optional<uint64_t> best;
    for (int step = -1; step <= 1; ++step) {
      const std::string front =
          shape->missing == Missing::kYear
              ? absl::StrCat(near.year() + step, " ")
              : absl::StrCat(absl::FormatCivilTime(absl::CivilDay(near) + step), "T");
      const auto at_ns = parser.Parse(front + time);
      if (at_ns && (!best || Distance(*at_ns, reading.near_ns) < Distance(*best, reading.near_ns)))
        best = at_ns;
    }
    if (!best) return {};
    stamp.time_ns = *best;
  }
  const bool counts_ms_or_us = shape->kind == LogTimeFormat::Kind::kAuto;
  stamp.covers_ns = counts_ms_or_us ? (time.size() == 13 ? 1'000'000 : 1'000)
                                    : CoveredByFraction(time, UnitOf(shape->kind));
  return stamp;
}

}  // namespace gordian
