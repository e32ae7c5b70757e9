// SPDX-License-Identifier: Apache-2.0
#include "words/text_lines.h"

#include <algorithm>

namespace gordian {
namespace {

bool ContinuesCodePoint(char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80u; }

// Bytes of the first `width` code points.
size_t PrefixBytes(std::string_view text, size_t width) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    if (!ContinuesCodePoint(text[bytes])) {
      if (width == 0) break;
      --width;
    }
    ++bytes;
  }
  return bytes;
}

}  // namespace

size_t TextWidth(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !ContinuesCodePoint(byte); }));
}

std::string Shorten(std::string_view text, size_t width) {
  if (TextWidth(text) <= width) return std::string(text);
  return std::string(text.substr(0, PrefixBytes(text, width - 1))) + "…";
}

std::string PadRight(std::string_view text, size_t width) {
  const size_t has = TextWidth(text);
  return std::string(text) + std::string(width > has ? width - has : 0, ' ');
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t has = TextWidth(text);
  return std::string(width > has ? width - has : 0, ' ') + std::string(text);
}

// Ends: every turn takes a word or, of a word wider than a line, a line's worth.
std::vector<std::string> WrapText(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
  };
  while (!text.empty()) {
    const size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    while (TextWidth(word) > width) {
      flush();
      const size_t bytes = PrefixBytes(word, width);
      lines.emplace_back(word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    if (word.empty()) continue;
    if (!line.empty() && TextWidth(line) + 1 + TextWidth(word) > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return lines;
}

}  // namespace gordian
