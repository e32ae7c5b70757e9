// SPDX-License-Identifier: Apache-2.0
#include "words/parse_quantities.h"

#include <limits>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

__extension__ using Wide = unsigned __int128;

// More digits than these tell nothing about a number of 64 bits, and would not fit a wide one.
constexpr size_t kMostDigits = 18;

// 1.25 is 125 and 100.
struct Decimal {
  uint64_t digits = 0;
  uint64_t divisor = 1;
};

// Takes the number at the front of `text`; nothing if there is none, or it is too long.
std::optional<Decimal> TakeDecimal(std::string_view& text) {
  Decimal decimal;
  size_t length = 0;
  size_t digits = 0;
  bool fraction = false;
  for (; length < text.size(); ++length) {
    const char letter = text[length];
    if (letter == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!absl::ascii_isdigit(static_cast<unsigned char>(letter))) break;
    if (++digits > kMostDigits) return std::nullopt;
    decimal.digits = decimal.digits * 10 + static_cast<uint64_t>(letter - '0');
    if (fraction) decimal.divisor *= 10;
  }
  const bool ends_in_digit = digits > 0 && text[length - 1] != '.';
  if (!ends_in_digit) return std::nullopt;
  text.remove_prefix(length);
  return decimal;
}

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// Letters, with µ (which is two bytes, and there are two of it).
std::string_view TakeUnit(std::string_view& text) {
  const auto is_of_unit = [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return absl::ascii_isalpha(byte) || byte >= 0x80;
  };
  size_t length = 0;
  while (length < text.size() && is_of_unit(text[length])) ++length;
  const std::string_view unit = text.substr(0, length);
  text.remove_prefix(length);
  return unit;
}

// Nothing if it does not fit.
std::optional<uint64_t> Times(const Decimal& decimal, uint64_t unit) {
  const Wide amount =
      (static_cast<Wide>(decimal.digits) * unit + decimal.divisor / 2) / decimal.divisor;
  if (amount > std::numeric_limits<uint64_t>::max()) return std::nullopt;
  return static_cast<uint64_t>(amount);
}

struct NamedUnit {
  std::string_view name;
  uint64_t ns;
};

constexpr uint64_t kUs = 1'000;
constexpr uint64_t kMs = 1'000 * kUs;
constexpr uint64_t kSecond = 1'000 * kMs;
constexpr uint64_t kMinute = 60 * kSecond;
constexpr uint64_t kHour = 60 * kMinute;
constexpr uint64_t kDay = 24 * kHour;

// Letter case matters: M is no minute.
constexpr NamedUnit kTimeUnits[] = {
    {"ns", 1},         {"us", kUs},         {"\u00b5s", kUs},     {"\u03bcs", kUs},
    {"ms", kMs},       {"msec", kMs},       {"s", kSecond},       {"sec", kSecond},
    {"secs", kSecond}, {"second", kSecond}, {"seconds", kSecond}, {"m", kMinute},
    {"min", kMinute},  {"mins", kMinute},   {"minute", kMinute},  {"minutes", kMinute},
    {"h", kHour},      {"hr", kHour},       {"hrs", kHour},       {"hour", kHour},
    {"hours", kHour},  {"d", kDay},         {"day", kDay},        {"days", kDay},
    {"w", 7 * kDay},   {"week", 7 * kDay},  {"weeks", 7 * kDay},
};

// 0 for an unknown one.
uint64_t TimeUnit(std::string_view unit) {
  for (const NamedUnit& known : kTimeUnits)
    if (known.name == unit) return known.ns;
  return 0;
}

// 0 for an unknown one. G, GB and GiB are the same.
uint64_t SizeUnit(std::string_view unit) {
  const std::string lower = absl::AsciiStrToLower(std::string(unit));
  if (lower.empty() || lower == "b") return 1;
  constexpr std::string_view kPrefixes = "kmgtpe";
  const size_t power = kPrefixes.find(lower.front());
  const std::string rest = lower.substr(1);
  if (power == kPrefixes.npos || (!rest.empty() && rest != "b" && rest != "ib")) return 0;
  return uint64_t{1} << (10 * (power + 1));
}

absl::Status Refused(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("'", CleanText(text), "' ", std::string(why)));
}

}  // namespace

absl::StatusOr<uint64_t> ParseDuration(std::string_view text) {
  std::string_view rest = text;
  uint64_t sum_ns = 0;
  uint64_t last_unit_ns = std::numeric_limits<uint64_t>::max();
  do {
    const std::optional<Decimal> number = TakeDecimal(rest);
    if (!number) return Refused(text, "is no time: give 250ms, 5.5s, 1m30s or 12h");
    SkipBlanks(rest);
    const std::string_view unit = TakeUnit(rest);
    const uint64_t unit_ns = TimeUnit(unit);
    if (unit.empty()) return Refused(text, "has no unit: give 250ms, 5.5s, 1m30s or 12h");
    if (unit_ns == 0 || unit_ns >= last_unit_ns)
      return Refused(text, "is no time: give 250ms, 5.5s, 1m30s or 12h");
    const std::optional<uint64_t> part_ns = Times(*number, unit_ns);
    if (!part_ns || *part_ns > std::numeric_limits<int64_t>::max() - sum_ns)
      return Refused(text, "is too long a time");
    sum_ns += *part_ns;
    last_unit_ns = unit_ns;
    SkipBlanks(rest);
  } while (!rest.empty());
  return sum_ns;
}

absl::StatusOr<uint64_t> ParseSize(std::string_view text) {
  std::string_view rest = text;
  const std::optional<Decimal> number = TakeDecimal(rest);
  if (!number) return Refused(text, "is no size: give 64M, 0.5G or 4096");
  SkipBlanks(rest);
  const uint64_t unit = SizeUnit(TakeUnit(rest));
  if (unit == 0 || !rest.empty()) return Refused(text, "is no size: give 64M, 0.5G or 4096");
  const std::optional<uint64_t> bytes = Times(*number, unit);
  if (!bytes) return Refused(text, "is too large a size");
  return *bytes;
}

}  // namespace gordian
