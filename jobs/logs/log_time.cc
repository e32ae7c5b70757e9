// SPDX-License-Identifier: Apache-2.0
#include "jobs/logs/log_time.h"

#include <limits>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "trace/logs/decimal_time.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxNs = std::numeric_limits<int64_t>::max();

bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }

std::optional<uint64_t> ToNs(absl::Time time) {
  if (time < absl::UnixEpoch()) return {};
  const int64_t span_ns = absl::ToUnixNanos(time);  // saturates
  if (static_cast<uint64_t>(span_ns) == kMaxNs) return {};
  return static_cast<uint64_t>(span_ns);
}

std::string Expectation(const LogTimeFormat& format) {
  using Kind = LogTimeFormat::Kind;
  switch (format.kind) {
    case Kind::kAuto:
      return "a time like 2026-03-05T10:00:11.25Z or seconds since 1970 (time: auto)";
    case Kind::kIso8601:
      return "a time like 2026-03-05T10:00:11.25Z (time: iso8601)";
    case Kind::kCommonLog:
      return "a time like 05/Mar/2026:10:00:11 +0000 (time: common)";
    case Kind::kPattern:
      return "a time by the model's pattern " + format.pattern;
    case Kind::kEpochSeconds:
    case Kind::kEpochMilliseconds:
    case Kind::kEpochMicroseconds:
    case Kind::kEpochNanoseconds:
      return "a number since 1970 (time: epoch_s, epoch_ms, epoch_us or epoch_ns)";
  }
  return "a time";
}

// By the number of digits before the point: times of 1973 to 5138 in s, and so on.
uint64_t EpochUnit(std::string_view text) {
  const size_t digits = std::min(text.find('.'), text.size());
  if (digits <= 11) return 1'000'000'000;
  if (digits <= 14) return 1'000'000;
  if (digits <= 17) return 1'000;
  return 1;
}

}  // namespace

// Each step is checked against the largest time, so nothing wraps.
LogTimeParser::LogTimeParser(LogTimeFormat format) : format_(std::move(format)) {
  if (!absl::LoadTimeZone(format_.zone, &zone_)) zone_ = absl::UTCTimeZone();
  if (format_.kind == LogTimeFormat::Kind::kCommonLog) format_.pattern = "%d/%b/%Y:%H:%M:%S %z";
  is_utc_ = zone_ == absl::UTCTimeZone();
  comma_fraction_ = format_.pattern.find(",%f") != std::string::npos;
  if (!format_.pattern.empty()) fixed_ = FixedTime::Compile(format_.pattern, format_.year);
  expected_ = Expectation(format_);
  format_.pattern = absl::StrReplaceAll(
      format_.pattern,
      {{"%S.%f", "%E*S"}, {"%S,%f", "%E*S"}, {"%T.%f", "%H:%M:%E*S"}, {"%T,%f", "%H:%M:%E*S"}});
  if (format_.year != 0) format_.pattern = "%Y " + format_.pattern;
}

std::optional<uint64_t> LogTimeParser::Parse(std::string_view text) const {
  using Kind = LogTimeFormat::Kind;
  switch (format_.kind) {
    case Kind::kAuto:
      if (text.size() > 5 && text[4] == '-') return ParseIso(text);
      return ParseDecimalNs(text, EpochUnit(text));
    case Kind::kIso8601:
      return ParseIso(text);
    case Kind::kCommonLog:
    case Kind::kPattern:
      return ParsePattern(text);
    case Kind::kEpochSeconds:
      return ParseDecimalNs(text, 1'000'000'000);
    case Kind::kEpochMilliseconds:
      return ParseDecimalNs(text, 1'000'000);
    case Kind::kEpochMicroseconds:
      return ParseDecimalNs(text, 1'000);
    case Kind::kEpochNanoseconds:
      return ParseDecimalNs(text, 1);
  }
  return {};
}

// YYYY-MM-DD, T or a blank, HH:MM:SS, a fraction after a point or comma, and Z, +HH:MM, +HHMM, +HH
// or nothing. By hand rather than by absl::ParseTime: one of its patterns has the T, the point
// and the zone, and every line of most logs passes here.
std::optional<uint64_t> LogTimeParser::ParseIso(std::string_view text) const {
  const auto year = DigitsAt(text, 0, 4), month = DigitsAt(text, 5, 2), day = DigitsAt(text, 8, 2);
  const auto hour = DigitsAt(text, 11, 2), minute = DigitsAt(text, 14, 2),
             second = DigitsAt(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return {};
  const bool marks = text[4] == '-' && text[7] == '-' &&
                     (text[10] == 'T' || text[10] == 't' || text[10] == ' ') && text[13] == ':' &&
                     text[16] == ':';
  if (!marks || *month < 1 || *month > 12 || *day < 1 || *day > 31 || *hour > 23 || *minute > 59 ||
      *second > 60)
    return {};
  const absl::CivilSecond civil(*year, *month, *day, *hour, *minute, *second);
  if (civil.day() != *day && *second != 60) return {};  // 30 February
  size_t at = 19;
  uint64_t fraction_ns = 0;
  if (at < text.size() && (text[at] == '.' || text[at] == ',')) {
    uint64_t place_ns = 1'000'000'000;
    for (++at; at < text.size() && IsDigit(text[at]); ++at) {
      place_ns /= 10;
      fraction_ns += place_ns * (text[at] - '0');
    }
  }
  std::optional<int> offset_s;
  if (at < text.size() && text[at] == ' ') ++at;
  if (at < text.size() && (text[at] == 'Z' || text[at] == 'z')) {
    offset_s = 0;
    ++at;
  } else if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    const int sign = text[at] == '-' ? -1 : 1;
    const auto hours = DigitsAt(text, at + 1, 2);
    at += 3;
    if (at < text.size() && text[at] == ':') ++at;
    const auto minutes = at < text.size() ? DigitsAt(text, at, 2) : std::optional<int>(0);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) return {};
    at = std::min(at + 2, text.size());
    offset_s = sign * (*hours * 3600 + *minutes * 60);
  }
  if (at != text.size()) return {};
  return At(civil, fraction_ns, offset_s);
}

// With a known difference to UTC by plain arithmetic; else the zone's rules tell that difference.
std::optional<uint64_t> LogTimeParser::At(const absl::CivilSecond& second, uint64_t fraction_ns,
                                          std::optional<int> offset_s) const {
  if (is_utc_ && !offset_s) offset_s = 0;
  if (!offset_s) return ToNs(absl::FromCivil(second, zone_) + absl::Nanoseconds(fraction_ns));
  const int64_t since_epoch_s = second - absl::CivilSecond(1970, 1, 1) - *offset_s;
  constexpr auto kMaxSeconds = static_cast<int64_t>(kMaxNs / 1'000'000'000);
  if (since_epoch_s < 0 || since_epoch_s >= kMaxSeconds) return {};
  return static_cast<uint64_t>(since_epoch_s) * 1'000'000'000 + fraction_ns;
}

std::optional<uint64_t> LogTimeParser::ParsePattern(std::string_view text) const {
  if (const auto fixed = fixed_ ? fixed_->Parse(text) : std::nullopt)
    return At(fixed->second, fixed->fraction_ns, fixed->offset_s);
  std::string changed;
  if (format_.year != 0) changed = std::to_string(format_.year) + " ";
  changed += text;
  if (comma_fraction_) {
    const size_t comma = changed.rfind(',');
    if (comma != std::string::npos) changed[comma] = '.';
  }
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(format_.pattern, changed, zone_, &time, &error)) return {};
  return ToNs(time);
}

}  // namespace gordian
