// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/decimal_time.h"

#include <limits>

namespace gordian {
namespace {

constexpr uint64_t kMaxDecimalNs = std::numeric_limits<int64_t>::max();

bool IsDecimalDigit(char letter) { return letter >= '0' && letter <= '9'; }

}  // namespace

std::optional<uint64_t> ParseDecimalNs(std::string_view text, uint64_t unit_ns) {
  if (text.empty() || !IsDecimalDigit(text[0])) return {};
  uint64_t whole = 0;
  size_t at = 0;
  for (; at < text.size() && IsDecimalDigit(text[at]); ++at) {
    whole = whole * 10 + (text[at] - '0');
    if (whole > kMaxDecimalNs / unit_ns) return {};
  }
  uint64_t value_ns = whole * unit_ns;
  if (at < text.size() && text[at] != '.') return {};
  uint64_t place_ns = unit_ns;
  for (++at; at < text.size(); ++at) {
    if (!IsDecimalDigit(text[at])) return {};
    place_ns /= 10;
    value_ns += place_ns * (text[at] - '0');
  }
  if (value_ns > kMaxDecimalNs) return {};
  return value_ns;
}

}  // namespace gordian
