// SPDX-License-Identifier: Apache-2.0
// Cuts the kernel's text files into lines and fields without copying.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gordian {

// The next line of `text` without its end, removed from `text`. Empty at the end: check
// text.empty() first.
inline std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// The next field of `text`, which blanks and tabs separate, removed from `text`. Empty when there
// is none.
inline std::string_view TakeField(std::string_view& text) {
  const size_t start = text.find_first_not_of(" \t");
  text.remove_prefix(start == std::string_view::npos ? text.size() : start);
  const size_t end = text.find_first_of(" \t");
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(field.size());
  return field;
}

// The whole of `field` as a decimal number, or nothing.
template <typename Integer = uint64_t>
std::optional<Integer> ParseNumber(std::string_view field) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || field.empty()) return {};
  return value;
}

inline std::optional<uint64_t> TakeNumber(std::string_view& text) {
  return ParseNumber<uint64_t>(TakeField(text));
}

}  // namespace gordian
