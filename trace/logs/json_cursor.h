// SPDX-License-Identifier: Apache-2.0
// Tokens of JSON text, read in place: hostile until each is checked.
#pragma once

#include <string>
#include <string_view>

namespace gordian {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // The first byte of the next token; 0 at the end.
  char Peek() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }
  // Passes over `expected` if the next token begins with it.
  bool Take(char expected) {
    if (Peek() != expected || at_ == end_) return false;
    ++at_;
    return true;
  }

  // These read one token each; false if the next one is no such token. `text` refers to the input,
  // or to `scratch` where the string has escapes.
  bool String(std::string_view& text, std::string& scratch);
  bool Number(std::string_view& text);
  bool Word(std::string_view word);

 private:
  bool Escape(std::string& scratch);
  bool Hex4(unsigned& value);
  bool Digits();

  const char* at_;
  const char* end_;
};

}  // namespace gordian
