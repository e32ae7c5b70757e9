// SPDX-License-Identifier: Apache-2.0
#include "words/clean_text.h"

#include <cstddef>
#include <cstdint>

namespace gordian {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

struct Decoded {
  uint32_t code_point = 0;
  size_t bytes = 0;  // 0: the bytes here are no UTF-8
};

// How many bytes the code point that begins with `first` has by its own word; 0 if no code point
// begins so.
size_t AnnouncedBytes(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

Decoded Decode(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t bytes = AnnouncedBytes(first);
  if (bytes == 0 || bytes > text.size()) return {};
  if (bytes == 1) return {first, 1};
  uint32_t code_point = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0u) != 0x80u) return {};
    code_point = code_point << 6 | (next & 0x3fu);
  }
  const bool too_long = (bytes == 3 && code_point < 0x800) || (bytes == 4 && code_point < 0x10000);
  const bool surrogate = code_point >= 0xd800 && code_point < 0xe000;
  if (too_long || surrogate || code_point > 0x10ffff) return {};
  return {code_point, bytes};
}

bool IsHarmless(uint32_t code_point) {
  const bool control = code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
  const bool line_break = code_point == 0x2028 || code_point == 0x2029;
  const bool turns = code_point == 0x061c || code_point == 0x200e || code_point == 0x200f ||
                     (code_point >= 0x202a && code_point <= 0x202e) ||
                     (code_point >= 0x2066 && code_point <= 0x2069);
  return !control && !line_break && !turns;
}

}  // namespace

// Ends: every turn takes at least one byte.
std::string CleanText(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Decoded decoded = Decode(bytes);
    if (decoded.bytes > 0 && IsHarmless(decoded.code_point)) {
      text.append(bytes.substr(0, decoded.bytes));
    } else {
      text.append(kReplacement);
    }
    bytes.remove_prefix(decoded.bytes > 0 ? decoded.bytes : 1);
  }
  return text;
}

}  // namespace gordian
