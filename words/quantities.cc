// SPDX-License-Identifier: Apache-2.0
#include "words/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/time_units.h"

namespace gordian {
namespace {

// One decimal, left out if it is zero.
std::string Scaled(double value, const char* unit) {
  std::string number = absl::StrFormat("%.1f", value);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return absl::StrCat(number, " ", unit);
}

std::string TwoUnits(uint64_t value, uint64_t per_large, const char* large, const char* small) {
  const uint64_t rest = value % per_large;
  std::string text = absl::StrCat(value / per_large, " ", large);
  if (rest != 0) absl::StrAppend(&text, " ", rest, " ", small);
  return text;
}

}  // namespace

std::string FormatSize(uint64_t bytes) {
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // 1023.95 and more would be written as 1024: that is one of the next unit.
  while (value >= 1023.95 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return Scaled(value, units[unit]);
}

std::string FormatDuration(uint64_t span_ns) {
  if (span_ns < 1'000) return absl::StrCat(span_ns, " ns");
  // The borders lie where one decimal would round up to the next unit.
  if (span_ns < 999'950) return Scaled(static_cast<double>(span_ns) / 1e3, "µs");
  if (span_ns < 999'950'000) return Scaled(static_cast<double>(span_ns) / 1e6, "ms");
  if (span_ns < 59'950'000'000) return Scaled(static_cast<double>(span_ns) / 1e9, "s");
  const uint64_t seconds =
      span_ns / kNsPerSecond + (span_ns % kNsPerSecond >= kNsPerSecond / 2 ? 1 : 0);
  if (seconds < 3600) return TwoUnits(seconds, 60, "min", "s");
  const uint64_t minutes = seconds / 60;
  if (minutes < 24 * 60) return TwoUnits(minutes, 60, "h", "min");
  return TwoUnits(minutes / 60, 24, "d", "h");
}

std::string FormatCount(uint64_t count) {
  const std::string digits = absl::StrCat(count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string FormatCount(uint64_t count, std::string_view thing) {
  return absl::StrCat(FormatCount(count), " ", absl::string_view(thing.data(), thing.size()),
                      count == 1 ? "" : "s");
}

std::string SecondsText(double seconds) {
  if (!(seconds > 0)) return "0 s";
  return FormatDuration(static_cast<uint64_t>(std::min(seconds, 1e9) * 1e9));
}

std::string PercentText(double share) {
  const double percent = share * 100;
  if (!std::isfinite(percent)) return "? %";
  if (percent > 0 && percent < 0.1) return "under 0.1 %";
  if (percent > 0 && percent < 0.95) return absl::StrFormat("%.1f %%", percent);
  return absl::StrFormat("%.0f %%", percent);
}

std::string OnlyPercentText(double share) {
  return share >= 0.001 ? absl::StrCat("only ", PercentText(share)) : PercentText(share);
}

std::string NarrowPercentText(double share) {
  return share > 0 && share < 0.001 ? "<0.1 %" : PercentText(share);
}

std::string GainText(double gain) {
  if (!(gain <= 100)) return "more than 100 times";
  return gain < 10 ? absl::StrFormat("%.1f times", gain) : absl::StrFormat("%.0f times", gain);
}

std::string RateText(double per_second) {
  if (!(per_second < 1e15)) return "more than can be";
  return per_second < 100 ? absl::StrFormat("%.1f", per_second)
                          : FormatCount(static_cast<uint64_t>(std::llround(per_second)));
}

std::string FormatRealtime(int64_t realtime_ns) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%SZ", absl::FromUnixNanos(realtime_ns),
                          absl::UTCTimeZone());
}

}  // namespace gordian
