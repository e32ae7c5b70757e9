// SPDX-License-Identifier: Apache-2.0
#include "words/display_text.h"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr std::string_view kUnshowable = "\xef\xbf\xbd";

// wcwidth of Unicode, whatever the process' locale is: C.UTF-8 is a part of the C library. Where it
// cannot be had, each character counts as one column.
class UnicodeWidths {
 public:
  UnicodeWidths()
      : unicode_(Unicode()), before_(unicode_ == nullptr ? nullptr : uselocale(unicode_)) {}
  ~UnicodeWidths() {
    if (unicode_ != nullptr) uselocale(before_);
  }
  UnicodeWidths(const UnicodeWidths&) = delete;
  UnicodeWidths& operator=(const UnicodeWidths&) = delete;

  // −1: it cannot be shown.
  int Of(char32_t code_point) const {
    return unicode_ == nullptr ? 1 : wcwidth(static_cast<wchar_t>(code_point));
  }

 private:
  // Made once, as making it reads tables; it never changes.
  static locale_t Unicode() {
    static const locale_t kUnicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return kUnicode;
  }

  locale_t unicode_;
  locale_t before_;
};

// The next character of valid UTF-8, which is not empty, and its bytes.
std::pair<char32_t, size_t> FirstOf(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  char32_t code_point = bytes == 1 ? first : first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes && i < text.size(); ++i)
    code_point = code_point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  return {code_point, std::min(bytes, text.size())};
}

// What our own sentences use.
std::string_view LooksLike(char32_t code_point) {
  constexpr std::array<std::pair<char32_t, std::string_view>, 12> kAlike = {{
      {U'µ', "u"},
      {U'…', "~"},
      {U'→', "->"},
      {U'←', "<-"},
      {U'×', "x"},
      {U'–', "-"},
      {U'—', "-"},
      {U'−', "-"},
      {U'“', "\""},
      {U'”', "\""},
      {U'’', "'"},
      {U'·', "-"},
  }};
  for (const auto& [from, to] : kAlike)
    if (from == code_point) return to;
  return "?";
}

std::string_view Ellipsis(Charset charset) { return charset == Charset::kAscii ? "~" : "…"; }

// The bytes of display text that fit, and the columns that they take.
std::pair<size_t, size_t> PrefixThatFits(std::string_view text, size_t columns) {
  const UnicodeWidths widths;
  size_t bytes = 0;
  size_t taken = 0;
  while (bytes < text.size()) {
    const auto [code_point, size] = FirstOf(text.substr(bytes));
    const auto width = static_cast<size_t>(std::max(widths.Of(code_point), 0));
    if (taken + width > columns) break;
    bytes += size;
    taken += width;
  }
  return {bytes, taken};
}

// Of display text.
std::string Fit(std::string_view text, size_t columns, Charset charset) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  return std::string(text.substr(0, PrefixThatFits(text, columns - 1).first)) +
         std::string(Ellipsis(charset));
}

}  // namespace

std::string DisplayText(std::string_view text, Charset charset) {
  const std::string clean = CleanText(text);
  const UnicodeWidths widths;
  std::string shown;
  for (std::string_view rest = clean; !rest.empty();) {
    const auto [code_point, bytes] = FirstOf(rest);
    const int width = widths.Of(code_point);
    if (code_point < 0x80) {
      shown += static_cast<char>(code_point);
    } else if (charset == Charset::kAscii) {
      if (width != 0) shown += LooksLike(code_point);
    } else if (width > 0) {
      shown += rest.substr(0, bytes);
    } else if (width < 0) {
      shown += kUnshowable;
    }
    rest.remove_prefix(bytes);
  }
  return shown;
}

size_t DisplayWidth(std::string_view text) { return PrefixThatFits(text, SIZE_MAX).second; }

std::string FitColumns(std::string_view text, size_t columns, Charset charset) {
  return Fit(DisplayText(text, charset), columns, charset);
}

// Ends: every turn takes a word, or of a word wider than a line at least one character. A wide
// character that does not fit into a line of one column is left out.
std::vector<std::string> WrapColumns(std::string_view text, size_t columns, size_t most,
                                     Charset charset) {
  std::vector<std::string> lines;
  if (columns == 0 || most == 0) return lines;
  const std::string shown = DisplayText(text, charset);
  std::string_view rest = shown;
  while (!rest.empty()) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) break;
    if (lines.size() + 1 == most || DisplayWidth(rest) <= columns) {
      lines.push_back(Fit(rest, columns, charset));
      break;
    }
    const size_t fits = PrefixThatFits(rest, columns).first;
    const bool ends_there = fits == rest.size() || rest[fits] == ' ';
    const size_t space = rest.substr(0, fits).rfind(' ');
    size_t take = ends_there || space == std::string_view::npos ? fits : space;
    if (take == 0) take = FirstOf(rest).second;
    lines.push_back(Fit(rest.substr(0, take), columns, charset));
    rest.remove_prefix(take);
  }
  return lines;
}

}  // namespace gordian
