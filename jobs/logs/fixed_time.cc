// SPDX-License-Identifier: Apache-2.0
#include "jobs/logs/fixed_time.h"

#include <algorithm>

#include "absl/strings/str_replace.h"

namespace gordian {
namespace {

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr size_t kMostFractionDigits = 9;

}  // namespace

std::optional<int> DigitsAt(std::string_view text, size_t at, size_t count) {
  if (at > text.size() || text.size() - at < count) return {};
  int value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return {};
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

std::optional<FixedTime> FixedTime::Compile(std::string_view pattern, int year) {
  const auto is_control = [](char letter) { return letter > 0 && letter < ' '; };
  if (std::any_of(pattern.begin(), pattern.end(), is_control)) return {};
  const std::string plain = absl::StrReplaceAll(absl::string_view(pattern.data(), pattern.size()),
                                                {{"%T.%f", "%H:%M:%S\x01"},
                                                 {"%T,%f", "%H:%M:%S\x02"},
                                                 {"%S.%f", "%S\x01"},
                                                 {"%S,%f", "%S\x02"},
                                                 {"%T", "%H:%M:%S"},
                                                 {"%F", "%Y-%m-%d"}});
  FixedTime time;
  time.year_ = year;
  std::string kinds;
  for (size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != '%') {
      const bool mark = is_control(plain[i]);
      time.parts_.push_back({mark ? 'f' : '\0', plain[i] == '\x02' ? ',' : mark ? '.' : plain[i]});
      continue;
    }
    if (++i == plain.size() || std::string_view("YmdbHMSz").find(plain[i]) == std::string::npos)
      return {};
    time.parts_.push_back({plain[i], 0});
    kinds += plain[i];
  }
  // Each once: of two, strptime takes the last.
  std::string sorted = kinds;
  std::sort(sorted.begin(), sorted.end());
  const bool repeated = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  const auto has = [&kinds](char kind) { return kinds.find(kind) != std::string::npos; };
  const bool whole = has('Y') == (year == 0) && has('m') != has('b') && has('d') && has('H') &&
                     has('M') && has('S');
  if (repeated || !whole) return {};
  return time;
}

std::optional<FixedTimeParts> FixedTime::Parse(std::string_view text) const {
  FixedTimeParts time;
  int year = year_, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  size_t at = 0;
  for (const Part& part : parts_) {
    const size_t width = part.kind == 'Y' ? 4 : 2;
    switch (part.kind) {
      case 0:
        if (at >= text.size() || text[at] != part.literal) return {};
        ++at;
        continue;
      case 'b': {
        const size_t month_at =
            text.size() - at < 3 ? std::string_view::npos : kMonths.find(text.substr(at, 3));
        if (month_at == std::string_view::npos || month_at % 3 != 0) return {};
        month = static_cast<int>(month_at / 3) + 1;
        at += 3;
        continue;
      }
      case 'f': {
        // For a comma a point will do, too.
        if (at >= text.size() || (text[at] != '.' && text[at] != part.literal)) return {};
        uint64_t place_ns = 1'000'000'000;
        const size_t first = ++at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
          place_ns /= 10;
          time.fraction_ns += place_ns * static_cast<uint64_t>(text[at] - '0');
        }
        if (at == first || at - first > kMostFractionDigits) return {};
        continue;
      }
      case 'z': {
        const auto hours = DigitsAt(text, at + 1, 2), minutes = DigitsAt(text, at + 3, 2);
        if (!hours || !minutes || *hours > 23 || *minutes > 59) return {};
        if (text[at] != '+' && text[at] != '-') return {};
        time.offset_s = (text[at] == '-' ? -60 : 60) * (*hours * 60 + *minutes);
        at += 5;
        continue;
      }
      default:
        break;
    }
    const auto number = DigitsAt(text, at, width);
    if (!number) return {};
    at += width;
    int& value = part.kind == 'Y'   ? year
                 : part.kind == 'm' ? month
                 : part.kind == 'd' ? day
                 : part.kind == 'H' ? hour
                 : part.kind == 'M' ? minute
                                    : second;
    value = *number;
  }
  if (at != text.size() || hour > 23 || minute > 59 || second > 59) return {};
  time.second = absl::CivilSecond(year, month, day, hour, minute, second);
  if (time.second.month() != month || time.second.day() != day) return {};
  return time;
}

}  // namespace gordian
