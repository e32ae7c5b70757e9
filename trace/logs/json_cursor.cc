// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/json_cursor.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace gordian {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101;
constexpr uint64_t kHighs = 0x8080808080808080;

bool IsDigitByte(char letter) { return letter >= '0' && letter <= '9'; }
bool EndsPlainText(char letter) {
  return letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < 0x20;
}

// The first byte that is a quote, a backslash or a control character; `end` without one. Eight
// bytes at a time: a byte minus n borrows into its highest bit if it was less than n. The borrow
// may reach bytes behind such a one, never before it: the lowest mark is right.
const char* PlainTextEnd(const char* at, const char* end) {
  while (std::endian::native == std::endian::little && end - at >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    const uint64_t quote = word ^ (kOnes * '"'), escape = word ^ (kOnes * '\\');
    const uint64_t marks = (((quote - kOnes) & ~quote) | ((escape - kOnes) & ~escape) |
                            ((word - kOnes * 0x20) & ~word)) &
                           kHighs;
    if (marks != 0) return at + std::countr_zero(marks) / 8;
    at += 8;
  }
  while (at != end && !EndsPlainText(*at)) ++at;
  return at;
}

void AppendUtf8(unsigned code, std::string& text) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    text += tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | code >> 12);
    text += tail(6);
    text += tail(0);
  } else {
    text += static_cast<char>(0xf0 | code >> 18);
    text += tail(12);
    text += tail(6);
    text += tail(0);
  }
}

}  // namespace

bool JsonCursor::Hex4(unsigned& value) {
  if (end_ - at_ < 4) return false;
  value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char lower = static_cast<char>(*at_ | 0x20);
    if (!IsDigitByte(*at_) && (lower < 'a' || lower > 'f')) return false;
    value = value * 16 + static_cast<unsigned>(IsDigitByte(*at_) ? *at_ - '0' : lower - 'a' + 10);
  }
  return true;
}

// Behind a backslash. The first half of a surrogate pair needs its second.
bool JsonCursor::Escape(std::string& scratch) {
  if (at_ == end_) return false;
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char letter = *at_++;
  const size_t known = kLetters.find(letter);
  if (known != std::string_view::npos) {
    scratch += kMeanings[known];
    return true;
  }
  unsigned code = 0;
  if (letter != 'u' || !Hex4(code)) return false;
  if (code >= 0xd800 && code <= 0xdbff) {
    unsigned second = 0;
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
    at_ += 2;
    if (!Hex4(second) || second < 0xdc00 || second > 0xdfff) return false;
    code = ((code - 0xd800) << 10 | (second - 0xdc00)) + 0x10000;
  }
  AppendUtf8(code, scratch);
  return true;
}

// Ends: each turn passes over an escape, or returns.
bool JsonCursor::String(std::string_view& text, std::string& scratch) {
  if (!Take('"')) return false;
  const char* stop = PlainTextEnd(at_, end_);
  if (stop != end_ && *stop == '"') {
    text = std::string_view(at_, static_cast<size_t>(stop - at_));
    at_ = stop + 1;
    return true;
  }
  scratch.clear();
  for (;; stop = PlainTextEnd(at_, end_)) {
    scratch.append(at_, stop);
    if (stop == end_) return false;
    at_ = stop + 1;
    if (*stop == '"') break;
    if (*stop != '\\' || !Escape(scratch)) return false;
  }
  text = scratch;
  return true;
}

bool JsonCursor::Digits() {
  const char* const first = at_;
  while (at_ != end_ && IsDigitByte(*at_)) ++at_;
  return at_ != first;
}

bool JsonCursor::Number(std::string_view& text) {
  Peek();
  const char* const first = at_;
  const auto next_is = [this](char letter) { return at_ != end_ && *at_ == letter; };
  if (next_is('-')) ++at_;
  if (next_is('0')) {
    ++at_;
  } else if (!Digits()) {
    return false;
  }
  if (next_is('.')) {
    ++at_;
    if (!Digits()) return false;
  }
  if (next_is('e') || next_is('E')) {
    ++at_;
    if (next_is('+') || next_is('-')) ++at_;
    if (!Digits()) return false;
  }
  text = std::string_view(first, static_cast<size_t>(at_ - first));
  return true;
}

bool JsonCursor::Word(std::string_view word) {
  Peek();
  if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

}  // namespace gordian
